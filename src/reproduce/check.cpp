#include "reproduce/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reproduce/number.hpp"
#include "reproduce/systems.hpp"

namespace railyard::reproduce {

namespace {

bool of_mpi(const Record& record) {
    if (record.experiment.starts_with("mech.") || record.experiment.starts_with("testbed."))
        return false;
    return !is_user_level(record.experiment) || is_mpi(record.system);
}

}  // namespace

std::string_view name(Unchecked why) {
    switch (why) {
        case Unchecked::needs_mpi:
            return "needs MPI";
        case Unchecked::not_measured:
            return "not measured";
        case Unchecked::in_words:
            return "not checkable";
        case Unchecked::not_a_result:
            return "not a result";
    }
    return "?";
}

std::variant<Check, Unchecked> check_of(const Record& record, std::span<const Record> all) {
    if (record.kind == Kind::parameter || record.kind == Kind::context)
        return Unchecked::not_a_result;
    if (of_mpi(record)) return Unchecked::needs_mpi;
    if (record.kind == Kind::relation && !record.check) return Unchecked::in_words;
    if (!is_user_level(record.experiment) || systems_of(record.seed, record.system).empty())
        return Unchecked::not_measured;
    if (record.kind != Kind::relation) return value_check(record);
    if (auto check = relation_check(record, all)) return *std::move(check);
    return Unchecked::in_words;
}

std::string describe(const Relation& relation) {
    const std::string& type = relation.type;
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
    return out;
}

}  // namespace railyard::reproduce
