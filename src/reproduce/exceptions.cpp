#include "reproduce/record.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <toml++/toml.h>
#include <algorithm>
#include <array>
#include <set>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::reproduce {

namespace {

constexpr std::array<std::string_view, 4> reasons{reason::contradiction, reason::physics,
                                                  reason::not_understood, reason::not_reproducible};

bool is_result(const Record& record) {
    return record.kind != Kind::parameter && record.kind != Kind::context;
}

class File {
  public:
    File(std::string name, const std::vector<Record>& records)
        : name_(std::move(name)), records_(records) {}

    [[noreturn]] void complain(const toml::source_region& at, const std::string& what) const {
        throw UsageError(fmt::format("{}:{}: {}", name_, at.begin.line, what));
    }

    /// One a record that it stands for.
    std::vector<Exception> exceptions(const toml::node& node) const {
        const toml::table* table = node.as_table();
        if (table == nullptr) complain(node.source(), "expected [[exception]]");
        Exception out;
        for (const auto& [key, value] : *table) {
            if (key == "id")
                out.id = text(key, value);
            else if (key == "reason")
                out.reason = text(key, value);
            else if (key == "text")
                out.text = text(key, value);
            else
                complain(key.source(),
                         fmt::format("'{}': an exception has id, reason and text", key.str()));
        }
        check(out, node.source());
        return expanded(out, node.source());
    }

  private:
    std::string text(const toml::key& key, const toml::node& value) const {
        const auto out = value.value_exact<std::string>();
        if (!out || out->empty())
            complain(value.source(), fmt::format("{}: expected a text", key.str()));
        return *out;
    }

    void check(const Exception& found, const toml::source_region& at) const {
        for (const auto& [what, value] :
             {std::pair("id", &found.id), {"reason", &found.reason}, {"text", &found.text}})
            if (value->empty()) complain(at, fmt::format("{}: missing", what));
        if (std::ranges::find(reasons, found.reason) == reasons.end())
            complain(at, fmt::format("reason: expected one of {}, found '{}'",
                                     fmt::join(reasons, ", "), found.reason));
    }

    std::vector<Exception> expanded(const Exception& found, const toml::source_region& at) const {
        std::vector<Exception> out;
        std::vector<std::string> ids;
        for (const Record& record : records_) {
            ids.push_back(record.id);
            if (record.id == found.id ||
                (is_result(record) && ::fnmatch(found.id.c_str(), record.id.c_str(), 0) == 0))
                out.push_back({record.id, found.reason, found.text});
        }
        if (!out.empty()) return out;
        complain(at, fmt::format("there is no record '{}'{}", found.id,
                                 did_you_mean(found.id, ids, "; ")));
    }

    std::string name_;
    const std::vector<Record>& records_;
};

toml::table parse(std::string_view text, const std::string& file) {
    try {
        return toml::parse(text, file);
    } catch (const toml::parse_error& error) {
        throw UsageError(
            fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
    }
}

}  // namespace

std::vector<Exception> read_exceptions(std::string_view text, const std::string& file,
                                       const std::vector<Record>& records) {
    const toml::table table = parse(text, file);
    const File reader(file, records);
    std::vector<Exception> out;
    std::set<std::string> seen;
    for (const auto& [key, value] : table) {
        const toml::array* list = value.as_array();
        if (key != "exception" || list == nullptr)
            reader.complain(key.source(), fmt::format("'{}': expected [[exception]]", key.str()));
        for (const toml::node& node : *list) {
            for (const Exception& found : reader.exceptions(node)) {
                if (!seen.insert(found.id).second)
                    reader.complain(node.source(), fmt::format("'{}' is listed twice", found.id));
                out.push_back(found);
            }
        }
    }
    return out;
}

bool excuses_measuring(std::string_view reason) {
    return reason == reason::not_reproducible;
}

std::vector<Exception> known_exceptions() {
    return read_exceptions(exceptions_toml(), "exceptions.toml", papers());
}

}  // namespace railyard::reproduce
