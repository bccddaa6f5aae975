#include "bench/figure.hpp"

#include <fmt/format.h>

#include <cmath>

namespace railyard::bench {

Verdict judge(const Figure& figure) {
    if (!figure.target) return Verdict::information;
    const Target& target = *figure.target;
    const double value = target.absolute ? figure.ours : figure.ratio.value_or(NAN);
    bool met = false;
    switch (target.kind) {
        case Target::Kind::at_most:
            met = value <= target.value;
            break;
        case Target::Kind::at_least:
            met = value >= target.value;
            break;
        case Target::Kind::within:
            met = std::abs(value - target.value) <= target.tolerance;
            break;
    }
    return met ? Verdict::ok : Verdict::below;
}

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return "ok";
        case Verdict::below:
            return "short";
        case Verdict::information:
            return "-";
    }
    return "?";
}

std::string to_string(const Target& target) {
    switch (target.kind) {
        case Target::Kind::at_most:
            return fmt::format("<= {:g}", target.value);
        case Target::Kind::at_least:
            return fmt::format(">= {:g}", target.value);
        case Target::Kind::within:
            return fmt::format("{:g} +- {:g}", target.value, target.tolerance);
    }
    return "?";
}

}  // namespace railyard::bench
