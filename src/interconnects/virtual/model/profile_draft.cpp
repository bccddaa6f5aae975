#include "interconnects/virtual/model/profile_draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "interconnects/virtual/model/profile_source.hpp"
#include "interconnects/virtual/model/toml_input.hpp"
#include "railyard/base/error.hpp"

namespace railyard::model {

namespace {

constexpr std::string_view extends_key = "extends";

const char* kind_of(const toml::node& node) {
    if (node.is_table()) return "a table";
    if (node.is_array()) return "a list";
    return "a date or time";
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return lines;
}

std::vector<std::string> key_names(std::string_view part) {
    std::vector<std::string> names;
    for (const Key& key : keys())
        if (key.part == part) names.emplace_back(key.name);
    if (part.empty()) names.emplace_back(extends_key);
    return names;
}

std::vector<std::string> part_names() {
    std::vector<std::string> names;
    for (const Part& part : parts())
        names.emplace_back(part.name);
    return names;
}

/// "; did you mean 'post'?", or all that there is.
std::string advice(std::string_view wrong, const std::vector<std::string>& names) {
    if (const auto right = nearest(wrong, names)) return fmt::format("did you mean '{}'?", *right);
    return fmt::format("there are {}", fmt::join(names, ", "));
}

class Reader {
  public:
    Reader(std::string_view text, const std::string& file) : lines_(lines_of(text)) {
        draft_.file = file;
    }

    Draft read(const toml::table& root) {
        for (const auto& [key, node] : root) {
            const std::string_view name = key.str();
            const TextPosition place = place_of(key.source());
            if (const Part* part = find_part(name))
                read_part(*part, node, place);
            else if (name == extends_key)
                read_extends(node, place);
            else if (const Key* known = find_key({}, name))
                read_value(*known, node, place);
            else if (node.is_table())
                complain(place, name, "there is no such part; " + advice(name, part_names()));
            else
                complain(place, name,
                         "there is no such key outside the parts; " + advice(name, key_names({})));
        }
        complaints_.throw_if_any();
        return std::move(draft_);
    }

  private:
    void complain(TextPosition place, std::string_view key, std::string_view what) {
        complaints_.add(draft_.file, place, key, what);
    }

    void read_part(const Part& part, const toml::node& node, TextPosition place) {
        const toml::table* table = node.as_table();
        if (table == nullptr)
            return complain(
                place, part.name,
                fmt::format("it is a part: write [{}] on a line, and its keys below", part.name));
        draft_.tables.emplace(part.name, place);
        for (const auto& [key, value] : *table) {
            const TextPosition at = place_of(key.source());
            if (const Key* known = find_key(part.name, key.str()))
                read_value(*known, value, at);
            else
                complain(at, fmt::format("{}.{}", part.name, key.str()),
                         fmt::format("there is no such key in [{}]; {}", part.name,
                                     advice(key.str(), key_names(part.name))));
        }
    }

    void read_extends(const toml::node& node, TextPosition place) {
        const auto* text = node.as_string();
        if (text == nullptr || text->get().empty())
            return complain(place, extends_key,
                            "expected the name of a profile in quotes, or the path of one");
        draft_.extends = Draft::Base{text->get(), place};
    }

    void read_value(const Key& key, const toml::node& node, TextPosition place) {
        const auto literal = literal_of(node);
        if (!literal)
            return complain(
                place, key.path(),
                fmt::format("expected {}, found {}", to_string(key.allowed), kind_of(node)));
        try {
            draft_.entries.push_back(
                {setting(key, *literal, node), model::read(*literal, key.allowed)});
        } catch (const UsageError& error) {
            complain(place, key.path(), error.what());
        }
        if (&key == find_key({}, "name") && node.is_string() && !is_name(plain(*literal)))
            complain(place, key.name,
                     fmt::format("expected letters, digits, '-', '_', '+' and '.', and no '.toml' "
                                 "at the end, found '{}'",
                                 plain(*literal)));
    }

    /// The parser drops comments; they are found again by the line on which the value ends.
    Setting setting(const Key& key, const Literal& literal, const toml::node& node) const {
        const unsigned line = node.source().end.line;
        Setting found{&key, literal, {}};
        if (line >= 1 && line <= lines_.size())
            found.source = parse_source(comment_of(lines_[line - 1]));
        found.source.file = draft_.file;
        found.source.line = line;
        return found;
    }

    std::vector<std::string_view> lines_;
    Draft draft_;
    Complaints complaints_;
};

}  // namespace

bool is_name(std::string_view name) {
    return !name.empty() && !is_path(name) && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_+.").find(c) != std::string_view::npos;
    });
}

Draft read_draft(std::string_view text, const std::string& file) {
    return Reader(text, file).read(parse_toml(text, file));
}

}  // namespace railyard::model
