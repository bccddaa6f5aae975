#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/table.hpp"
#include "reproduce/sensitivity.hpp"
#include "reproduce/shapes.hpp"
#include "results/json.hpp"

namespace railyard::reproduce {

namespace {

using report::Align;
using results::Json;

/// "2 flip"; what moves and does not flip is told by how much.
std::string effect_text(const Effect& effect) {
    if (!effect.failure.empty()) return "no such machine";
    if (!effect.flips.empty()) return fmt::format("{} flip", effect.flips.size());
    return effect.moved ? percent(effect.largest) : "-";
}

/// "liu04.latency.gm: right -> off"
std::string flip_text(const Flip& flip) {
    return fmt::format("{}: {} -> {}", flip.id, name(flip.before), name(flip.after));
}

std::string flip_table(std::span<const Sensitivity> all) {
    report::Table table;
    for (const char* header : {"number", "value", "evidence"})
        table.add_column({header}, Align::left);
    table.add_column({"10 %", "less"}, Align::left);
    table.add_column({"10 %", "more"}, Align::left);
    table.add_column({"verdicts that flip"}, Align::left);
    for (const Sensitivity& one : all) {
        if (!one.flips()) continue;
        std::vector<std::string> flips;
        for (const Flip& flip : one.less.flips)
            flips.push_back("less: " + flip_text(flip));
        for (const Flip& flip : one.more.flips)
            flips.push_back("more: " + flip_text(flip));
        table.add_row({one.number.name(), one.number.value,
                       std::string(fabric::name(one.number.evidence)), effect_text(one.less),
                       effect_text(one.more), flips.front()});
        for (std::size_t i = 1; i < flips.size(); ++i)
            table.add_row({"", "", "", "", "", flips[i]});
    }
    return table.text();
}

/// "quadrics: elan.check (3.1 %), elan.event (0.4 %)", a line a profile.
template <class Wanted, class Text>
std::string by_profile(std::span<const Sensitivity> all, Wanted wanted, Text text) {
    std::vector<std::pair<std::string, std::string>> lines;
    for (const Sensitivity& one : all) {
        if (!wanted(one)) continue;
        const Number& number = one.number;
        if (lines.empty() || lines.back().first != number.profile)
            lines.emplace_back(number.profile, "");
        std::string& line = lines.back().second;
        line += fmt::format("{}{}{}", line.empty() ? "" : ", ", number.path(), text(one));
    }
    std::string out;
    for (const auto& [profile, line] : lines)
        out += fmt::format("  {}: {}\n", profile, line);
    return out;
}

Json effect_json(const Effect& effect) {
    Json out{{"value", effect.value}};
    if (!effect.failure.empty()) {
        out["failure"] = effect.failure;
        return out;
    }
    out["moved"] = effect.moved;
    if (!effect.record.empty()) {
        out["largest"] = effect.largest;
        out["record"] = effect.record;
    }
    out["flips"] = Json::array();
    for (const Flip& flip : effect.flips)
        out["flips"].push_back({{"id", flip.id},
                                {"before", std::string(name(flip.before))},
                                {"after", std::string(name(flip.after))}});
    return out;
}

}  // namespace

std::string tables(std::span<const Sensitivity> all) {
    const auto moves = [](const Sensitivity& s) { return !s.flips() && s.moves(); };
    const auto nothing = [](const Sensitivity& s) {
        return !s.flips() && !s.moves() && !s.fails();
    };
    const auto fails = [](const Sensitivity& s) { return s.fails(); };
    const auto flipping = std::ranges::count_if(all, &Sensitivity::flips);
    const auto largest = [](const Sensitivity& s) {
        return fmt::format(" ({})", percent(std::max(s.less.largest, s.more.largest)));
    };
    const auto silent = [](const Sensitivity&) { return ""; };
    std::string out = fmt::format(
        "sensitivity: {} fitted or assumed numbers, each 10 % less and 10 % more\n\n", all.size());
    if (flipping > 0) out += flip_table(all) + "\n";
    out += fmt::format("{} flip a verdict\n", flipping);
    out += fmt::format("{} move figures, by so much at most, and flip no verdict:\n{}",
                       std::ranges::count_if(all, moves), by_profile(all, moves, largest));
    out += fmt::format("{} matter to nothing that is measured:\n{}",
                       std::ranges::count_if(all, nothing), by_profile(all, nothing, silent));
    if (std::ranges::any_of(all, fails))
        out += fmt::format("{} make no machine that can be built:\n{}",
                           std::ranges::count_if(all, fails), by_profile(all, fails, silent));
    return out;
}

std::string to_json(std::span<const Sensitivity> all) {
    std::string out;
    for (const Sensitivity& one : all) {
        const Number& number = one.number;
        const Json json{{"profile", number.profile},
                        {"key", number.path()},
                        {"value", number.value},
                        {"evidence", std::string(fabric::name(number.evidence))},
                        {"fabrics", number.fabrics},
                        {"less", effect_json(one.less)},
                        {"more", effect_json(one.more)}};
        out += fmt::format("{}\n    {}", out.empty() ? "" : ",", json.dump());
    }
    return out.empty() ? "[]" : "[" + out + "\n  ]";
}

}  // namespace railyard::reproduce
