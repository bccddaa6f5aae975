#pragma once
/// Where the data of an operation lie at its target, as a list of runs: what a target is told of a
/// datatype that it has never seen.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

/// Units in a row.
struct Run {
    std::uint64_t at = 0;  ///< bytes from the window's begin; in a dynamic window, an address
    std::uint64_t count = 0;
};

/// What runs are counted in: bytes, or elements of a basic type, which may have gaps (a pair).
struct Unit {
    std::size_t size = 1;    ///< bytes of data
    std::size_t extent = 1;  ///< from one to the next
};

inline Unit unit_of(const Datatype& basic) {
    return {basic.size(), static_cast<std::size_t>(basic.extent())};
}

/// Makes runs of blocks that come in the order of the stream, and gives them to `visit`.
template <class Visit>
class RunBuilder {
  public:
    RunBuilder(Unit unit, Visit& visit) : unit_(unit), visit_(visit) {}

    void add_block(std::uint64_t at, std::size_t bytes) {
        while (bytes != 0) {
            // The rest of a unit whose first bytes the last block had.
            const std::size_t rest = std::min(rest_, bytes);
            rest_ -= rest;
            at += rest;
            bytes -= rest;
            if (bytes == 0) return;
            const std::size_t whole = unit_.size == unit_.extent ? bytes / unit_.size : 1;
            const std::size_t units = std::max<std::size_t>(whole, 1);
            add(at, units);
            const std::size_t taken = std::min(units * unit_.size, bytes);
            rest_ = units * unit_.size - taken;
            at += taken;
            bytes -= taken;
        }
    }
    void finish() {
        if (run_.count != 0) visit_(run_);
    }

  private:
    void add(std::uint64_t at, std::size_t units) {
        if (run_.count != 0 && at == run_.at + run_.count * unit_.extent) {
            run_.count += units;
            return;
        }
        finish();
        run_ = {at, units};
    }

    Unit unit_;
    Visit& visit_;
    Run run_;
    std::size_t rest_ = 0;
};

/// Calls visit(run) for the runs of `count` elements of a type that begin at `at`, in the order of
/// their stream. The type is made of whole units.
template <class Visit>
void for_each_run(const Datatype& type, std::size_t count, std::uint64_t at, Unit unit,
                  Visit&& visit) {
    RunBuilder builder(unit, visit);
    auto add = [&](std::ptrdiff_t offset, std::size_t bytes) {
        builder.add_block(at + static_cast<std::uint64_t>(offset), bytes);
    };
    if (type.is_dense()) {
        add(type.true_lower_bound(), count * type.size());
    } else {
        for (std::size_t i = 0; i < count; ++i)
            for_each_block(*type.shape().layout, signed_of(i) * type.extent(), add);
    }
    builder.finish();
}

}  // namespace railyard::mpi
