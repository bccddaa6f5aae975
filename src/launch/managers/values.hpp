#pragma once
/// Several named values as one.

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace railyard::managers {

using NamedValues = std::map<std::string, std::vector<std::byte>, std::less<>>;

std::vector<std::byte> pack(const NamedValues& values);
/// None if they were not packed so.
std::optional<NamedValues> unpack(std::span<const std::byte> bytes);

}  // namespace railyard::managers
