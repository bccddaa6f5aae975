#include "profiles/toml_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "railyard/base/error.hpp"

namespace railyard::profiles {

TextPosition position_of(const toml::source_region& region) {
    return {region.begin.line, region.begin.column};
}

std::optional<Literal> literal_of(const toml::node& node) {
    if (const auto* text = node.as_string()) return Literal(text->get());
    if (const auto* whole = node.as_integer()) return Literal(whole->get());
    if (const auto* real = node.as_floating_point()) return Literal(real->get());
    if (const auto* flag = node.as_boolean()) return Literal(flag->get());
    return std::nullopt;
}

toml::table parse_toml(std::string_view text, const std::string& file) {
    try {
        return toml::parse(text);
    } catch (const toml::parse_error& error) {
        throw UsageError(complaint(file, position_of(error.source()), {}, error.description()));
    }
}

std::string complaint(const std::string& file, TextPosition position, std::string_view key,
                      std::string_view what) {
    return fmt::format("{}:{}:{}: {}{}{}", file, position.line, position.column, key,
                       key.empty() ? "" : ": ", what);
}

void Complaints::add(const std::string& file, TextPosition position, std::string_view key,
                     std::string_view what) {
    all_.push_back({position.line, complaint(file, position, key, what)});
}

void Complaints::throw_if_any() {
    if (all_.empty()) return;
    // Tables come in the order of the alphabet; a reader goes by lines.
    std::ranges::stable_sort(all_, {}, &Complaint::line);
    std::vector<std::string> texts;
    for (const Complaint& one : all_)
        texts.push_back(one.text);
    throw UsageError(fmt::format("{}", fmt::join(texts, "\n")));
}

}  // namespace railyard::profiles
