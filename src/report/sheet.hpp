#pragma once
/// The rows of one experiment and one unit, as one table: what they have in common, what tells
/// their columns apart, and which physical limit stands beside them.

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "railyard/results/row.hpp"

namespace railyard::report {

class Sheet {
  public:
    /// The rows must outlive it; there is at least one.
    explicit Sheet(std::vector<const results::Row*> rows);

    const std::vector<const results::Row*>& rows() const { return rows_; }
    /// "latency-uni on shm: latency (us), memory nic": all that is the same everywhere.
    const std::string& title() const { return title_; }
    /// What varies: "op", "queue". Sizes are not among them.
    const std::vector<std::string>& dimensions() const { return dimensions_; }
    /// A row's value in each dimension: "rdma_write", "8".
    std::vector<std::string> values(const results::Row& row) const;
    /// The same as lines above a column, where no name stands beside: "rdma_write", "queue 8".
    std::vector<std::string> heading(const results::Row& row) const;

  private:
    std::vector<const results::Row*> rows_;
    std::vector<std::string> dimensions_;
    std::string title_;
};

/// One sheet an experiment and unit, in the order in which they first occur.
std::vector<Sheet> sheets(std::span<const results::Row> rows);

/// The message size of a row that has one.
std::optional<std::int64_t> message_bytes(const results::Row& row);

struct Limit {
    std::string metric;  ///< which: "copy"
    double value = 0;    ///< in the unit of the row that it bounds
};

/// The rows of `limits` among others, and which row is bounded by which.
class Limits {
  public:
    explicit Limits(std::span<const results::Row> rows);

    /// Null if the row has no such limit, or if it was not measured at that size.
    const Limit* of(const results::Row& row) const;

  private:
    using Key = std::pair<std::string, std::int64_t>;  ///< metric and message size
    std::map<Key, Limit> limits_;
};

/// The experiment whose rows are limits.
inline constexpr std::string_view limits_experiment = "limits";

}  // namespace railyard::report
