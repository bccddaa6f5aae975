#include "cli/run_summary.hpp"
#include "results/json.hpp"

namespace railyard::cli {

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
    value["traffic"] = Json::array();
    for (const runs::Traffic& one : summary.traffic) {
        Json traffic;
        traffic["protocol"] = one.protocol;
        traffic["messages"] = one.messages;
        traffic["bytes"] = one.bytes;
        value["traffic"].push_back(std::move(traffic));
    }
    value["connections"] = as_json(summary.connections);
    value["connection_bytes"] = as_json(summary.connection_bytes);
    value["mpi"] = mpi_as_json(summary);
    value["busiest"] = Json::array();
    for (const fabric::PartUse& part : summary.busiest)
        value["busiest"].push_back(as_json(summary, part));
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
