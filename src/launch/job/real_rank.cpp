#include "launch/job/real_rank.hpp"

#include <cstdlib>
#include <utility>

#include "base/topology.hpp"

namespace railyard::job {

namespace {

// Before the host is made: what it touches first is then near its core.
hosts::RealHost::Options pin_and_choose(const Plan& plan, int id) {
    if (!plan.cores.empty()) pin_to(plan.cores.at(static_cast<std::size_t>(id)));
    return {.shares_core = plan.shares_core};
}

}  // namespace

RealRank::RealRank(const Plan& plan, int id, Board board, FindEntry find, Starter starter)
    : plan_(plan),
      id_(id),
      bootstrap_(board, id, std::move(starter.relay)),
      starter_(std::move(starter)),
      host_(pin_and_choose(plan, id)),
      fabrics_(find) {}

fabric::Nic& RealRank::nic() {
    if (!nic_) nic_ = open(plan_.fabric->name());
    return *nic_;
}

std::unique_ptr<fabric::Nic> RealRank::open(std::string_view fabric) {
    return fabrics_.open_nic(fabric, node(), host_);
}

void RealRank::abort(int code, std::string_view why) {
    starter_.abort(code, why);
    std::abort();
}

}  // namespace railyard::job
