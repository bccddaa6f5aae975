/// Our readings of relations that a paper states in words only, where the words are exact enough to
/// be checked. docs/reproduce.md has the reasons.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "reproduce/choices.hpp"
#include "reproduce/record.hpp"

namespace railyard::reproduce {

namespace {

constexpr const char* protocol_switch = "rendezvous_switch_bytes";

Relation of_type(std::string type, std::string statement = {}) {
    Relation out;
    out.type = std::move(type);
    out.statement = std::move(statement);
    return out;
}

/// At the place where each library goes from eager to rendezvous.
Relation at_switch(std::string type, std::string statement = {}) {
    Relation out = of_type(std::move(type), std::move(statement));
    out.at_name = protocol_switch;
    return out;
}

Relation all(std::string statement, std::vector<Relation> parts) {
    Relation out = of_type("all", std::move(statement));
    out.parts = std::move(parts);
    return out;
}

Relation favouring(std::string type, std::string system, std::string better,
                   std::string statement = {}) {
    Relation out = of_type(std::move(type), std::move(statement));
    out.system = std::move(system);
    out.better = std::move(better);
    return out;
}

/// "Insignificant": alike.
Relation large_unexpected() {
    Relation out = of_type("near", "near 1");
    out.value = 1;
    return out;
}

/// "Considerable": not alike.
Relation small_unexpected() {
    Relation out = of_type("above", "well above 1");
    out.value = 1 + choice::alike;
    return out;
}

Relation on_demand(const char* op, const char* system) {
    Relation out = of_type("compare");
    out.lhs = "on-demand";
    out.op = op;
    out.rhs = "static";
    out.systems = system;
    return out;
}

/// As allreduce: no difference on cLAN; better on demand on Berkeley VIA, on as many processes as
/// the paper's example has. In all-to-all either way has all VIs.
Relation other_collectives() {
    std::vector<Relation> parts;
    for (const char* collective : {"bcast", "reduce", "barrier", "allgather", "alltoall"}) {
        parts.push_back(on_demand("~", "clan-via/mvich"));
        parts.back().when["collective"] = collective;
        const bool all_vis = std::string_view(collective) == "alltoall";
        parts.push_back(on_demand(all_vis ? "~" : "<", "bvia-myrinet/mvich"));
        parts.back().when["collective"] = collective;
        parts.back().when["processes"] = std::int64_t{8};
    }
    return all("as allreduce", std::move(parts));
}

/// IS ends with all VIs either way; they come one by one. On as many processes as there were nodes.
Relation gradual_connections() {
    Relation out = on_demand("<", "bvia-myrinet/mvich");
    out.when["processes"] = std::int64_t{8};
    return all("on-demand < static on 8", {std::move(out)});
}

/// Where a process has as many partners, or nearly, however many processes there are.
Relation falling_use() {
    std::vector<Relation> parts;
    for (const char* program : {"Ring", "Barrier", "Bcast", "Allreduce", "Allgather"}) {
        Relation part = of_type("monotone");
        part.over = results::parameter::processes;
        part.direction = "decreasing";
        part.when["application"] = program;
        parts.push_back(part);
    }
    return all("decreasing over processes", std::move(parts));
}

/// The irregularity near 256 bytes is the rule that only up to 288 a message carries its data.
Relation inline_limit() {
    Relation out = of_type("jump", "jump at 288");
    out.at = 288;
    return out;
}

/// Both sides along the same sizes or counts.
Relation comparing(const char* lhs, const char* op, const char* rhs, std::string statement) {
    Relation out = of_type("compare", std::move(statement));
    out.lhs = lhs;
    out.op = op;
    out.rhs = rhs;
    return out;
}

/// "Very large" begins above 64 KiB.
Relation writes_ahead() {
    Relation out = comparing("rdma_write", ">", "send_recv", "rdma_write > send_recv to 64 KiB");
    out.when["message_bytes_max"] = std::int64_t{65536};
    return out;
}

/// At the levels that have an experiment for it; at each size of a basic latency.
Relation slower_both_ways() {
    Relation out = comparing("quadrics-ping-bi", ">", "quadrics-ping-uni", "slower both ways");
    out.metric = "latency";
    return out;
}

Relation sustained() {
    Relation out = of_type("sustained", "aggregate sustained over nodes");
    out.over = "nodes";
    out.metric = "bandwidth_aggregate";
    return out;
}

/// "Larger counts" are those beyond 128, up to which the paper has it fall.
Relation level_beyond() {
    Relation out = of_type("slight", "nearly constant over connections 128 to 256");
    out.over = "connections";
    out.range = {128, 256};
    return out;
}

/// That they behave alike: the course of each, whatever it begins with.
Relation alike_along_connections() {
    Relation out = of_type("alike_along", "same course over connections");
    out.lhs = "iwarp-netEffect/openfabrics";
    out.rhs = "infiniband-pcie/openfabrics";
    out.over = "connections";
    return out;
}

/// MG is the program with receives from any source.
Relation wildcards_connect_all() {
    Relation part = of_type("formula");
    part.when["application"] = "MG";
    return all("MG: one VI less than there are processes", {std::move(part)});
}

std::map<std::string, Relation> all_readings() {
    return {
        {"liu04.bandwidth.uni.queue_sensitivity",
         favouring("most_sensitive", "infiniband-pcix/vapi", "higher",
                   "most sensitive to the queue")},
        {"liu04.latency.bi.degradation_order",
         favouring("least_degraded", "quadrics/elanlib", "lower",
                   "loses less than half of what others do")},
        {"liu04.bandwidth.bi.vapi.rdma_gt_sr", writes_ahead()},
        {"liu04.bandwidth.bi.elan.no_gain",
         comparing("bandwidth-bi-queue", "~", "bandwidth-uni-queue", "both ways ~ one way")},
        {"petrini02.latency.bi", slower_both_ways()},
        {"petrini02.hotspot.scaling", sustained()},
        {"liu04pcie.mpi.above_vapi", of_type("mpi_ahead", "MPI > VAPI at some size")},
        {"wu02.vi.anysource", wildcards_connect_all()},
        {"rashti07.multiconn.latency.iwarp.flat", level_beyond()},
        {"rashti07.multiconn.latency.large", alike_along_connections()},
        {"rashti07.multiconn.throughput.large", alike_along_connections()},
        {"petrini02.latency.noise256", inline_limit()},
        {"rashti07.mpi.bandwidth.uni.dip",
         all("dip at each switch, steepest: infiniband-pcie/mpi",
             {at_switch("dip"), favouring("steepest", "infiniband-pcie/mpi", "higher")})},
        {"rashti07.logp.os.low", at_switch("stays_low", "low beyond the switch")},
        {"rashti07.logp.or.myri", at_switch("no_jump", "no jump at the switch")},
        {"rashti07.unexpected.small", small_unexpected()},
        {"rashti07.unexpected.large", large_unexpected()},
        {"wu02.collectives.other", other_collectives()},
        {"wu02.npb.bvia.is", gradual_connections()},
        {"wu02.vi.scaling", falling_use()},
    };
}

}  // namespace

Record with_reading(const Record& record) {
    static const std::map<std::string, Relation> readings = all_readings();
    Record out = record;
    const auto found = readings.find(record.id);
    if (!record.check && found != readings.end()) out.check = found->second;
    return out;
}

}  // namespace railyard::reproduce
