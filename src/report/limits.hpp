#pragma once
/// Which physical limit stands beside a result: the raw code that does the same on this machine,
/// with no library between.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "results/row.hpp"

namespace railyard::report {

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
