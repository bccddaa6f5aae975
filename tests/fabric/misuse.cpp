#include "fabric/misuse.hpp"

#include <algorithm>
#include <array>

namespace railyard::contract {

using fabric::Flags;
using fabric::Op;
using fabric::Slice;
using fabric::WorkRequest;

namespace {

constexpr std::uint64_t wrong_id = 1;
constexpr std::array<std::uint64_t, 2> receive_ids = {101, 102};

bool takes_part(const Team& team) {
    return team.id() == sender || team.id() == receiver;
}

/// Posts the wrong request and, behind it, a write, a read and a send that are right; fenced, as a
/// read or an atomic may otherwise be overtaken. Returns how many were taken.
std::size_t post_wrong(Endpoint& end, const Victim& victim, const Wrong& wrong, const Buffer& local,
                       Where where) {
    const Slice wrong_slice = wrong.local != nullptr ? *wrong.local : local.slice(0, wrong.length);
    const Slice right_slice = local.slice(0, 8);
    std::array<WorkRequest, 4> requests;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        requests[i].id = wrong_id + i;
        requests[i].local = std::span(&right_slice, 1);
        requests[i].remote = victim.at(0);
        requests[i].flags = Flags::fence | Flags::remote_completion;
    }
    requests[0].op = wrong.op;
    requests[0].local = std::span(&wrong_slice, 1);
    requests[0].remote = wrong.remote;
    requests[0].flags = Flags::remote_completion;
    requests[1].op = Op::rdma_write;
    requests[2].op = Op::rdma_read;
    requests[3].op = Op::send;
    const fabric::QueuePair::Posted posted = end.queue_pair().post(requests);
    check(posted.count >= 1, "the wrong request is taken: " + show(posted.status), where);
    if (posted.count < requests.size())  // then the first had failed before post returned
        check_equal(posted.status, Code::flushed, "why the next one was refused", where);
    return posted.count;
}

void attack(Team& team, Endpoint& end, Victim& victim, const Wrong& wrong, Status status,
            Where where) {
    Buffer local(team.nic(), Victim::size);
    const std::size_t taken = post_wrong(end, victim, wrong, local, where);
    check_equal(end.expect_sent(wrong_id, status, where).op, wrong.op, "operation", where);
    for (std::size_t i = 1; i < taken; ++i)
        end.expect_sent(wrong_id + i, Code::flushed, where);
    end.expect_receives_flushed(receive_ids, where);
    end.expect_failed(status, where);
    local.check_blank(Victim::size, "local memory of requests that failed", where);
    end.expect_silence({}, where);
}

void suffer(Endpoint& end, Where where) {
    end.expect_failed(Code::remote_closed, where);
    end.expect_receives_flushed(receive_ids, where);
    end.expect_silence({}, where);
}

}  // namespace

Victim::Victim(Team& team, fabric::Access access, Memory memory) {
    if (memory == Memory::user) {
        own.resize(3 * size);
        region = team.nic().register_memory(std::span(own).subspan(size, size), access);
    } else {
        region = team.nic().allocate(Bytes(size), access);
    }
    fill_pattern(region->span(), 1);
    const std::vector<fabric::RegionBlob> blobs = team.gather(region->export_blob());
    remote = team.nic().import_region(blobs[receiver]);
}

void Victim::check_unchanged(std::string_view what, Where where) const {
    check_pattern(region->span(), 1, what, where);
    if (own.empty()) return;
    const auto zero = [](std::byte b) { return b == std::byte{0}; };
    check(std::all_of(own.begin(), own.begin() + size, zero), "memory before the region", where);
    check(std::all_of(own.end() - size, own.end(), zero), "memory behind the region", where);
}

void expect_misuse(Team& team, Victim& victim, const Wrong& wrong, Status status, Where where) {
    if (!takes_part(team)) {
        team.barrier(where);
        team.barrier(where);
        return;
    }
    const int peer = team.id() == sender ? receiver : sender;
    Endpoint bystander(team), end(team);
    bystander.connect(peer, where);
    end.connect(peer, where);
    for (const std::uint64_t id : receive_ids)
        end.receive(id, where);
    team.barrier(where);
    if (team.id() == sender) attack(team, end, victim, wrong, status, where);
    if (team.id() == receiver) suffer(end, where);
    victim.check_unchanged("memory after an attack", where);
    check_alive(team, bystander, where);
    team.barrier(where);
}

}  // namespace railyard::contract
