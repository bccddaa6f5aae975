#pragma once
/// The right name that a wrong one was probably meant to be, for "did you mean ...?".

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace railyard {

/// How many letters must be inserted, deleted, replaced, or swapped with their neighbour to turn
/// one word into the other. Upper and lower case are the same.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// The name nearest to `wrong`, the first of equals, if about one letter in three or fewer are
/// wrong; else the first name that begins with it; else none.
std::optional<std::string> nearest(std::string_view wrong, std::span<const std::string> names);

}  // namespace railyard
