#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "mpi/traces/summary.hpp"
#include "results/json.hpp"

namespace railyard::mpi::traces {

namespace {

// A matrix of more rows than this does not fit a screen: ranks are put together.
constexpr int most_rows = 16;
constexpr std::size_t most_lines = 10;

std::string_view name_of(Wait::Why why) {
    switch (why) {
        case Wait::Why::late_sender:
            return "late sender";
        case Wait::Why::late_receiver:
            return "late receiver";
        case Wait::Why::collective:
            return "collective";
    }
    return "";
}

/// What times are told in: as suits the whole.
struct Unit {
    explicit Unit(const Summary& summary) {
        if (summary.elapsed < Duration::ms(100)) return;
        name = "ms";
        microseconds = 1000;
    }
    std::string operator()(Duration time) const {
        return fmt::format("{:.3f}", time.microseconds() / microseconds);
    }
    const char* name = "us";
    double microseconds = 1;
};

std::string percent(Duration part, Duration whole) {
    return whole > Duration() ? fmt::format("{:.1f} %", 100 * (part / whole)) : "-";
}

/// "64 KiB", exact for powers of two.
std::string size_name(std::uint64_t bytes) {
    constexpr std::array<const char*, 4> units{"B", "KiB", "MiB", "GiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit)
        bytes /= 1024;
    return fmt::format("{} {}", bytes, units[unit]);
}

/// Ranks in as many groups as there is room for.
struct Groups {
    int ranks;
    int each;

    explicit Groups(int n) : ranks(n), each(std::max(1, (n + most_rows - 1) / most_rows)) {}
    int count() const { return (ranks + each - 1) / each; }
    int of(int rank) const { return rank / each; }
    std::string name(int group) const {
        const int last = std::min(ranks, (group + 1) * each) - 1;
        return each == 1 ? std::to_string(group) : fmt::format("{}-{}", group * each, last);
    }
};

std::string matrix(const Summary& summary, const char* title, std::uint64_t Amount::*value) {
    const Groups groups(static_cast<int>(summary.ranks.size()));
    const auto n = static_cast<std::size_t>(groups.count());
    std::vector<std::uint64_t> cells(n * n);
    for (const Pair& pair : summary.pairs)
        cells[static_cast<std::size_t>(groups.of(pair.from)) * n +
              static_cast<std::size_t>(groups.of(pair.to))] += pair.users.*value;
    std::size_t width = 6;
    for (const std::uint64_t cell : cells)
        width = std::max(width, std::to_string(cell).size() + 2);
    for (int i = 0; i < groups.count(); ++i)
        width = std::max(width, groups.name(i).size() + 2);
    std::string text = fmt::format("{:<12}", title);
    for (int i = 0; i < groups.count(); ++i)
        text += fmt::format("{:>{}}", groups.name(i), width);
    text += '\n';
    for (std::size_t row = 0; row < n; ++row) {
        text += fmt::format("  from {:<5}", groups.name(static_cast<int>(row)));
        for (std::size_t column = 0; column < n; ++column) {
            const std::uint64_t cell = cells[row * n + column];
            text += fmt::format("{:>{}}", cell == 0 ? "." : std::to_string(cell), width);
        }
        text += '\n';
    }
    return text;
}

std::string library_line(const Summary& summary) {
    Amount all;
    for (const Pair& pair : summary.pairs) {
        all.messages += pair.librarys.messages;
        all.bytes += pair.librarys.bytes;
    }
    if (all.messages == 0) return "";
    return fmt::format("  and {} messages ({} bytes) of which collectives were made\n",
                       all.messages, all.bytes);
}

std::string sizes(const Summary& summary) {
    std::string text = fmt::format("{:<12}{:>12}{:>16}\n", "sizes from", "messages", "bytes");
    for (const SizeClass& size : summary.sizes)
        text += fmt::format("  {:<10}{:>12}{:>16}\n", size_name(size.least), size.amount.messages,
                            size.amount.bytes);
    return text;
}

std::string rank_line(const std::string& name, const RankTime& time, const Unit& unit) {
    return fmt::format("  {:<8}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n", name,
                       unit(time.start_up), unit(time.computing), unit(time.in_mpi),
                       unit(time.connecting), unit(time.late_sender), unit(time.late_receiver),
                       unit(time.collective), unit(time.caused));
}

std::string load(const Summary& summary, const Unit& unit) {
    std::string text = fmt::format(
        "{:<10}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}{:>12}\n{:<10}{:>12}{:>12}{:>12}{:>12}"
        "{:>12}{:>12}{:>12}{:>12}\n",
        fmt::format("time, {}", unit.name), "", "", "", "of it", "waiting for", "waiting for",
        "in collec-", "others lost", "  rank", "start-up", "computing", "in MPI", "connecting",
        "senders", "receivers", "tives", "by it");
    std::vector<std::size_t> shown(summary.ranks.size());
    for (std::size_t i = 0; i < shown.size(); ++i)
        shown[i] = i;
    if (shown.size() > most_rows) {
        // Those that compute longest, and those for whom others wait.
        std::ranges::stable_sort(shown, [&](std::size_t a, std::size_t b) {
            return summary.ranks[a].caused > summary.ranks[b].caused;
        });
        shown.resize(most_rows);
    }
    for (const std::size_t rank : shown)
        text += rank_line(std::to_string(rank), summary.ranks[rank], unit);
    if (shown.size() < summary.ranks.size())
        text += fmt::format("  ... the {} ranks that others lost most by; JSON has all {}\n",
                            shown.size(), summary.ranks.size());
    return text + fmt::format("  imbalance of computing: {:.3f} (the longest to the mean)\n",
                              summary.imbalance());
}

std::string waits(const Summary& summary, const Unit& unit) {
    if (summary.waits.empty()) return "Nobody waited for a rank that was late.\n";
    std::string text = fmt::format("{:<18}{:>8}{:>8}{:>10}{:>14}{:>12}\n", "late", "waited", "for",
                                   "times", fmt::format("lost, {}", unit.name), "of elapsed");
    std::size_t lines = 0;
    for (const WaitPair& pair : summary.waits) {
        if (++lines > most_lines) break;
        text +=
            fmt::format("  {:<16}{:>8}{:>8}{:>10}{:>14}{:>12}\n", name_of(pair.why), pair.rank,
                        pair.by, pair.times, unit(pair.lost), percent(pair.lost, summary.elapsed));
    }
    if (summary.waits.size() > most_lines)
        text +=
            fmt::format("  ... and {} pairs of ranks more\n", summary.waits.size() - most_lines);
    return text;
}

std::string collectives(const Summary& summary, const Unit& unit) {
    if (summary.collectives.empty()) return "";
    std::string text =
        fmt::format("\n{:<26}{:<20}{:>8}{:>14}{:>14}{:>14}\n", "collective", "by", "calls", "bytes",
                    fmt::format("{}, all", unit.name), "of it waiting");
    for (const CollectiveTime& one : summary.collectives)
        text += fmt::format("  {:<24}{:<20}{:>8}{:>14}{:>14}{:>14}\n", one.function,
                            one.algorithm.empty() ? "-" : one.algorithm, one.calls, one.bytes,
                            unit(one.time), unit(one.waited));
    return text;
}

std::string functions(const Summary& summary, const Unit& unit) {
    std::string text = fmt::format("{:<26}{:>12}{:>14}{:>12}\n", "in MPI", "calls",
                                   fmt::format("{}, all", unit.name), "us a call");
    std::size_t lines = 0;
    for (const FunctionTime& one : summary.functions) {
        if (++lines > 2 * most_lines) break;
        text +=
            fmt::format("  {:<24}{:>12}{:>14}{:>12.3f}\n", one.function, one.calls, unit(one.time),
                        one.time.microseconds() / static_cast<double>(one.calls));
    }
    return text;
}

std::string list_of(const std::vector<int>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size() && i < most_lines; ++i)
        text += fmt::format("{}{}", i == 0 ? "" : ", ", ranks[i]);
    return ranks.size() > most_lines ? text + ", ..." : text;
}

std::string warnings(const Summary& summary) {
    std::string text;
    if (!summary.ended_early.empty())
        text += fmt::format("These ranks never came to MPI_Finalize: {}.\n",
                            list_of(summary.ended_early));
    if (!summary.incomplete.empty())
        text += fmt::format(
            "The memory for records was full in these ranks: {}. What came later is missing.\n",
            list_of(summary.incomplete));
    return text;
}

using results::Json;

Json amount(const Amount& value) {
    Json json;
    json["messages"] = value.messages;
    json["bytes"] = value.bytes;
    return json;
}

Json rank_json(std::size_t rank, const RankTime& time) {
    Json json;
    json["rank"] = rank;
    json["start_up_seconds"] = time.start_up.seconds();
    json["shut_down_seconds"] = time.shut_down.seconds();
    json["computing_seconds"] = time.computing.seconds();
    json["mpi_seconds"] = time.in_mpi.seconds();
    json["connecting_seconds"] = time.connecting.seconds();
    json["late_sender_seconds"] = time.late_sender.seconds();
    json["late_receiver_seconds"] = time.late_receiver.seconds();
    json["collective_wait_seconds"] = time.collective.seconds();
    json["caused_seconds"] = time.caused.seconds();
    return json;
}

}  // namespace

std::string details_of(const Summary& summary) {
    const Unit unit(summary);
    std::string text;
    if (summary.pairs.empty())
        text += "No messages between ranks.\n\n";
    else
        text += matrix(summary, "messages to", &Amount::messages) +
                matrix(summary, "bytes to", &Amount::bytes) + library_line(summary) + "\n" +
                sizes(summary) + "\n";
    return text + load(summary, unit) + "\n" + waits(summary, unit) + collectives(summary, unit);
}

std::string text_of(const Summary& summary) {
    const Unit unit(summary);
    const std::string heading = fmt::format(
        "{} rank{} on {} host{}: {} {}\n{}\n", summary.ranks.size(),
        summary.ranks.size() == 1 ? "" : "s", summary.hosts, summary.hosts == 1 ? "" : "s",
        unit(summary.elapsed), unit.name, warnings(summary));
    return heading + details_of(summary) + "\n" + functions(summary, unit);
}

std::string json_of(const Summary& summary) {
    Json json;
    json["ranks"] = summary.ranks.size();
    json["hosts"] = summary.hosts;
    json["elapsed_seconds"] = summary.elapsed.seconds();
    json["imbalance"] = summary.imbalance();
    json["ended_early"] = Json(summary.ended_early);
    json["incomplete"] = Json(summary.incomplete);
    json["messages"] = Json::array();
    for (const Pair& pair : summary.pairs) {
        Json one;
        one["from"] = pair.from;
        one["to"] = pair.to;
        one["users"] = amount(pair.users);
        one["librarys"] = amount(pair.librarys);
        json["messages"].push_back(std::move(one));
    }
    json["sizes"] = Json::array();
    for (const SizeClass& size : summary.sizes) {
        Json one = amount(size.amount);
        one["from_bytes"] = size.least;
        json["sizes"].push_back(std::move(one));
    }
    json["rank_times"] = Json::array();
    for (std::size_t i = 0; i < summary.ranks.size(); ++i)
        json["rank_times"].push_back(rank_json(i, summary.ranks[i]));
    json["waits"] = Json::array();
    for (const WaitPair& pair : summary.waits) {
        Json one;
        one["why"] = name_of(pair.why);
        one["rank"] = pair.rank;
        one["by"] = pair.by;
        one["times"] = pair.times;
        one["seconds"] = pair.lost.seconds();
        json["waits"].push_back(std::move(one));
    }
    json["collectives"] = Json::array();
    for (const CollectiveTime& of : summary.collectives) {
        Json one;
        one["function"] = of.function;
        one["algorithm"] = of.algorithm;
        one["calls"] = of.calls;
        one["bytes"] = of.bytes;
        one["seconds"] = of.time.seconds();
        one["waited_seconds"] = of.waited.seconds();
        json["collectives"].push_back(std::move(one));
    }
    json["functions"] = Json::array();
    for (const FunctionTime& of : summary.functions) {
        Json one;
        one["function"] = of.function;
        one["calls"] = of.calls;
        one["seconds"] = of.time.seconds();
        json["functions"].push_back(std::move(one));
    }
    return json.dump(2);
}

}  // namespace railyard::mpi::traces
