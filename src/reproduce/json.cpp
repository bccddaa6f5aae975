#include <fmt/format.h>

#include "reproduce/choices.hpp"
#include "reproduce/show.hpp"
#include "results/json.hpp"

namespace railyard::reproduce {

namespace {

using results::Json;

Json parameters_json(const results::Parameters& parameters) {
    Json out = Json::object();
    for (const auto& [name, value] : parameters)
        std::visit([&, &key = name](const auto& v) { out[key] = v; }, value);
    return out;
}

/// One word a verdict; what was not to be checked says why in its reason.
std::string_view outcome_word(Outcome outcome) {
    switch (outcome) {
        case Outcome::right:
            return "holds";
        case Outcome::off:
            return "off";
        case Outcome::exception:
            return "excepted";
        case Outcome::come_right:
            return "come-right";
        case Outcome::not_available:
            return "not-available";
        default:
            return "not-run";
    }
}

void add_published(Json& out, const Record& record) {
    if (record.check) out["statement"] = describe(*record.check);
    if (!record.value) return;
    out["published"] = *record.value;
    out["unit"] = record.unit;
    out["qualifier"] = std::string(name(record.qualifier));
}

void add_found(Json& out, const Verdict& verdict) {
    const Judgement& judgement = verdict.judgement;
    if (verdict.fabrics.size() == 1) out["fabric"] = verdict.fabrics.front();
    out["fabrics"] = verdict.fabrics;
    if (!verdict.place.empty()) out["place"] = parameters_json(verdict.place);
    out["basis"] = std::string(name(verdict.basis));
    if (judgement.ours) out["ours"] = *judgement.ours;
    if (judgement.difference_percent) out["difference"] = *judgement.difference_percent / 100;
    if (!judgement.numbers.empty()) out["numbers"] = judgement.numbers;
}

Json verdict_json(const Verdict& verdict) {
    const Record& record = verdict.record;
    Json out{{"id", record.id},
             {"paper", record.seed},
             {"where", record.where},
             {"experiment", record.experiment},
             {"kind", std::string(name(record.kind))},
             {"system", record.system},
             {"metric", record.metric},
             {"params", parameters_json(record.params)}};
    add_published(out, record);
    if (checked(verdict.outcome)) add_found(out, verdict);
    out["verdict"] = std::string(outcome_word(verdict.outcome));
    if (!verdict.reason.empty())
        out["reason"] = verdict.reason;
    else if (!checked(verdict.outcome))
        out["reason"] = std::string(name(verdict.outcome));
    return out;
}

Json counts_json(const Counts& counts) {
    return {{"records", counts.records},
            {"values_fitted", counts.fitted},
            {"values_predicted", counts.predicted},
            {"relations", counts.relations},
            {"exceptions", counts.exceptions},
            {"off", counts.off},
            {"come_right", counts.come_right},
            {"not_available", counts.not_available},
            {"not_checkable", counts.not_checkable},
            {"not_reproducible", counts.not_reproducible},
            {"not_results", counts.not_results}};
}

template <class Items, class Line>
std::string lines(const Items& items, Line line) {
    std::string out;
    for (const auto& item : items)
        out += fmt::format("{}\n    {}", out.empty() ? "" : ",", line(item));
    return out.empty() ? "[]" : "[" + out + "\n  ]";
}

}  // namespace

std::string to_json(std::span<const Verdict> verdicts, std::span<const results::Row> rows) {
    const Counts counts = count(verdicts);
    return fmt::format(
        "{{\n  \"schema\": {},\n  \"summary\": {},\n  \"tolerance_percent\": {},\n"
        "  \"counts\": {},\n  \"records\": {},\n  \"rows\": {}\n}}\n",
        verdict_schema, Json(summary(counts)).dump(), 100 * choice::tolerance,
        counts_json(counts).dump(),
        lines(verdicts, [](const Verdict& verdict) { return verdict_json(verdict).dump(); }),
        lines(rows, [](const results::Row& row) { return results::to_json_line(row); }));
}

}  // namespace railyard::reproduce
