#pragma once
/// Which of our rows a record speaks of: an experiment on a fabric, with parameters, at some sizes
/// or along another parameter.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "reproduce/shapes.hpp"
#include "results/row.hpp"

namespace railyard::reproduce {

struct Selection {
    std::string experiment{};
    std::string fabric{};
    std::string metric{};
    /// A row that has the parameter must have this value; one that has not is taken.
    results::Parameters where{};
    std::vector<std::int64_t> sizes{};  ///< along `over`, exactly one
    std::string over = results::parameter::message_bytes;
    std::optional<std::pair<double, double>> range{};  ///< of `over`, both included
    bool last_only = false;                            ///< only the largest value of `over`
    bool percent = true;                               ///< ratios are read as percent
    std::string label{};                               ///< what people read beside its numbers

    /// The same rows, whatever they are called.
    friend bool same(const Selection& a, const Selection& b);
};

/// What there was instead of points.
struct Unavailable {
    std::string reason;
};

/// The points that the rows give. Two rows for one place are an error, not a choice.
std::variant<Series, Unavailable> select(std::span<const results::Row> rows,
                                         const Selection& selection);

}  // namespace railyard::reproduce
