#include "results/row.hpp"

#include <fmt/format.h>

#include "results/json.hpp"

namespace railyard::results {

std::string to_string(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* integer = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *integer);
    return fmt::format("{}", std::get<double>(value));
}

std::string to_json_line(const Row& row) {
    return to_json_value(row).dump();
}

Row from_json_line(std::string_view line, std::string_view where) {
    const std::string file(where);
    const Json json = Reader::parse(line, file);
    return read_row(Reader(json, file));
}

}  // namespace railyard::results
