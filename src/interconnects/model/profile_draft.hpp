#pragma once
/// One profile's file as it is written, before what it extends is known. Everything that can be
/// wrong in one file is found here, and all of it is told at once.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interconnects/model/profile.hpp"

namespace railyard::model {

struct Place {
    unsigned line = 1;
    unsigned column = 1;
};

/// What may stand between the commas of `--on`, and is no path.
bool is_name(std::string_view name);

/// "file:line:column: key: what"
std::string complaint(const std::string& file, Place place, std::string_view key,
                      std::string_view what);

struct Draft {
    struct Entry {
        Setting setting;
        Value value;
    };
    struct Base {
        std::string name;
        Place place;
    };

    std::string file;
    std::optional<Base> extends;
    std::vector<Entry> entries;
    std::map<std::string, Place, std::less<>> tables;  ///< where each begins
};

/// Throws UsageError, a line for each mistake.
Draft read_draft(std::string_view text, const std::string& file);

}  // namespace railyard::model
