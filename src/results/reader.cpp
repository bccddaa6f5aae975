#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "railyard/base/error.hpp"
#include "results/json.hpp"

namespace railyard::results {

Reader::Reader(const Json& value, std::string file, std::string place)
    : value_(&value), file_(std::move(file)), place_(std::move(place)) {}

Json Reader::parse(std::string_view text, const std::string& file) {
    try {
        return Json::parse(text);
    } catch (const Json::exception& error) {
        // Not parse_error alone: a number beyond all bounds is told as out_of_range.
        // The library's own words name the line and the column; its prefix is for programmers.
        std::string what = error.what();
        if (const auto end = what.find("] "); end != std::string::npos) what.erase(0, end + 2);
        throw Error(fmt::format("{}: not JSON: {}", file, what));
    }
}

void Reader::complain(const std::string& what) const {
    if (place_.empty()) throw Error(fmt::format("{}: {}", file_, what));
    throw Error(fmt::format("{}: {}: {}", file_, place_, what));
}

void Reader::expected(const char* what) const {
    complain(fmt::format("expected {}, found {}", what, value_->type_name()));
}

Reader Reader::field(const char* name) const {
    if (!value_->is_object()) expected("an object");
    const std::string place = place_.empty() ? name : place_ + "." + name;
    const auto found = value_->find(name);
    if (found == value_->end()) Reader(*value_, file_, place).complain("missing");
    return {*found, file_, place};
}

bool Reader::has(const char* name) const {
    return value_->is_object() && value_->contains(name);
}

std::vector<Reader> Reader::elements() const {
    if (!value_->is_array()) expected("an array");
    std::vector<Reader> out;
    for (std::size_t i = 0; i < value_->size(); ++i)
        out.emplace_back((*value_)[i], file_, fmt::format("{}[{}]", place_, i));
    return out;
}

std::vector<std::pair<std::string, Reader>> Reader::members() const {
    if (!value_->is_object()) expected("an object");
    std::vector<std::pair<std::string, Reader>> out;
    for (const auto& [name, value] : value_->items())
        out.emplace_back(name, Reader(value, file_, place_ + "." + name));
    return out;
}

std::string Reader::text() const {
    if (!value_->is_string()) expected("a string");
    return value_->get<std::string>();
}

double Reader::number() const {
    if (!value_->is_number()) expected("a number");
    return value_->get<double>();
}

std::uint64_t Reader::count() const {
    if (!value_->is_number_unsigned()) expected("a whole number, not negative");
    return value_->get<std::uint64_t>();
}

Value Reader::value() const {
    if (value_->is_string()) return value_->get<std::string>();
    if (value_->is_number_unsigned() &&
        value_->get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
        complain("a whole number of more than 63 bits");
    if (value_->is_number_integer()) return value_->get<std::int64_t>();
    if (value_->is_number_float()) return value_->get<double>();
    expected("a number or a string");
}

}  // namespace railyard::results
