#include "launch/job/real_rank.hpp"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <utility>

#include "base/topology.hpp"
#include "interconnects/registry.hpp"
#include "launch/job/frames.hpp"

namespace railyard::job {

namespace {

// Before the host is made: what it touches first is then near its core.
hosts::RealHost::Options pin_and_choose(const Plan& plan, const Bootstrap& bootstrap) {
    const int id = bootstrap.rank();
    if (!plan.cores.empty()) pin_to(plan.cores.at(static_cast<std::size_t>(id)));
    unsigned place = 0;
    for (int before = 0; before < id; ++before)
        place += bootstrap.node_of(before) == bootstrap.node_of(id) ? 1 : 0;
    return {.shares_core = plan.shares_core, .place = place};
}

}  // namespace

RealRank::RealRank(const Plan& plan, std::unique_ptr<Bootstrap> bootstrap, FindEntry find,
                   Deliver deliver, SayWaiting say_waiting)
    : plan_(plan),
      bootstrap_(std::move(bootstrap)),
      id_(bootstrap_->rank()),
      deliver_(std::move(deliver)),
      say_waiting_(std::move(say_waiting)),
      host_(pin_and_choose(plan, *bootstrap_)),
      fabrics_(find) {}

fabric::Nic& RealRank::nic() {
    if (!nic_) nic_ = open(plan_.fabric->name());
    return *nic_;
}

std::unique_ptr<fabric::Nic> RealRank::open(std::string_view fabric) {
    return fabrics_.open_nic(fabric, node(), host_);
}

std::string_view RealRank::fabric_between_nodes() const {
    if (plan_.fabric_between == nullptr) return {};
    return plan_.fabric_between->name();
}

LauncherLink link_by_frames(int frames_fd, bool relayed) {
    BoardBootstrap::Relay relay;
    if (relayed)
        relay = {[frames_fd](std::string_view key, std::span<const std::byte> value) {
                     write_frame(frames_fd, FrameKind::put, put_payload(key, value));
                 },
                 [frames_fd] { write_frame(frames_fd, FrameKind::fence, {}); }};
    return {[frames_fd](const std::string& bytes) {
                write_frame(frames_fd, FrameKind::delivery, bytes);
            },
            [frames_fd](int code, std::string_view why) {
                // The launcher asks all to end once it has heard; we are about to, and would lose
                // what is still to be flushed.
                ::signal(SIGTERM, SIG_IGN);
                write_frame(frames_fd, FrameKind::abort, abort_payload(as_exit_code(code), why));
                ::fflush(nullptr);
                ::_exit(as_exit_code(code));
            },
            std::move(relay),
            [frames_fd](const Waiting* what) {
                write_frame(frames_fd, FrameKind::waiting,
                            what != nullptr ? what->text() : std::string());
            }};
}

}  // namespace railyard::job
