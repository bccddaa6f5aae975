#pragma once
/// The rows of one experiment and one unit, as one table: what they have in common, and what tells
/// their columns apart.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/row.hpp"

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

}  // namespace railyard::report
