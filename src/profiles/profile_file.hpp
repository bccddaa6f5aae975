#pragma once
/// One profile's file as it is written, before what it extends is known. Everything that can be
/// wrong in one file is found here, and all of it is told at once.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiles/profile.hpp"
#include "profiles/toml_text.hpp"

namespace railyard::profiles {

/// What is behind the '#' of a line of TOML, or nothing. A '#' in quotes is no comment.
std::string_view comment_of(std::string_view line);

/// Such a comment, which says where the value of its line comes from:
///     # fitted: liu04.latency.rdma_write.small.vapi, liu04.hotspot.send.7.vapi one choice of many
/// Without file and line.
fabric::Source parse_source(std::string_view comment);

/// What may stand between the commas of `--on`, and is no path.
bool is_name(std::string_view name);

struct ProfileFile {
    struct Entry {
        Setting setting;
        TextPosition position;
    };
    struct Base {  ///< another file that it names
        std::string name;
        TextPosition position;
    };

    std::string file;
    std::optional<Base> extends;
    std::optional<Base> hosts;
    const Engine* engine = nullptr;  ///< null: this file names none
    std::vector<Entry> entries;
    std::vector<fabric::Section> sections;                    ///< of software above
    std::map<std::string, TextPosition, std::less<>> tables;  ///< where each begins

    /// Where this file says what that engine does not read.
    void check_engine(const Language& language, const Engine& chosen, Complaints& complaints) const;
};

/// Throws UsageError, a line for each mistake.
ProfileFile read_file(const Language& language, std::string_view text, const std::string& file);

}  // namespace railyard::profiles
