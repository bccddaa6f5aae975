#include "cli/output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity.hpp"
#include "cli/words.hpp"
#include "report/table.hpp"
#include "results/json.hpp"

namespace railyard::cli {

namespace {

using report::Align;
using report::Table;
using runs::Summary;

std::string percent(double share) {
    return fmt::format("{:.1f} %", 100 * share);
}

/// With the unit that suits a run.
std::string run_time(Duration time) {
    if (time < Duration::s(1)) return fmt::format("{:.3f} us", time.microseconds());
    return fmt::format("{:.6f} s", time.seconds());
}

std::string kibibytes(double bytes) {
    return fmt::format("{:.1f}", bytes / 1024);
}

std::string say_compute(const Summary& summary) {
    if (summary.compute.from == runs::ComputeChoice::From::nowhere)
        return "Computation is free: rates that the program prints count communication alone "
               "(--compute charges it).\n";
    std::string text =
        fmt::format("Computation ({}): {} of the ranks' time.\n", to_string(summary.compute),
                    percent(summary.computed_seconds / summary.rank_seconds()));
    if (!summary.compute.repeats())
        text += "It was measured in this run: the next one will give other times.\n";
    return text;
}

std::string traffic_table(const Summary& summary) {
    if (summary.traffic.empty()) return "No messages.\n";
    Table table;
    table.add_column({"protocol"}, Align::left);
    table.add_column({"messages"}, Align::right);
    table.add_column({"bytes"}, Align::right);
    for (const runs::Traffic& one : summary.traffic)
        table.add_row(
            {std::string(one.protocol), std::to_string(one.messages), std::to_string(one.bytes)});
    std::string text = table.text();
    if (summary.receiver_not_ready > 0)
        text +=
            fmt::format("Receiver not ready: {}, counted each time a message found no receive.\n",
                        count_of(summary.receiver_not_ready, "time"));
    return text;
}

/// Nobody is to take such a program's results for results.
std::string say_content(const Summary& summary) {
    if (summary.without_content.messages == 0) return "";
    return fmt::format(
        "Without content (--payload): {} of {} bytes; what the program made of them "
        "means nothing.\n",
        count_of(summary.without_content.messages, "message"), summary.without_content.bytes);
}

std::string connection_table(const Summary& summary) {
    const auto& [least, mean, most] = summary.connections;
    Table table;
    table.add_column({"a rank's"}, Align::left);
    for (const char* const header : {"least", "mean", "most"})
        table.add_column({header}, Align::point);
    table.add_row(
        {"connections", std::to_string(least), fmt::format("{:.2f}", mean), std::to_string(most)});
    const auto add_memory = [&](const char* name, const runs::Spread& bytes) {
        table.add_row({name, kibibytes(static_cast<double>(bytes.least)), kibibytes(bytes.mean),
                       kibibytes(static_cast<double>(bytes.most))});
    };
    add_memory("memory for them, KiB", summary.connection_bytes);
    add_memory("pinned in all, KiB", summary.pinned_bytes);
    return table.text();
}

std::string call_table(const Summary& summary) {
    Table table;
    table.add_column({"in MPI"}, Align::left);
    table.add_column({"calls"}, Align::right);
    table.add_column({"us, all ranks"}, Align::point);
    table.add_column({"share of time"}, Align::right);
    std::uint64_t calls = 0;
    const auto add = [&](std::string_view name, std::uint64_t n, double seconds) {
        table.add_row({std::string(name), std::to_string(n), fmt::format("{:.3f}", seconds * 1e6),
                       percent(seconds / summary.rank_seconds())});
    };
    for (const runs::CallTime& call : summary.calls) {
        add(call.function, call.calls, call.seconds);
        calls += call.calls;
    }
    add("all", calls, summary.mpi_seconds());
    return table.text();
}

std::string part_table(const Summary& summary) {
    if (summary.busiest.empty()) return "No part of the interconnect was busy.\n";
    Table table;
    table.add_column({"busiest"}, Align::left);
    table.add_column({"which"}, Align::left);
    table.add_column({"busy, us"}, Align::point);
    table.add_column({"share of time"}, Align::right);
    for (const fabric::PartUse& part : summary.busiest)
        table.add_row({std::string(fabric::name(part.kind)), part.name,
                       fmt::format("{:.3f}", part.busy.microseconds()),
                       percent(summary.share(part))});
    return table.text();
}

std::string cost(const runs::Summary& summary) {
    if (!summary.without_faults) return "";
    const Duration without = *summary.without_faults;
    const double longer = without > Duration() ? summary.virtual_time / without : 1;
    return fmt::format("  time: {:.3f} us, {:.3f} us without faults: {:.3f} times as long\n",
                       summary.virtual_time.microseconds(), without.microseconds(), longer);
}

}  // namespace

std::string short_summary(const Summary& summary) {
    std::string text = fmt::format(
        "{} on {}: {} of virtual time, {} in MPI; {} ({} bytes), {:.2f} connections a rank",
        summary.words.front(), summary.fabric, run_time(summary.virtual_time),
        percent(summary.mpi_share()), count_of(summary.messages(), "message"), summary.bytes(),
        summary.connections.mean);
    if (summary.without_content.messages > 0)
        text += fmt::format("; {} left their content behind (--payload), so results mean nothing",
                            count_of(summary.without_content.messages, "message"));
    if (summary.compute.from == runs::ComputeChoice::From::nowhere)
        text += "; computation is free (--compute)";
    if (!summary.compute.repeats()) text += "; computation was measured, so no two runs are alike";
    return text + "\n" + fault_summary(summary);
}

std::string full_summary(const Summary& summary) {
    return fmt::format("{} on {}, {} on {}: {} of virtual time\n", fmt::join(summary.words, " "),
                       summary.fabric, count_of(static_cast<std::uint64_t>(summary.ranks), "rank"),
                       count_of(static_cast<std::uint64_t>(summary.nodes), "node"),
                       run_time(summary.virtual_time)) +
           say_compute(summary) + "\n" + traffic_table(summary) + say_content(summary) + "\n" +
           connection_table(summary) + "\n" + call_table(summary) + "\n" + part_table(summary) +
           (summary.recorded_text.empty() ? "" : "\n" + summary.recorded_text) +
           (summary.faults ? "\n" + fault_summary(summary) : "");
}

std::string self_profile(const Summary& summary) {
    if (!summary.self) return "";
    const runs::SelfProfile& self = *summary.self;
    const auto messages = static_cast<double>(summary.messages());
    std::string text =
        fmt::format("{} on {}: {:.3f} s of real time, {:.3f} s of it computing",
                    summary.words.front(), summary.fabric, self.seconds, self.processor_seconds);
    if (messages > 0)
        text += fmt::format("; {:.0f} messages a second, {:.1f} events a message",
                            messages / std::max(self.processor_seconds, 1e-9),
                            static_cast<double>(summary.events) / messages);
    text += fmt::format("; {} KiB of memory a rank\n",
                        kibibytes(static_cast<double>(self.peak_memory) / summary.ranks));
    if (self.parts.empty()) return text + "Too short for a look at where the time went.\n";
    Table table;
    table.add_column({"where the time went"}, Align::left);
    table.add_column({"s"}, Align::point);
    table.add_column({"share"}, Align::right);
    for (const runs::SelfProfile::Part& part : self.parts)
        table.add_row({std::string(part.name),
                       fmt::format("{:.3f}", part.share * self.processor_seconds),
                       percent(part.share)});
    return text + table.text() + fmt::format("By {} samples.\n", self.samples);
}

std::string comparison(std::span<const Summary> runs, Order order) {
    std::vector<const Summary*> ranked;
    for (const Summary& run : runs)
        ranked.push_back(&run);
    const auto time = [](const Summary* run) { return run->compared_time(); };
    const Duration best = time(*std::ranges::min_element(ranked, {}, time));
    if (order == Order::fastest_first) std::ranges::stable_sort(ranked, {}, time);
    const bool same_ranks = std::ranges::all_of(
        runs, [&](const Summary& run) { return run.ranks == runs.front().ranks; });
    const bool is_marked =
        std::ranges::all_of(runs, [](const Summary& run) { return run.marked_time.has_value(); });
    Table table;
    table.add_column({"", "fabric"}, Align::left);
    if (!same_ranks) table.add_column({"", "ranks"}, Align::right);
    table.add_column(
        {is_marked ? "time between" : "time after", is_marked ? "marks, us" : "MPI_Init, us"},
        Align::point);
    table.add_column({"of the", "best"}, Align::point);
    table.add_column({"start-up,", "us"}, Align::point);
    table.add_column({"connecting,", "us a rank"}, Align::point);
    table.add_column({"", "messages"}, Align::right);
    table.add_column({"", "bytes"}, Align::right);
    table.add_column({"connections", "a rank"}, Align::point);
    table.add_column({"their memory,", "KiB a rank"}, Align::point);
    table.add_column({"time", "in MPI"}, Align::right);
    for (const Summary* const run : ranked) {
        std::vector<std::string> row{run->fabric};
        if (!same_ranks) row.push_back(std::to_string(run->ranks));
        row.insert(
            row.end(),
            {fmt::format("{:.3f}", run->compared_time().microseconds()),
             best > Duration() ? fmt::format("{:.3f}", run->compared_time() / best) : "",
             fmt::format("{:.3f}", run->start_up.microseconds()),
             fmt::format("{:.3f}", run->connecting_ns.mean / 1000), std::to_string(run->messages()),
             std::to_string(run->bytes()), fmt::format("{:.2f}", run->connections.mean),
             kibibytes(run->connection_bytes.mean), percent(run->mpi_share())});
        table.add_row(std::move(row));
    }
    std::string text = table.text();
    if (!runs.empty() && runs.front().compute.from == runs::ComputeChoice::From::nowhere)
        text += say_compute(runs.front());
    if (!runs.empty() && !runs.front().compute.repeats())
        text +=
            "Computation was measured anew in each run: record it once (--compute record:FILE) "
            "and replay it\n(--compute replay:FILE) to have the same on all.\n";
    return text;
}

std::string fault_summary(const runs::Summary& summary) {
    if (!summary.faults) return "";
    const fabric::FaultReport& report = *summary.faults;
    std::string text =
        fmt::format("faults: {} of {} struck\n", report.struck(), report.faults.size());
    for (const fabric::FaultReport::Fault& fault : report.faults)
        text += fmt::format("  {}: {}\n", fault.what, count_of(fault.packets, "packet"));
    text += fmt::format("  lost: {} and {}; dropped: {} out of order, {}\n",
                        count_of(report.lost, "packet"),
                        count_of(report.acknowledgments, "acknowledgment"), report.out_of_order,
                        count_of(report.duplicates, "duplicate"));
    text += fmt::format(
        "  made good: {} sent again, {}, {}\n", count_of(report.retransmitted, "packet"),
        count_of(report.timeouts, "time-out"), count_of(report.rerouted, "other way"));
    if (report.unreachable > 0)
        text += fmt::format("  given up: a peer, {}\n", count_of(report.unreachable, "time"));
    return text + cost(summary);
}

namespace {

using results::Json;

Json as_json(const runs::Spread& spread) {
    Json value;
    value["least"] = spread.least;
    value["mean"] = spread.mean;
    value["most"] = spread.most;
    return value;
}

Json as_json(const runs::Summary& summary, const runs::CallTime& call) {
    Json value;
    value["function"] = call.function;
    value["calls"] = call.calls;
    value["seconds"] = call.seconds;
    value["share"] = call.seconds / summary.rank_seconds();
    return value;
}

Json as_json(const runs::Summary& summary, const fabric::PartUse& part) {
    Json value;
    value["kind"] = fabric::name(part.kind);
    value["part"] = part.name;
    value["seconds"] = part.busy.seconds();
    value["share"] = summary.share(part);
    return value;
}

Json mpi_as_json(const runs::Summary& summary) {
    Json mpi;
    mpi["seconds"] = summary.mpi_seconds();
    mpi["share"] = summary.mpi_share();
    mpi["functions"] = Json::array();
    for (const runs::CallTime& call : summary.calls)
        mpi["functions"].push_back(as_json(summary, call));
    return mpi;
}

Json faults_as_json(const runs::Summary& summary) {
    const fabric::FaultReport& report = *summary.faults;
    Json value;
    value["script"] = Json::array();
    for (const fabric::FaultReport::Fault& fault : report.faults) {
        Json one;
        one["fault"] = fault.what;
        one["packets"] = fault.packets;
        value["script"].push_back(std::move(one));
    }
    value["struck"] = report.struck();
    value["packets_lost"] = report.lost;
    value["acknowledgments_lost"] = report.acknowledgments;
    value["dropped_out_of_order"] = report.out_of_order;
    value["dropped_duplicates"] = report.duplicates;
    value["retransmitted"] = report.retransmitted;
    value["timeouts"] = report.timeouts;
    value["rerouted"] = report.rerouted;
    value["unreachable"] = report.unreachable;
    if (summary.without_faults)
        value["seconds_lost"] = (summary.virtual_time - *summary.without_faults).seconds();
    return value;
}

Json self_as_json(const runs::Summary& summary) {
    const runs::SelfProfile& self = *summary.self;
    Json value;
    value["seconds"] = self.seconds;
    value["processor_seconds"] = self.processor_seconds;
    value["events"] = summary.events;
    value["messages"] = summary.messages();
    value["memory_bytes"] = self.peak_memory;
    value["samples"] = self.samples;
    value["parts"] = Json::array();
    for (const runs::SelfProfile::Part& part : self.parts) {
        Json one;
        one["part"] = part.name;
        one["share"] = part.share;
        value["parts"].push_back(std::move(one));
    }
    return value;
}

Json as_json(const runs::Summary& summary) {
    Json value;
    value["program"] = summary.words.front();
    value["arguments"] = Json(std::vector(summary.words.begin() + 1, summary.words.end()));
    value["fabric"] = summary.fabric;
    value["ranks"] = summary.ranks;
    value["nodes"] = summary.nodes;
    value["compute"] = to_string(summary.compute);
    value["compute_seconds"] = summary.computed_seconds;
    value["repeats"] = summary.compute.repeats();
    value["virtual_seconds"] = summary.virtual_time.seconds();
    value["start_up_seconds"] = summary.start_up.seconds();
    if (summary.marked_time) value["marked_seconds"] = summary.marked_time->seconds();
    value["connecting_nanoseconds"] = as_json(summary.connecting_ns);
    value["traffic"] = Json::array();
    for (const runs::Traffic& one : summary.traffic) {
        Json traffic;
        traffic["protocol"] = one.protocol;
        traffic["messages"] = one.messages;
        traffic["bytes"] = one.bytes;
        value["traffic"].push_back(std::move(traffic));
    }
    value["without_content"]["messages"] = summary.without_content.messages;
    value["without_content"]["bytes"] = summary.without_content.bytes;
    value["receiver_not_ready"] = summary.receiver_not_ready;
    value["connections"] = as_json(summary.connections);
    value["connection_bytes"] = as_json(summary.connection_bytes);
    value["pinned_bytes"] = as_json(summary.pinned_bytes);
    value["mpi"] = mpi_as_json(summary);
    value["busiest"] = Json::array();
    for (const fabric::PartUse& part : summary.busiest)
        value["busiest"].push_back(as_json(summary, part));
    if (!summary.recorded_json.empty()) value["recorded"] = Json::parse(summary.recorded_json);
    if (summary.self) value["self"] = self_as_json(summary);
    if (summary.faults) value["faults"] = faults_as_json(summary);
    return value;
}

}  // namespace

std::string summaries_as_json(std::span<const runs::Summary> runs) {
    Json all = Json::array();
    for (const runs::Summary& run : runs)
        all.push_back(as_json(run));
    return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace railyard::cli
