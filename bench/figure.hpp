#pragma once
/// A figure of merit: a number of ours, the reference that was measured beside it, and what the
/// project holds itself to.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace railyard::bench {

struct Target {
    enum class Kind { at_most, at_least, within };
    Kind kind;
    double value;          ///< the ratio; for an absolute target, ours itself
    double tolerance = 0;  ///< within: value ± tolerance
    bool absolute = false;
};

struct Figure {
    std::string name;  ///< "rdma-write/64K"
    std::string unit;
    double ours = 0;
    std::optional<double> reference{};
    /// Not quite ours / reference: the median of the rounds' own ratios, since the two sides of one
    /// round have seen the same disturbances.
    std::optional<double> ratio{};
    std::optional<Target> target{};  ///< none: for information
    std::string note{};              ///< where, or which, in a few words
};

enum class Verdict { ok, below, information };
Verdict judge(const Figure& figure);

std::string_view name(Verdict verdict);  ///< "ok", "short", "-"
std::string to_string(const Target& target);

using Report = std::function<void(const Figure&)>;

}  // namespace railyard::bench
