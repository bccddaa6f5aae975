#pragma once
/// A reduction operation of MPI: how two elements become one.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

/// inout = in op inout, for `count` elements of one basic type, at any alignment.
using Kernel = void (*)(const std::byte* in, std::byte* inout, std::size_t count);

class Operation : public std::enable_shared_from_this<Operation> {
  public:
    enum class Kind : std::uint8_t {
        max,
        min,
        sum,
        prod,
        land,
        band,
        lor,
        bor,
        lxor,
        bxor,
        minloc,
        maxloc,
        replace,
        no_op,
        user,  ///< the user's function
    };
    /// inout = in op inout, for `count` elements.
    using Function =
        std::function<void(const void* in, void* inout, std::size_t count, const Datatype& type)>;

    explicit Operation(Kind predefined);  ///< for predefined(), which has one of each
    Operation(Function function, bool commutative);

    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    Kind kind() const { return kind_; }
    bool is_predefined() const { return kind_ != Kind::user; }
    bool is_commutative() const { return commutative_; }
    std::string_view name() const;                          ///< "MPI_SUM"; empty for a user's
    const Function& function() const { return function_; }  ///< a user's

    /// Whether it can combine elements of this type. A user's function takes them all.
    bool allows(const Datatype& type) const;
    /// Throws MpiError(op), which says what would be right, unless it allows the type.
    void check(const Datatype& type) const;

    /// inout = in op inout, element by element. `in` and `inout` are apart, or the same. Neither
    /// needs to be aligned. Throws as check() does.
    void apply(const void* in, void* inout, std::size_t count, const Datatype& type) const {
        if (const Kernel kernel = kernels_[static_cast<std::size_t>(type.basic())])
            kernel(static_cast<const std::byte*>(in), static_cast<std::byte*>(inout), count);
        else
            apply_otherwise(in, inout, count, type);
    }

  private:
    void apply_otherwise(const void* in, void* inout, std::size_t count,
                         const Datatype& type) const;

    const Kernel* kernels_;  ///< by Basic
    Kind kind_;
    bool commutative_;
    Function function_;
};

using OperationRef = std::shared_ptr<const Operation>;

/// The one object of a predefined operation; never of Kind::user.
const OperationRef& predefined(Operation::Kind kind);

/// The kernels of an operation, by Basic; null where MPI defines none. Replace, no_op and the
/// user's have none at all: they calculate nothing, or nothing that is known here.
const Kernel* kernels_of(Operation::Kind kind);

}  // namespace railyard::mpi
