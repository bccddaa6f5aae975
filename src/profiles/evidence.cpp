// Where the values of a profile come from, as comments say.

#include <array>

#include "base/parse.hpp"
#include "profiles/profile_file.hpp"

namespace railyard::profiles {

namespace {

using fabric::Evidence;

constexpr std::array kinds{Evidence::stated, Evidence::fitted, Evidence::assumed,
                           Evidence::derived};

/// What is left when commas and semicolons are taken off the front.
std::string_view without_separators(std::string_view text) {
    while (!text.empty() && (text.front() == ',' || text.front() == ';'))
        text = trim(text.substr(1));
    return text;
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool in_record(char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

/// Names in small letters with points between them are ids of results; "4.4" and "etc." are not.
bool is_record(std::string_view word) {
    const auto point = word.find('.');
    return point != word.npos && is_letter(word.front()) && word.back() != '.' &&
           is_letter(word[point + 1]);
}

/// Takes ids off the front of `text`, as long as there are commas between them.
std::vector<std::string> take_records(std::string_view& text) {
    std::vector<std::string> records;
    for (std::string_view rest = text;;) {
        std::size_t length = 0;
        while (length < rest.size() && in_record(rest[length]))
            ++length;
        const std::string_view word = rest.substr(0, length);
        if (word.empty() || !is_record(word)) return records;
        records.emplace_back(word);
        rest = trim(rest.substr(length));
        text = rest;
        if (rest.empty() || rest.front() != ',') return records;
        rest = trim(rest.substr(1));
    }
}

}  // namespace

std::string_view comment_of(std::string_view line) {
    char quote = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote == '"' && c == '\\')
            ++i;
        else if (quote != 0)
            quote = c == quote ? char{0} : quote;
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '#')
            return trim(line.substr(i + 1));
    }
    return {};
}

fabric::Source parse_source(std::string_view comment) {
    fabric::Source source;
    const auto colon = comment.find(':');
    const std::string_view word = trim(comment.substr(0, colon));
    for (const Evidence kind : kinds)
        if (colon != comment.npos && word == name(kind)) source.evidence = kind;
    std::string_view text =
        source.evidence == Evidence::none ? comment : trim(comment.substr(colon + 1));
    if (source.evidence != Evidence::none) {
        text = without_separators(text);
        source.records = take_records(text);
    }
    source.text = without_separators(text);
    return source;
}

}  // namespace railyard::profiles
