#pragma once
/// What pages are made of: files of all kinds that `railyard report` understands, told apart by
/// what is in them; and what this build knows of the names in them.

#include <string>
#include <vector>

#include "report/page.hpp"

namespace railyard::cli {

/// A file as it was named: "out.json", or "openmpi=osu.txt".
struct NamedFile {
    std::string path;
    std::string label;  ///< empty: nobody gave one
};

/// "LABEL=FILE" unless there is a file of that whole name. Throws UsageError for an empty half.
NamedFile named_file(const std::string& word);

/// Puts what is in it where it belongs: rows into the sources, the table of `railyard reproduce`
/// into the verdicts. Throws UsageError, naming file and place, for what is none of the kinds.
void take_file(report::PageInput& input, const NamedFile& file);

/// Who writes a page: "railyard 0.1.0 (4f2a91c)".
std::string generator();
/// Interconnects and experiments.
void add_names(report::PageInput& input);

}  // namespace railyard::cli
