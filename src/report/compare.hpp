#pragma once
/// Results of several files side by side: which rows are of the same thing, where they differ by
/// more than their samples scatter, and which of them is the better one; as tables and as JSON.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "railyard/results/results.hpp"
#include "railyard/results/row.hpp"

namespace railyard::report {

enum class Better : unsigned char {
    lower,
    higher,
    neither,  ///< nobody can say: a share, a ratio of two models
};

/// By the row's unit or, where that does not tell, by its metric.
Better better(const results::Row& row);

enum class Change : unsigned char { none, better, worse, differs };

/// Where rows have no spread, as in virtual time, this share of the larger one is a difference.
inline constexpr double least_difference = 0.001;

/// What became of `before`. The difference counts if it is more than half of both interquartile
/// ranges together, so that the middle halves of the samples stand apart, and more than the least.
Change change(const results::Row& before, const results::Row& after);

/// |after - before| as a share of |before|; infinite if only `before` is 0.
double relative_difference(const results::Row& before, const results::Row& after);

const char* name(Change change);  ///< "better"; empty for none

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

/// Those that may be compared, each group in the order given: the same fabric and MPI in different
/// files before all; then a fabric with several MPIs; then whatever is left.
std::vector<std::vector<Origin>> kindred(std::span<const Origin> origins);

/// Files by the end of their paths that tells them apart: "before", "now"; "may/out", "june/out".
std::vector<std::string> short_names(std::span<const CompareFile> files);

/// Lines above each column: the fabric, the MPI and the rest where columns differ in them, and the
/// file where that does not tell them apart.
std::vector<std::vector<std::string>> headings(std::span<const Origin> columns,
                                               std::span<const std::string> files);

/// Which files there are: their names in the tables, machines, builds and dates.
std::string file_table(std::span<const CompareFile> files);

/// A table for each experiment: a line a thing measured, each column but the first with its ratio
/// to the first and a word where the difference is beyond the spread. With `differences_only`, the
/// lines with such a word alone; empty if there are none.
std::string compare_tables(const Comparison& comparison, std::span<const CompareFile> files,
                           bool differences_only);

/// How many were compared, what came of it, and the rows that nothing stands beside.
std::string compare_summary(const Comparison& comparison, std::span<const CompareFile> files);

/// The same results give the same bytes. docs/results-format.md describes it.
std::string compare_json(const Comparison& comparison, std::span<const CompareFile> files);

}  // namespace railyard::report
