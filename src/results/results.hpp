#pragma once
/// A file of results: the machine and the rows, as versioned JSON (docs/results-format.md describes
/// it), or rows alone as comma-separated values.

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "results/machine.hpp"
#include "results/row.hpp"

namespace railyard::results {

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
