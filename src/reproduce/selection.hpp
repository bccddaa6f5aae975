#pragma once
/// Which of our rows a record speaks of: an experiment on a fabric, with parameters, at some sizes
/// or along another parameter; and how what all selections need is measured: each experiment once
/// on each fabric, with all that any of them asks for, and nothing more.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/core/plan.hpp"
#include "railyard/results/row.hpp"
#include "reproduce/shapes.hpp"

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
    std::int64_t most_processes = 0;                   ///< 0: any number
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

struct Want {
    std::string experiment{};
    std::string fabric{};
    std::set<std::int64_t> sizes{};
    std::set<std::string> ops{};
    std::set<std::int64_t> queues{};
    std::int64_t most_processes = 0;  ///< 0: any number
};

/// One a pair of experiment and fabric, in the order in which they first occur.
std::vector<Want> wants(std::span<const Selection> selections);

struct Measured {
    std::vector<results::Row> rows{};
    /// What could not be measured, by experiment and fabric, and why.
    std::map<std::pair<std::string, std::string>, std::string> failures{};
};

/// Hears what is being done. May be empty.
using Progress = std::function<void(std::string_view)>;

/// Never throws for an experiment or a fabric that is not there, or that fails: it is a failure.
/// Throws experiments::Stopped where a signal ended the work, or time was up.
Measured measure(std::span<const Want> wants, const Progress& progress,
                 const experiments::Carrying& how = {});

}  // namespace railyard::reproduce
