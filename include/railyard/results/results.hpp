#pragma once
/// A file of results: the machine and the rows, as versioned JSON (docs/results-format.md describes
/// it), or rows alone as comma-separated values.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/bytes.hpp"
#include "railyard/results/row.hpp"

namespace railyard::results {

/// The machine and the build that results come from: what one must know to compare two files. 0, or
/// "unknown", where the system does not tell.
struct Machine {
    std::string cpu;
    unsigned cores = 0;    ///< physical
    unsigned threads = 0;  ///< hardware threads, siblings included
    Bytes l1d;             ///< data caches, as one core sees them
    Bytes l2;
    Bytes l3;
    Bytes memory;
    std::string kernel;    ///< "Linux 6.1.0-18-arm64 aarch64"
    std::string governor;  ///< of the cores' frequency
    std::string version;   ///< of Railyard
    std::string revision;  ///< of its source, as git describes it
    std::string compiler;  ///< with what the build is for: "GCC 12.2.0, optimized"
    std::string date;      ///< when it was asked, UTC: "2026-11-15T03:35:42Z"

    friend bool operator==(const Machine&, const Machine&) = default;
};

/// The machine that this runs on, now.
Machine this_machine();

/// Railyard's version: "0.1.0".
std::string_view version();
/// The source that this was built from, as git describes it; "unknown" outside a repository.
std::string_view revision();
/// The compiler that built this, and how.
std::string compiler();

/// Raised when a field changes its meaning or goes away; a new field does not raise it.
inline constexpr int schema = 1;

struct Results {
    Machine machine;
    std::vector<Row> rows;

    friend bool operator==(const Results&, const Results&) = default;
};

/// One row a line; the same results always give the same bytes.
std::string to_json(const Results& results);
/// Throws Error, naming `where`, the place inside and what is wrong with it.
Results from_json(std::string_view text, std::string_view where);

Results read(const std::filesystem::path& path);

/// A header line, then one line a row. Every parameter name that occurs is a column of its own,
/// empty in rows that do not have it.
std::string to_csv(std::span<const Row> rows);

}  // namespace railyard::results
