#pragma once
/// One profile's file as it is written, before what it extends is known. Everything that can be
/// wrong in one file is found here, and all of it is told at once.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interconnects/virtual/model/complaints.hpp"
#include "interconnects/virtual/model/profile.hpp"

namespace railyard::model {

/// What may stand between the commas of `--on`, and is no path.
bool is_name(std::string_view name);

struct Draft {
    struct Entry {
        Setting setting;
        Value value;
    };
    struct Base {
        std::string name;
        TextPosition place;
    };

    std::string file;
    std::optional<Base> extends;
    std::vector<Entry> entries;
    std::map<std::string, TextPosition, std::less<>> tables;  ///< where each begins
};

/// Throws UsageError, a line for each mistake.
Draft read_draft(std::string_view text, const std::string& file);

}  // namespace railyard::model
