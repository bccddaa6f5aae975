#pragma once
/// One side of a collective: blocks for or from every rank, in a layout of their own, at places of
/// their own, with what must be in them.

#include <algorithm>
#include <vector>

#include "mpi/programs/layout.hpp"
#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {

class Area {
  public:
    /// `elements`: of each block, multiples of Area::unit. `gap`: types left out after each block.
    Area(Shape shape, int base, std::vector<std::size_t> elements, int gap)
        : layout_(shape, base), type_(layout_.make()), elements_(std::move(elements)) {
        int place = 0;
        for (const std::size_t n : elements_) {
            counts_.push_back(static_cast<int>(n / layout_.elements()));
            displacements_.push_back(place);
            place += counts_.back() + gap;
        }
        memory_.assign(layout_.span_of(static_cast<std::size_t>(place) * layout_.elements()) + 1,
                       Layout::untouched);
        written_.assign(elements_.size(), false);
    }
    ~Area() { Layout::done(type_); }
    Area(const Area&) = delete;
    Area& operator=(const Area&) = delete;

    /// All shapes have a divisor of that many elements.
    static constexpr std::size_t unit = 12;

    void* data() { return memory_.data(); }
    std::byte* block(std::size_t i) {
        return memory_.data() +
               layout_.span_of(static_cast<std::size_t>(displacements_[i]) * layout_.elements());
    }
    MPI_Datatype type() const { return type_; }
    int count(std::size_t i) const { return counts_[i]; }
    const int* counts() const { return counts_.data(); }
    const int* displacements() const { return displacements_.data(); }
    /// As MPI_Alltoallw wants them.
    std::vector<int> byte_displacements() {
        std::vector<int> bytes;
        for (std::size_t i = 0; i < elements_.size(); ++i)
            bytes.push_back(static_cast<int>(block(i) - memory_.data()));
        return bytes;
    }
    std::vector<MPI_Datatype> types() const {
        return std::vector<MPI_Datatype>(elements_.size(), type_);
    }

    void fill(std::size_t i, std::uint64_t pattern) {
        layout_.fill(block(i), elements_[i], pattern);
        written_[i] = true;
    }
    void expect(std::size_t i, std::uint64_t pattern, const char* what) {
        require(layout_.holds(block(i), elements_[i], pattern),
                std::string(what) + ": wrong bytes in block " + std::to_string(i));
        written_[i] = true;
    }
    /// Nothing but the blocks that were filled or expected was touched.
    void expect_clean(const char* what) {
        std::size_t at = 0;
        for (std::size_t i = 0; i < elements_.size(); ++i) {
            const auto begin = static_cast<std::size_t>(block(i) - memory_.data());
            expect_untouched(at, begin, what);
            require(layout_.is_clean(block(i), written_[i] ? elements_[i] : 0, elements_[i]),
                    std::string(what) + ": bytes beside block " + std::to_string(i));
            at = begin + layout_.span_of(elements_[i]);
        }
        expect_untouched(at, memory_.size(), what);
    }

  private:
    void expect_untouched(std::size_t begin, std::size_t end, const char* what) const {
        for (std::size_t i = begin; i < end; ++i)
            require(memory_[i] == Layout::untouched, std::string(what) + ": a gap was touched");
    }

    Layout layout_;
    MPI_Datatype type_;
    std::vector<std::size_t> elements_;
    std::vector<int> counts_;
    std::vector<int> displacements_;
    std::vector<std::byte> memory_;
    std::vector<bool> written_;
};

}  // namespace railyard::mpi::programs
