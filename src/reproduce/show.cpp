#include "reproduce/verdict.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/report.hpp"
#include "report/table.hpp"
#include "reproduce/choices.hpp"
#include "reproduce/shapes.hpp"
#include "results/json.hpp"

namespace railyard::reproduce {

namespace {

using report::Align;

std::string unit_of(const Record& record) {
    if (record.unit == "percent") return " %";
    if (record.unit == "x") return "";
    return " " + record.unit;
}

std::string ours(const Verdict& verdict) {
    const auto& value = verdict.judgement.ours;
    return value ? report::short_number(*value) : "";
}

std::string difference(const Verdict& verdict) {
    const auto& value = verdict.judgement.difference_percent;
    // Never "-0.0 %".
    return value ? fmt::format("{:+.1f} %", std::abs(*value) < 0.05 ? 0.0 : *value) : "";
}

std::string verdict_word(const Verdict& verdict) {
    const bool relation = verdict.record.kind == Kind::relation;
    if (verdict.outcome == Outcome::right)
        return relation ? "holds" : is_vacuous(verdict) ? "right, vacuous" : "right";
    if (verdict.outcome == Outcome::off) return relation ? "FAILS" : "OFF";
    if (verdict.outcome == Outcome::come_right) return "COME RIGHT";
    return std::string(name(verdict.outcome));
}

/// By how much a relation holds, and in the paper: "3.2 % of 17.1 %".
std::string margin(const Verdict& verdict) {
    if (!verdict.judgement.margin) return "";
    return percent(*verdict.judgement.margin) +
           (verdict.paper_margin ? " of " + percent(*verdict.paper_margin) : "");
}

std::string remark(const Verdict& verdict) {
    std::string out;
    const auto add = [&](std::string_view text) {
        if (!text.empty()) out += (out.empty() ? "" : "; ") + std::string(text);
    };
    add(verdict.judgement.numbers);
    if (!verdict.steady) add("rests on a rate that is not steady");
    add(verdict.reason);
    return out;
}

report::Table new_table() {
    report::Table table;
    table.add_column({"record"}, Align::left);
    table.add_column({"system"}, Align::left);
    table.add_column({"paper"}, Align::left);
    table.add_column({"ours"}, Align::point);
    table.add_column({"difference"}, Align::point);
    table.add_column({"margin"}, Align::left);
    table.add_column({"class"}, Align::left);
    table.add_column({"basis"}, Align::left);
    table.add_column({"verdict"}, Align::left);
    table.add_column({""}, Align::left);
    return table;
}

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
}

/// ", 12 exceptions"; nothing for none.
std::string part(std::size_t n, std::string_view one, std::string_view many) {
    return n == 0 ? "" : ", " + counted(n, one, many);
}

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
        case Outcome::marginal:
            return "marginal";
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
    out["class"] = std::string(name(class_of(verdict.record)));
    out["basis"] = std::string(name(verdict.basis));
    if (is_vacuous(verdict)) out["vacuous"] = true;
    if (!verdict.steady) out["steady"] = false;
    if (judgement.margin) out["margin"] = *judgement.margin;
    if (verdict.paper_margin) out["published_margin"] = *verdict.paper_margin;
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
    Json out{{"records", counts.records}};
    for (const Class what : {Class::performance, Class::bound, Class::structure, Class::relation})
        for (const Basis basis : {Basis::predicted, Basis::fitted}) {
            const Counts::Share& share = counts.of(what, basis);
            out[fmt::format("{}_{}", name(what), name(basis))] = {{"right", share.right},
                                                                  {"checked", share.checked}};
        }
    out["mean_difference"] = counts.mean_difference / 100;
    out["vacuous"] = counts.vacuous;
    out["marginal"] = counts.marginal;
    out["exceptions"] = counts.exceptions;
    out["off"] = counts.off;
    out["come_right"] = counts.come_right;
    out["not_available"] = counts.not_available;
    out["not_checkable"] = counts.not_checkable;
    out["not_reproducible"] = counts.not_reproducible;
    out["not_results"] = counts.not_results;
    return out;
}

/// "; bounds 13 of 15"; nothing where none was checked.
std::string share(std::string_view what, const Counts::Share& share) {
    return share.checked == 0 ? "" : fmt::format("; {} {} of {}", what, share.right, share.checked);
}

template <class Items, class Line>
std::string lines(const Items& items, Line line) {
    std::string out;
    for (const auto& item : items)
        out += fmt::format("{}\n    {}", out.empty() ? "" : ",", line(item));
    return out.empty() ? "[]" : "[" + out + "\n  ]";
}

}  // namespace

std::string stated(const Record& record) {
    if (record.check) return describe(*record.check);
    if (!record.value) return "";
    return fmt::format("{} {}{}", name(record.qualifier), brief(*record.value), unit_of(record));
}

std::string tables(std::span<const Verdict> verdicts) {
    std::string out;
    std::string title;
    report::Table table = new_table();
    const auto flush = [&] {
        if (!title.empty()) out += fmt::format("{}\n{}\n", title, table.text());
        table = new_table();
    };
    for (const Verdict& verdict : verdicts) {
        if (!checked(verdict.outcome)) continue;
        const Record& record = verdict.record;
        const std::string here = record.seed + ": " + record.experiment;
        if (here != title) flush();
        title = here;
        table.add_row({record.id, record.system, stated(record), ours(verdict), difference(verdict),
                       margin(verdict), std::string(name(class_of(record))),
                       std::string(name(verdict.basis)), verdict_word(verdict), remark(verdict)});
    }
    flush();
    return out;
}

namespace {

/// Which fabrics it is measured on, or in parentheses why on none.
std::string where(const Task& task) {
    const auto* check = std::get_if<Check>(&task.check);
    if (check == nullptr) return fmt::format("({})", name(std::get<Unchecked>(task.check)));
    std::string on;
    for (const Want& want : wants(check->selections))
        if (on.find(want.fabric) == std::string::npos) on += (on.empty() ? "" : ", ") + want.fabric;
    return on;
}

}  // namespace

std::string list_as_json(std::span<const Task> tasks) {
    results::Json all = results::Json::array();
    for (const Task& task : tasks) {
        results::Json one;
        one["record"] = task.record.id;
        one["experiment"] = task.record.experiment;
        one["system"] = task.record.system;
        one["paper"] = stated(task.record);
        one["measured_on"] = where(task);
        all.push_back(std::move(one));
    }
    return all.dump(2, ' ', false, results::Json::error_handler_t::replace) + "\n";
}

std::string list(std::span<const Task> tasks) {
    report::Table table;
    for (const char* header : {"record", "experiment", "system", "paper", "measured on"})
        table.add_column({header}, Align::left);
    for (const Task& task : tasks) {
        const Record& record = task.record;
        table.add_row({record.id, record.experiment, record.system, stated(record), where(task)});
    }
    return table.text();
}

std::string summary(const Counts& c) {
    const Counts::Share& predicted = c.of(Class::performance, Basis::predicted);
    std::string out;
    if (predicted.checked > 0)
        out = fmt::format("; {} of {} performance predictions within {:.0f} %", predicted.right,
                          predicted.checked, 100 * choice::tolerance);
    if (predicted.right > 0) out += fmt::format(" ({:.2f} % off on average)", c.mean_difference);
    out += share("fitted figures", c.of(Class::performance, Basis::fitted));
    out += share("bounds", c.of(Class::bound)) + part(c.vacuous, "vacuous", "vacuous");
    out += share("counts", c.of(Class::structure));
    out += share("relations", c.of(Class::relation)) + part(c.marginal, "marginal", "marginal");
    out += fmt::format("; {} off", c.off);
    out += part(c.exceptions, "exception", "exceptions");
    out += part(c.come_right, "exception that has come right", "exceptions that have come right");
    out += part(c.not_available, "not available", "not available");
    std::string rest = part(c.not_checkable, "relation in words", "relations in words");
    rest += part(c.not_reproducible, "not reproducible", "not reproducible");
    rest += part(c.not_results, "parameter or remark", "parameters and remarks");
    if (!rest.empty())
        out += fmt::format("; not checked of {}: {}", counted(c.records, "record", "records"),
                           rest.substr(2));
    return out.substr(2);
}

std::string to_json(std::span<const Verdict> verdicts, std::span<const results::Row> rows,
                    const std::string& sensitivity) {
    const Counts counts = count(verdicts);
    return fmt::format(
        "{{\n  \"schema\": {},\n  \"summary\": {},\n  \"tolerance_percent\": {},\n"
        "  \"counts\": {},\n  \"records\": {},\n{}  \"rows\": {}\n}}\n",
        verdict_schema, Json(summary(counts)).dump(), 100 * choice::tolerance,
        counts_json(counts).dump(),
        lines(verdicts, [](const Verdict& verdict) { return verdict_json(verdict).dump(); }),
        sensitivity.empty() ? "" : fmt::format("  \"sensitivity\": {},\n", sensitivity),
        lines(rows, [](const results::Row& row) { return results::to_json_line(row); }));
}

}  // namespace railyard::reproduce
