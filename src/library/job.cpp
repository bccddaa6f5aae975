#include "railyard/library/job.hpp"

#include <utility>

#include "launch/job/job.hpp"
#include "launch/job/rank.hpp"
#include "railyard/results/results.hpp"

namespace railyard {

namespace {

job::Kind kind_of(RankKind kind) {
    switch (kind) {
        case RankKind::threads:
            return job::Kind::threads;
        case RankKind::fibers:
            return job::Kind::fibers;
        case RankKind::processes:
            break;
    }
    return job::Kind::processes;
}

job::Options options_of(const Job& job) {
    job::Options options;
    options.ranks = job.ranks;
    options.fabric = job.fabric;
    if (job.kind) options.kind = kind_of(*job.kind);
    options.nodes = job.nodes;
    options.pin = job.pin;
    options.trace = job.trace;
    return options;
}

}  // namespace

int Rank::id() const {
    return inside_->id();
}
int Rank::size() const {
    return inside_->size();
}
fabric::NodeId Rank::node_of(int rank) const {
    return inside_->node_of(rank);
}
fabric::Host& Rank::host() {
    return inside_->host();
}
fabric::Nic& Rank::nic() {
    return inside_->nic();
}
std::unique_ptr<fabric::Nic> Rank::open(std::string_view fabric) {
    return inside_->open(fabric);
}
void Rank::put(std::string_view key, std::span<const std::byte> value) {
    inside_->bootstrap().put(key, value);
}
std::vector<std::byte> Rank::get(int rank, std::string_view key) {
    return inside_->bootstrap().get(rank, key);
}
void Rank::fence() {
    inside_->bootstrap().fence();
}
void Rank::deliver(std::string bytes) {
    inside_->deliver(std::move(bytes));
}
void Rank::abort(int code, std::string_view why) {
    inside_->abort(code, why);
}

JobResult run(const Job& job, const std::function<void(Rank&)>& body) {
    const job::Body on_each = [&](job::Rank& inside) {
        Rank rank(inside);
        body(rank);
    };
    job::Faults faults{job.faults.string(), {}};
    job::Result ended = faults.script.empty()
                            ? job::run(options_of(job), on_each)
                            : job::run_with_faults(options_of(job), faults, on_each);
    return {.ok = ended.ok,
            .failure = std::move(ended.failure),
            .exit_code = ended.exit_code,
            .delivered = std::move(ended.delivered),
            .faults = std::move(faults.report)};
}

std::string_view version() {
    return results::version();
}

}  // namespace railyard
