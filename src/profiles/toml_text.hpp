#pragma once
/// TOML that a person wrote: where a thing stands in it, plain values, and what is wrong with it,
/// each mistake with its position and all told at once.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/schema.hpp"
#include "railyard/base/error.hpp"

namespace railyard::profiles {

/// Counted from 1.
struct TextPosition {
    unsigned line = 1;
    unsigned column = 1;
};

inline TextPosition position_of(const toml::source_region& region) {
    return {region.begin.line, region.begin.column};
}

/// The value, if it is of a kind that any key can have.
inline std::optional<Literal> literal_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return Literal(text->get());
    if (const auto* whole = node.as_integer()) return Literal(whole->get());
    if (const auto* real = node.as_floating_point()) return Literal(real->get());
    if (const auto* flag = node.as_boolean()) return Literal(flag->get());
    return std::nullopt;
}

/// "file:line:column: key: what"
inline std::string complaint(const std::string& file, TextPosition position, std::string_view key,
                             std::string_view what) {
    return fmt::format("{}:{}:{}: {}{}{}", file, position.line, position.column, key,
                       key.empty() ? "" : ": ", what);
}

/// Throws UsageError.
inline toml::table parse_toml(std::string_view text, const std::string& file) {
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        throw UsageError(complaint(file, position_of(error.source()), {}, error.description()));
    }
}

class Complaints {
  public:
    void add(const std::string& file, TextPosition position, std::string_view key,
             std::string_view what) {
        all_.push_back({position.line, complaint(file, position, key, what)});
    }
    /// Throws UsageError, a line for each, in the order of their lines.
    void throw_if_any() {
        if (all_.empty()) return;
        // Tables come in the order of the alphabet; a reader goes by lines.
        std::ranges::stable_sort(all_, {}, &Complaint::line);
        std::vector<std::string> texts;
        for (const Complaint& one : all_)
            texts.push_back(one.text);
        throw UsageError(fmt::format("{}", fmt::join(texts, "\n")));
    }

  private:
    struct Complaint {
        unsigned line;
        std::string text;
    };
    std::vector<Complaint> all_;
};

}  // namespace railyard::profiles
