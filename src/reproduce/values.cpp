#include "reproduce/values.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "reproduce/choices.hpp"

namespace railyard::reproduce {

namespace {

/// `ours` with as many digits behind the point as `paper` needs.
double rounded_like(double paper, double ours) {
    const std::string text = fmt::format("{}", paper);
    const auto point = text.find('.');
    const auto digits = point == std::string::npos ? 0 : text.size() - point - 1;
    const double scale = std::pow(10.0, static_cast<double>(digits));
    return std::round(ours * scale) / scale;
}

}  // namespace

double difference_percent(double paper, double ours, Scale scale) {
    if (scale == Scale::gain) return 100 * ((100 + ours) / (100 + paper) - 1);
    if (paper == 0) return std::abs(ours) <= choice::zero ? 0 : 100;
    return 100 * (ours - paper) / paper;
}

bool prints_as(double paper, double ours) {
    return fmt::format("{:.2f}", paper) == fmt::format("{:.2f}", ours);
}

bool agrees(double paper, Qualifier qualifier, double ours, Scale scale) {
    switch (qualifier) {
        case Qualifier::equal:
        case Qualifier::about:
            // A hair's breadth more, so that a value on the very edge does not hang on the last
            // bit.
            return std::abs(difference_percent(paper, ours, scale)) <=
                   100 * choice::tolerance + 1e-9;
        case Qualifier::less:
            return ours < paper;
        case Qualifier::more:
            return ours > paper;
        case Qualifier::at_most:
            return rounded_like(paper, ours) <= paper;
        case Qualifier::at_least:
            return rounded_like(paper, ours) >= paper;
    }
    return false;
}

}  // namespace railyard::reproduce
