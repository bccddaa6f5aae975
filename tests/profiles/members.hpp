#pragma once
/// Counts the members of a struct, so that a test can say that each has its key.

#include <cstddef>

namespace railyard::profiles {

/// Anything that a member can be made from.
struct AnyMember {
    template <class T>
    operator T() const;
};

template <class T, class... Values>
constexpr std::size_t members() {
    if constexpr (requires { T{Values{}..., AnyMember{}}; })
        return members<T, Values..., AnyMember>();
    else
        return sizeof...(Values);
}

}  // namespace railyard::profiles
