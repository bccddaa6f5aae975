/// What a verdict is worth: of which class its record is, whether the model was fitted to it, and
/// by how much it holds in the paper; and the account of all of them.

#include <algorithm>
#include <cmath>

#include "reproduce/choices.hpp"
#include "reproduce/verdict.hpp"

namespace railyard::reproduce {

namespace {

/// What is counted rather than timed; a fraction is that of a process' connections in use.
bool is_counted(const Record& record) {
    return record.unit == "VIs" || record.unit == "processes" || record.unit == "fraction";
}

bool is_two_sided(const Record& record) {
    return record.qualifier == Qualifier::equal || record.qualifier == Qualifier::about;
}

/// A parameter of the paper that says the same of the same system as one of its results: the place
/// of a knee is one, and that the curve has its knee there is the other.
bool is_twin(const Record& parameter, const Record& result) {
    return parameter.experiment == result.experiment && parameter.system == result.system &&
           parameter.params == result.params;
}

}  // namespace

std::string_view name(Class of) {
    switch (of) {
        case Class::performance:
            return "performance";
        case Class::bound:
            return "bound";
        case Class::structure:
            return "structure";
        case Class::relation:
            return "relation";
    }
    return "?";
}

Class class_of(const Record& record) {
    if (record.kind == Kind::relation) return Class::relation;
    if (is_counted(record)) return Class::structure;
    return is_two_sided(record) ? Class::performance : Class::bound;
}

std::string_view name(Basis basis) {
    return basis == Basis::fitted ? "fitted" : "predicted";
}

Bases::Bases(std::span<const Record> all, Cited cited) : cited_(std::move(cited)) {
    std::ranges::copy_if(all, std::back_inserter(parameters_),
                         [](const Record& record) { return record.kind == Kind::parameter; });
    for (const Record& record : all) {
        const auto check = check_of(record, all);
        const auto* found = std::get_if<Check>(&check);
        if (found == nullptr || record.kind == Kind::relation || !this->cited(record, *found))
            continue;
        cited_selections_.insert(cited_selections_.end(), found->selections.begin(),
                                 found->selections.end());
    }
}

bool Bases::cited(const Record& record, const Check& check) const {
    return std::ranges::any_of(check.selections, [&](const Selection& selection) {
        const auto found = cited_.find(selection.fabric);
        if (found == cited_.end()) return false;
        return found->second.contains(record.id) ||
               std::ranges::any_of(parameters_, [&](const Record& parameter) {
                   return found->second.contains(parameter.id) && is_twin(parameter, record);
               });
    });
}

Basis Bases::of(const Record& record, const Check& check) const {
    const auto is_cited = [&](const Selection& selection) {
        return std::ranges::any_of(cited_selections_,
                                   [&](const Selection& s) { return same(s, selection); });
    };
    return cited(record, check) || std::ranges::all_of(check.selections, is_cited)
               ? Basis::fitted
               : Basis::predicted;
}

Figures::Figures(std::span<const Record> all) {
    for (const Record& record : all) {
        if (record.kind != Kind::measurement || !is_two_sided(record)) continue;
        const auto check = check_of(record, all);
        const auto* found = std::get_if<Check>(&check);
        if (found != nullptr && found->selections.size() == 1 && record.value)
            values_.emplace_back(found->selections.front(), *record.value);
    }
}

std::optional<double> Figures::margin(const Check& check) const {
    std::vector<Series> series;
    for (const Selection& selection : check.selections) {
        const auto found = std::ranges::find_if(
            values_, [&](const auto& value) { return same(value.first, selection); });
        // Of a curve, the paper's records have single points.
        if (found == values_.end() || selection.sizes.size() > 1) return {};
        series.push_back({selection.label, {{0, found->second}}});
    }
    const Judgement theirs = check.judge(series);
    return theirs.right ? theirs.margin : std::nullopt;
}

bool is_vacuous(const Verdict& verdict) {
    if (class_of(verdict.record) != Class::bound || !verdict.judgement.ours) return false;
    const double nothing = verdict.record.unit == "x" ? 1 : 0;
    const bool has_nothing = verdict.record.unit == "x" || verdict.record.unit == "percent";
    return has_nothing && verdict.record.kind == Kind::ratio &&
           std::abs(*verdict.judgement.ours - nothing) <= choice::noise;
}

Counts::Share Counts::of(Class what) const {
    const Share& fitted = of(what, Basis::fitted);
    const Share& predicted = of(what, Basis::predicted);
    return {fitted.right + predicted.right, fitted.checked + predicted.checked};
}

Counts count(std::span<const Verdict> verdicts) {
    Counts out;
    out.records = verdicts.size();
    double differences = 0;
    for (const Verdict& verdict : verdicts) {
        const Class what = class_of(verdict.record);
        Counts::Share& share =
            out.shares[static_cast<std::size_t>(what)][static_cast<std::size_t>(verdict.basis)];
        if (checked(verdict.outcome)) ++share.checked;
        switch (verdict.outcome) {
            case Outcome::right:
                ++share.right;
                if (is_vacuous(verdict)) ++out.vacuous;
                if (what == Class::performance && verdict.basis == Basis::predicted)
                    differences += std::abs(verdict.judgement.difference_percent.value_or(0));
                break;
            case Outcome::marginal:
                ++out.marginal;
                break;
            case Outcome::off:
                ++out.off;
                break;
            case Outcome::exception:
                ++out.exceptions;
                break;
            case Outcome::come_right:
                ++out.come_right;
                break;
            case Outcome::not_available:
                ++out.not_available;
                break;
            case Outcome::not_reproducible:
                ++out.not_reproducible;
                break;
            case Outcome::not_checkable:
                ++out.not_checkable;
                break;
            case Outcome::not_a_result:
                ++out.not_results;
                break;
        }
    }
    if (const auto right = out.of(Class::performance, Basis::predicted).right; right > 0)
        out.mean_difference = differences / static_cast<double>(right);
    return out;
}

}  // namespace railyard::reproduce
