#include "profiles/profile_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::profiles {

namespace {

constexpr std::string_view extends_key = "extends";
constexpr std::string_view hosts_key = "hosts";

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

/// The engines that read such a thing, as a profile names them.
template <class Reads>
std::string engines_that(const Language& language, Reads reads) {
    std::vector<std::string> lines;
    for (const Engine& engine : language.engines())
        if (reads(engine)) lines.push_back(fmt::format("engine = \"{}\"", engine.name));
    return fmt::format("{}", fmt::join(lines, " or "));
}

class Reader {
  public:
    Reader(const Language& language, std::string_view text, const std::string& file)
        : language_(language), lines_(lines_of(text)) {
        read_.file = file;
    }

    ProfileFile read(const toml::table& root) {
        for (const auto& [key, node] : root) {
            const std::string_view name = key.str();
            const TextPosition position = position_of(key.source());
            if (const Section* section = language_.find_section(name))
                read_section(*section, node, position);
            else if (name == extends_key)
                read_.extends = read_base(node, position, name);
            else if (name == hosts_key)
                read_.hosts = read_base(node, position, name);
            else if (const Key* known = language_.find_key({}, name))
                read_value(*known, node, position);
            else if (node.is_table())
                complain(position, name,
                         "there is no such part; " + advice(name, language_.section_names()));
            else
                complain(position, name,
                         "there is no such key outside the parts; " + advice(name, outer_names()));
        }
        if (!read_.extends && !names_engine(root)) check(language_.engines().front());
        if (read_.engine != nullptr) check(*read_.engine);
        complaints_.throw_if_any();
        return std::move(read_);
    }

  private:
    void complain(TextPosition position, std::string_view key, std::string_view what) {
        complaints_.add(read_.file, position, key, what);
    }

    static bool names_engine(const toml::table& root) { return root.contains("engine"); }
    void check(const Engine& engine) { read_.check_engine(language_, engine, complaints_); }

    std::vector<std::string> outer_names() const {
        std::vector<std::string> names = language_.key_names({});
        names.emplace_back(extends_key);
        names.emplace_back(hosts_key);
        return names;
    }

    void read_section(const Section& section, const toml::node& node, TextPosition position) {
        const toml::table* table = node.as_table();
        if (table == nullptr)
            return complain(position, section.name,
                            fmt::format("it is a part: write [{}] on a line, and its keys below",
                                        section.name));
        if (language_.is_of_software_above(section.name)) return read_unknown(section, *table);
        read_.tables.emplace(section.name, position);
        for (const auto& [key, value] : *table) {
            const TextPosition at = position_of(key.source());
            if (const Key* known = language_.find_key(section.name, key.str()))
                read_value(*known, value, at);
            else
                complain(at, fmt::format("{}.{}", section.name, key.str()),
                         fmt::format("there is no such key in [{}]; {}", section.name,
                                     advice(key.str(), language_.key_names(section.name))));
        }
    }

    /// Whose keys are for others to know.
    void read_unknown(const Section& section, const toml::table& table) {
        fabric::Section& all = read_.sections.emplace_back();
        all.name = section.name;
        for (const auto& [key, node] : table) {
            const TextPosition at = position_of(key.source());
            const auto literal = literal_of(node);
            if (!literal) {
                complain(at, fmt::format("{}.{}", section.name, key.str()),
                         fmt::format("expected a text, a number, or true or false, found {}",
                                     kind_of(node)));
                continue;
            }
            all.entries.push_back({std::string(key.str()), plain(*literal), node.is_string(),
                                   source_of(node), at.column});
        }
        // A table is sorted by the alphabet, and people write in a better order.
        std::ranges::stable_sort(all.entries, {}, [](const fabric::Section::Entry& entry) {
            return std::pair(entry.source.line, entry.column);
        });
    }

    std::optional<ProfileFile::Base> read_base(const toml::node& node, TextPosition position,
                                               std::string_view key) {
        const auto* text = node.as_string();
        if (text != nullptr && !text->get().empty())
            return ProfileFile::Base{text->get(), position};
        complain(position, key,
                 fmt::format("expected the name of a {} in quotes, or the path of one",
                             key == hosts_key ? "file of hosts" : "profile"));
        return {};
    }

    void read_value(const Key& key, const toml::node& node, TextPosition position) {
        const auto literal = literal_of(node);
        if (!literal)
            return complain(
                position, key.path(),
                fmt::format("expected {}, found {}", to_string(key.allowed), kind_of(node)));
        try {
            const Value value = profiles::read(*literal, key.allowed);
            if (&key == language_.find_key({}, "engine"))
                read_.engine = &language_.engines()[std::get<Word>(value).index];
            read_.entries.push_back({{&key, *literal, value, source_of(node)}, position});
        } catch (const UsageError& error) {
            complain(position, key.path(), error.what());
        }
        if (&key == language_.find_key({}, "name") && node.is_string() && !is_name(plain(*literal)))
            complain(position, key.name,
                     fmt::format("expected letters, digits, '-', '_', '+' and '.', and no '.toml' "
                                 "at the end, found '{}'",
                                 plain(*literal)));
    }

    /// The parser drops comments; they are found again by the line on which the value ends.
    fabric::Source source_of(const toml::node& node) const {
        const unsigned line = node.source().end.line;
        fabric::Source source;
        if (line >= 1 && line <= lines_.size()) source = parse_source(comment_of(lines_[line - 1]));
        source.file = read_.file;
        source.line = line;
        return source;
    }

    const Language& language_;
    std::vector<std::string_view> lines_;
    ProfileFile read_;
    Complaints complaints_;
};

}  // namespace

void ProfileFile::check_engine(const Language& language, const Engine& chosen,
                               Complaints& complaints) const {
    for (const auto& [section, position] : tables)
        if (!chosen.reads_section(section))
            complaints.add(
                file, position, section,
                fmt::format("this profile's engine is \"{}\", which has no such part; write {} "
                            "before all parts, or leave this one out",
                            chosen.name,
                            engines_that(language, [&name = section](const Engine& other) {
                                return other.reads_section(name);
                            })));
    for (const Entry& entry : entries) {
        const Key& key = *entry.setting.key;
        if (!key.section.empty() || language.is_common(key) || chosen.reads(key)) continue;
        complaints.add(file, entry.position, key.name,
                       fmt::format("this profile's engine is \"{}\", which has no such key; it is "
                                   "one of {}",
                                   chosen.name, engines_that(language, [&](const Engine& other) {
                                       return other.reads(key);
                                   })));
    }
}

bool is_name(std::string_view name) {
    return !name.empty() && !is_path(name) && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view("-_+.").find(c) != std::string_view::npos;
    });
}

ProfileFile read_file(const Language& language, std::string_view text, const std::string& file) {
    return Reader(language, text, file).read(parse_toml(text, file));
}

namespace {

// Where the values of a profile come from, as comments say.

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
