#include "mpi/types/operation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

using Kind = Operation::Kind;

struct About {
    std::string_view name;
    std::string_view takes;
};

constexpr std::array<About, static_cast<std::size_t>(Kind::user) + 1> about_all{{
    {"MPI_MAX", "integers and floating-point numbers"},
    {"MPI_MIN", "integers and floating-point numbers"},
    {"MPI_SUM", "integers, floating-point and complex numbers"},
    {"MPI_PROD", "integers, floating-point and complex numbers"},
    {"MPI_LAND", "integers and logicals"},
    {"MPI_BAND", "integers and MPI_BYTE"},
    {"MPI_LOR", "integers and logicals"},
    {"MPI_BOR", "integers and MPI_BYTE"},
    {"MPI_LXOR", "integers and logicals"},
    {"MPI_BXOR", "integers and MPI_BYTE"},
    {"MPI_MINLOC", "pairs of a value and an index, such as MPI_DOUBLE_INT"},
    {"MPI_MAXLOC", "pairs of a value and an index, such as MPI_DOUBLE_INT"},
    {"MPI_REPLACE", "all types"},
    {"MPI_NO_OP", "all types"},
    {"", "all types"},
}};

const About& about(Kind kind) {
    return about_all[static_cast<std::size_t>(kind)];
}

/// Copies elements, and nothing of what lies between their bytes.
void replace(const void* in, void* inout, std::size_t count, const Datatype& type) {
    const std::size_t all = count * type.size();
    std::array<std::byte, 4096> stretch;
    for (std::size_t from = 0; from < all; from += stretch.size()) {
        const auto now = std::span(stretch).first(std::min(stretch.size(), all - from));
        type.pack(in, count, from, now);
        type.unpack(inout, count, from, now);
    }
}

}  // namespace

Operation::Operation(Kind predefined)
    // The last two keep one side's value, so that sides matter.
    : kernels_(kernels_of(predefined)),
      kind_(predefined),
      commutative_(predefined < Kind::replace) {}

Operation::Operation(Function function, bool commutative)
    : kernels_(kernels_of(Kind::user)),
      kind_(Kind::user),
      commutative_(commutative),
      function_(std::move(function)) {}

std::string_view Operation::name() const {
    return about(kind_).name;
}

bool Operation::allows(const Datatype& type) const {
    if (kind_ >= Kind::replace) return true;
    return kernels_[static_cast<std::size_t>(type.basic())] != nullptr;
}

void Operation::check(const Datatype& type) const {
    if (allows(type)) return;
    if (type.is_predefined())
        throw MpiError(ErrorClass::op, fmt::format("{} is not defined for {}; it takes {}", name(),
                                                   type.name(), about(kind_).takes));
    throw MpiError(ErrorClass::op,
                   fmt::format("{} is not defined for derived datatypes; it takes predefined {}. "
                               "Make an operation for this type with MPI_Op_create",
                               name(), about(kind_).takes));
}

void Operation::apply_otherwise(const void* in, void* inout, std::size_t count,
                                const Datatype& type) const {
    switch (kind_) {
        case Kind::user:
            return function_(in, inout, count, type);
        case Kind::replace:
            return replace(in, inout, count, type);
        case Kind::no_op:
            return;
        default:
            check(type);
    }
}

const OperationRef& predefined(Operation::Kind kind) {
    static const auto all = [] {
        std::array<OperationRef, static_cast<std::size_t>(Kind::user)> operations;
        for (std::size_t i = 0; i < operations.size(); ++i)
            operations[i] = std::make_shared<const Operation>(static_cast<Kind>(i));
        return operations;
    }();
    return all[static_cast<std::size_t>(kind)];
}

}  // namespace railyard::mpi
