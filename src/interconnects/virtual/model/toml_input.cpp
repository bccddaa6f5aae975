#include "interconnects/virtual/model/toml_input.hpp"

#include "railyard/base/error.hpp"

namespace railyard::model {

TextPosition place_of(const toml::source_region& region) {
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
        throw UsageError(complaint(file, place_of(error.source()), {}, error.description()));
    }
}

}  // namespace railyard::model
