#pragma once
/// Output of other benchmarks as rows, so that it stands beside ours: the OSU micro-benchmarks, the
/// Intel MPI Benchmarks, and perftest's JSON. docs/report.md says what becomes what.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/results/row.hpp"

namespace railyard::report {

/// What a file is, by its first words. None: nothing that is known here.
enum class FileKind : unsigned char { results, verdicts, summary, osu, imb, perftest };
std::optional<FileKind> kind_of(std::string_view text);

/// Where a text comes from, and what its rows' fabric is called.
struct Foreign {
    std::string file;
    std::string label;
};

// Each throws Error for what it cannot read: the file, the line, and what was expected there.

/// One or several tables, with whatever a terminal had between them.
std::vector<results::Row> read_osu(std::string_view text, const Foreign& from);
std::vector<results::Row> read_imb(std::string_view text, const Foreign& from);
/// One object: of one size, or an array of them.
std::vector<results::Row> read_perftest(std::string_view text, const Foreign& from);

}  // namespace railyard::report
