#pragma once
/// Results of several files side by side: which rows are of the same thing, and where they differ
/// by more than their samples scatter.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/change.hpp"
#include "results/results.hpp"

namespace railyard::report {

struct CompareFile {
    std::string path;
    results::Results results;
};

/// Names to look at; none means all.
struct CompareFilter {
    std::vector<std::string> experiments;
    std::vector<std::string> metrics;
};

/// Where a column's rows come from. These differ by nature; all else must be the same.
struct Origin {
    std::size_t file = 0;  ///< which of the files
    std::string fabric;
    std::string mpi;            ///< the MPI library; empty if there was none
    results::Parameters other;  ///< what only some columns know of, such as `ports` of our own MPI

    friend bool operator==(const Origin&, const Origin&) = default;
};

struct Cell {
    const results::Row* row = nullptr;  ///< null if there is none; else in one of the files
    Change change = Change::none;       ///< against the first column; none if that is empty
};

/// One thing that was measured, and what came out in each column.
struct CompareLine {
    results::Row subject;  ///< what all cells have in common; it has no value
    std::vector<Cell> cells;
};

/// The columns of one table, all compared with the first: rows of one experiment and unit.
struct CompareTable {
    std::vector<Origin> columns;
    std::vector<CompareLine> lines;  ///< each with two cells at least
};

struct Comparison {
    std::vector<CompareTable> tables;
    /// The rows that nothing stands beside, by file.
    std::vector<std::vector<const results::Row*>> alone;
};

/// The files must outlive the answer. Throws UsageError if nothing in them can be compared.
Comparison compare(std::span<const CompareFile> files, const CompareFilter& filter = {});

/// Calls `visit(table, line, index)` for each cell that stands beside one of the first column.
template <class Visit>
void each_comparison(const Comparison& comparison, Visit visit) {
    for (const CompareTable& table : comparison.tables)
        for (const CompareLine& line : table.lines)
            for (std::size_t i = 1; i < line.cells.size(); ++i)
                if (line.cells[0].row != nullptr && line.cells[i].row != nullptr)
                    visit(table, line, i);
}

/// How many results are worse than in another file by more than this share, and beyond the spread.
/// Columns of one file are compared with each other only if there is no other file.
std::size_t count_worse(const Comparison& comparison, double share);

}  // namespace railyard::report
