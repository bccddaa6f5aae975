#include "reproduce/check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reproduce/mpi_wanted.hpp"
#include "reproduce/number.hpp"
#include "reproduce/readings.hpp"
#include "reproduce/systems.hpp"

namespace railyard::reproduce {

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

}  // namespace railyard::reproduce
