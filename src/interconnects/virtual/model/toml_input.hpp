#pragma once
/// What readers of TOML share: where a thing stands, plain values, and text that is no TOML.

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>

#include "interconnects/virtual/model/complaints.hpp"
#include "interconnects/virtual/model/schema_value.hpp"

namespace railyard::model {

TextPosition place_of(const toml::source_region& region);

/// The value, if it is of a kind that any key can have.
std::optional<Literal> literal_of(const toml::node& node);

/// Throws UsageError.
toml::table parse_toml(std::string_view text, const std::string& file);

}  // namespace railyard::model
