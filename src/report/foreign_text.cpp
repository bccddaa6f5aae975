#include "report/foreign_text.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::report {

std::optional<std::string_view> Lines::next() {
    if (is_again_) {
        is_again_ = false;
        return line_;
    }
    if (rest_.empty()) return std::nullopt;
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    line_ = trim(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    ++number_;
    return line_;
}

void Lines::complain(const std::string& what) const {
    throw Error(fmt::format("{}: line {}: {}", from_.file, number_, what));
}

std::vector<std::string_view> headings_of(std::string_view line) {
    std::vector<std::string_view> found;
    while (!(line = trim(line)).empty()) {
        const std::size_t end = std::min({line.find("  "), line.find('\t'), line.size()});
        found.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
    return found;
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> found;
    while (!(line = trim(line)).empty()) {
        const std::size_t end = std::min(line.find_first_of(" \t"), line.size());
        found.push_back(line.substr(0, end));
        line.remove_prefix(end);
    }
    return found;
}

bool is_numbers(std::string_view line) {
    return !line.empty() && std::isdigit(static_cast<unsigned char>(line.front())) != 0;
}

std::vector<double> numbers_of(const Lines& lines, std::string_view line,
                               const std::vector<std::string_view>& headings) {
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() != headings.size())
        lines.complain(fmt::format("expected {} numbers ({}), found {}: '{}'", headings.size(),
                                   fmt::join(headings, ", "), words.size(), line));
    std::vector<double> found;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto value = parse_number<double>(words[i]);
        if (!value || !std::isfinite(*value))
            lines.complain(fmt::format("{}: expected a number, found '{}'", headings[i], words[i]));
        found.push_back(*value);
    }
    return found;
}

std::int64_t whole(const Lines& lines, double value, std::string_view what) {
    constexpr double most = 1e15;
    if (value < 0 || value > most || value != std::floor(value))
        lines.complain(fmt::format("{}: expected a whole number, found {}", what, value));
    return static_cast<std::int64_t>(value);
}

std::string slug(std::string_view name) {
    std::string out;
    for (const char c : name) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalnum(letter) != 0)
            out += static_cast<char>(std::tolower(letter));
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (!out.empty() && out.back() == '-')
        out.pop_back();
    return out;
}

}  // namespace railyard::report
