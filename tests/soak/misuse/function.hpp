#pragma once
/// A function of MPI as misuse knows it, and one way to call it wrongly.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "objects.hpp"

namespace railyard::misuse {

/// An argument of any type that fits into a register.
struct Value {
    std::intptr_t bits = 0;

    Value() = default;
    Value(std::intptr_t number) : bits(number) {}                                   // NOLINT
    Value(int number) : bits(number) {}                                             // NOLINT
    Value(const void* pointer) : bits(reinterpret_cast<std::intptr_t>(pointer)) {}  // NOLINT

    template <class T>
    operator T() const {  // NOLINT: whatever the parameter is
        return (T)bits;   // NOLINT
    }
};

/// As in the table of the interface.
struct Parameter {
    std::string kind;  ///< "comm", "result"; empty for a plain C type
    std::string type;  ///< in C, arrays with "[]"
    std::string name;
    std::string length;  ///< of an array: the parameter that counts it

    /// Points to numbers of 64 bits.
    bool is_wide() const {
        return type.find("MPI_Count") != std::string::npos ||
               type.find("MPI_Aint") != std::string::npos;
    }
};

struct Function {
    std::string name;  ///< without MPI_
    std::string base;  ///< the name that it has in common with its large-count twin
    std::string chapter;
    bool always;  ///< may be called before MPI_Init and after MPI_Finalize
    std::vector<Parameter> parameters;
    int (*call)(const Value* arguments);
};

const std::vector<Function>& functions();

/// What the keys that a function takes or makes are for.
inline Keyed keyed_by(const Function& function) {
    if (function.name.starts_with("Type")) return Keyed::types;
    return function.name.starts_with("Win") ? Keyed::windows : Keyed::comms;
}

/// What a wrong call has to end with.
enum class Expect { error, error_or_success };

struct Way {
    std::string text;  ///< "count is -1"
    Expect expect = Expect::error;
    /// Puts the wrong value among the right ones. Called right before the call.
    std::function<void(std::vector<Value>&)> spoil;
    /// Classes that are sensible; empty: any but success.
    std::vector<int> classes;
    /// Nothing else is wrong, so that partners must be such that nobody waits.
    bool may_be_right = false;
};

/// Right arguments, made anew for each call. Partners are this rank itself, or nobody.
std::vector<Value> right_arguments(const Function& function, bool partners_are_nobody);
/// All that its parameters allow for.
std::vector<Way> ways_of(const Function& function);

}  // namespace railyard::misuse
