#pragma once
/// TOML that a person wrote: where a thing stands in it, plain values, and what is wrong with it,
/// each mistake with its position and all told at once.

#include <toml++/toml.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/value.hpp"

namespace railyard::profiles {

/// Counted from 1.
struct TextPosition {
    unsigned line = 1;
    unsigned column = 1;
};

TextPosition position_of(const toml::source_region& region);

/// The value, if it is of a kind that any key can have.
std::optional<Literal> literal_of(const toml::node& node);

/// Throws UsageError.
toml::table parse_toml(std::string_view text, const std::string& file);

/// "file:line:column: key: what"
std::string complaint(const std::string& file, TextPosition position, std::string_view key,
                      std::string_view what);

class Complaints {
  public:
    void add(const std::string& file, TextPosition position, std::string_view key,
             std::string_view what);
    /// Throws UsageError, a line for each, in the order of their lines.
    void throw_if_any();

  private:
    struct Complaint {
        unsigned line;
        std::string text;
    };
    std::vector<Complaint> all_;
};

}  // namespace railyard::profiles
