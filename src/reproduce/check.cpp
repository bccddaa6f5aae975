/// Records with a number: as measured, or made of two measurements.

#include "reproduce/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "railyard/base/error.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/record.hpp"
#include "reproduce/shapes.hpp"
#include "reproduce/wanted.hpp"

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

/// How far from what the paper says, the wrong way for a bound: larger is worse.
double distance(const Record& record, double ours) {
    switch (record.qualifier) {
        case Qualifier::less:
        case Qualifier::at_most:
            return ours;
        case Qualifier::more:
        case Qualifier::at_least:
            return -ours;
        default:
            return std::abs(ours - *record.value);
    }
}

/// All must agree; the one that is furthest off stands for them.
Judgement judge(const Record& record, const std::vector<double>& values, Scale scale) {
    const double ours = *std::ranges::max_element(
        values, {}, [&](double value) { return distance(record, value); });
    Judgement out;
    out.right = agrees(*record.value, record.qualifier, ours, scale) ||
                (record.unit == "fraction" && prints_as(*record.value, ours));
    out.ours = ours;
    if (record.qualifier == Qualifier::equal || record.qualifier == Qualifier::about)
        out.difference_percent = difference_percent(*record.value, ours, scale);
    if (values.size() > 1)
        out.numbers = fmt::format("{} to {}", brief(std::ranges::min(values)),
                                  brief(std::ranges::max(values)));
    return out;
}

/// A value made of one series, or of pairs of them.
using Combine = double (*)(double ours, double baseline);

double quotient(double a, double b) {
    return a / b;
}
double gain(double a, double b) {
    return 100 * (a / b - 1);
}
double reduction(double a, double b) {
    return 100 * (1 - a / b);
}

Check pairs(const Record& record, std::vector<Selection> selections, Combine combine, Scale scale) {
    const auto judged = [record, combine, scale](std::span<const Series> series) {
        std::vector<double> values;
        for (std::size_t i = 0; i + 1 < series.size(); i += 2)
            for (std::size_t p = 0; p < series[i].points.size(); ++p)
                values.push_back(combine(series[i].points[p].y, series[i + 1].points[p].y));
        return judge(record, values, scale);
    };
    return {std::move(selections), judged};
}

/// Made of one measurement.
using Reading = std::function<double(double)>;

Check direct(const Record& record, const Reading& reading) {
    Check out;
    for (const System* system : systems_of(record))
        out.selections.push_back(
            selection_of(record, *system, word(record.params, "op").value_or("")));
    out.judge = [record, reading](std::span<const Series> series) {
        std::vector<double> values;
        for (const Series& one : series)
            for (const Point& point : one.points)
                values.push_back(reading(point.y));
        return judge(record, values, Scale::plain);
    };
    return out;
}

/// "infiniband-pcix/vapi"; or "infiniband-pcix/mpi ports=1", which without ports has one as well.
Selection baseline(const Record& record, const std::string& op) {
    const auto words = word(record.params, "baseline").value_or("");
    const std::string slug = words.substr(0, words.find(' '));
    const System* system = find_system(record.seed, slug);
    if (system == nullptr)
        throw Error(fmt::format("record {}: there is no baseline '{}'", record.id, slug));
    Record of = record;
    if (is_mpi(slug)) of.params.erase("ports"), of.params.erase("mode");
    Selection out = selection_of(of, *system, op);
    return slug == words ? out : mpi_variant(out, words.substr(slug.size() + 1));
}

std::vector<Selection> against_baseline(const Record& record) {
    std::vector<Selection> out;
    for (const System* system : systems_of(record))
        for (const std::string& op : operations(record, *system)) {
            out.push_back(selection_of(record, *system, op));
            out.push_back(baseline(record, op));
        }
    return out;
}

/// Two ways over one way, on the same system.
std::vector<Selection> against_one_way(const Record& record) {
    std::vector<Selection> out;
    std::string one_way = record.experiment;
    if (const auto at = one_way.find("-bi-"); at != std::string::npos)
        one_way.replace(at, 4, "-uni-");
    for (const System* system : systems_of(record)) {
        out.push_back(selection_of(record, *system));
        out.push_back(variant(out.back(), one_way, record.seed));
    }
    return out;
}

/// How much the kernels' times differ between the two ways of connecting, on average.
Check average_change(const Record& record) {
    std::vector<Selection> selections;
    for (const System* system : systems_of(record))
        for (const std::string& kernel : kernels_of(record))
            for (const std::string& problem_class : classes_on(*system))
                for (const char* mode : {"on-demand", "static"}) {
                    selections.push_back(mpi_variant(selection_of(record, *system), mode));
                    Selection& added = selections.back();
                    added.where["application"] = kernel;
                    added.where[results::parameter::problem_class] = problem_class;
                    added.over = results::parameter::processes;
                }
    const auto judged = [record](std::span<const Series> series) {
        double sum = 0;
        double count = 0;
        for (std::size_t i = 0; i + 1 < series.size(); i += 2)
            for (std::size_t p = 0; p < series[i].points.size(); ++p, ++count)
                sum += std::abs(gain(series[i].points[p].y, series[i + 1].points[p].y));
        return judge(record, {sum / count}, Scale::plain);
    };
    return {std::move(selections), judged};
}

}  // namespace

std::string_view name(Unchecked why) {
    switch (why) {
        case Unchecked::not_measured:
            return "not measured";
        case Unchecked::in_words:
            return "not checkable";
        case Unchecked::not_a_result:
            return "not a result";
    }
    return "?";
}

std::variant<Check, Unchecked> check_of(const Record& stated, std::span<const Record> all) {
    if (stated.kind == Kind::parameter || stated.kind == Kind::context)
        return Unchecked::not_a_result;
    if (of_other_programs(stated)) return Unchecked::not_measured;
    const Record record = with_reading(stated);
    if (record.kind == Kind::relation && !record.check) return Unchecked::in_words;
    const bool measured = is_user_level(record.experiment) || is_mpi_level(record.experiment);
    if (!measured || systems_of(record).empty()) return Unchecked::not_measured;
    if (record.kind != Kind::relation) return value_check(record);
    if (auto check = relation_check(record, all)) return *std::move(check);
    return Unchecked::in_words;
}

std::string describe(const Relation& relation) {
    const std::string& type = relation.type;
    if (!relation.statement.empty()) return relation.statement + " (our reading)";
    if (type == "formula") return "one less than there are processes";
    if (type == "order" || type == "slope_order")
        return fmt::format(
            "{}: {}", type == "order" ? "order" : "slopes",
            fmt::join(relation.order,
                      type == "order" && relation.better == "higher" ? " > " : " < "));
    if (type == "best") return fmt::format("best: {}", relation.system);
    if (type == "compare") return fmt::format("{} {} {}", relation.lhs, relation.op, relation.rhs);
    if (type == "ratio")
        return fmt::format("{} / {} ~ {}", relation.lhs, relation.rhs,
                           brief(relation.value.value_or(1)));
    if (type == "range")
        return fmt::format("within {} to {}", brief(relation.low.value_or(0)),
                           brief(relation.high.value_or(0)));
    if (type == "reaches_peak")
        return fmt::format("peak with queue {}", brief(relation.queue.value_or(0)));
    std::string out = type;
    if (!relation.direction.empty()) out = relation.direction;
    if (!relation.strength.empty()) out += ", " + relation.strength;
    out += " over " + relation.over;
    if (relation.range)
        out +=
            fmt::format(" {} to {}", brief(relation.range->first), brief(relation.range->second));
    if (relation.after) out += fmt::format(" after {}", brief(*relation.after));
    if (relation.at) out += fmt::format(" at {}", brief(*relation.at));
    if (!relation.at_name.empty()) out += " at " + relation.at_name;
    return out;
}

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

Check value_check(const Record& record) {
    if (record.metric == "latency_reduction")
        return pairs(record, against_baseline(record), reduction, Scale::plain);
    if (record.metric == "bandwidth_gain")
        return pairs(record, against_baseline(record), gain, Scale::gain);
    if (record.metric == "bandwidth_ratio")
        return pairs(record, against_baseline(record), quotient, Scale::plain);
    if (record.metric == "bandwidth_gain_over_uni")
        return pairs(record, against_one_way(record), gain, Scale::gain);
    if (record.metric == "bandwidth_utilization") {
        const auto whole = number(record.params, "of_mb_s");
        if (!whole || *whole <= 0)
            throw Error(fmt::format("record {}: of_mb_s: missing", record.id));
        return direct(record,
                      [whole = static_cast<double>(*whole)](double y) { return 100 * y / whole; });
    }
    if (record.metric == "cpu_time_change_abs_average") return average_change(record);
    if (record.metric == "latency_change")
        return direct(record, [](double ratio) { return 100 * (ratio - 1); });
    if (record.metric == "queue_impact_ratio_ib_to_iwarp")
        return pairs(record, against_baseline(record), quotient, Scale::plain);
    // On MPI both ways together are measured.
    if (record.metric == "bandwidth_per_direction" && is_mpi(record.system))
        return direct(record, [](double both) { return both / 2; });
    return direct(record, [](double y) { return y; });
}

}  // namespace railyard::reproduce
