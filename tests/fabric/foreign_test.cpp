/// What one Nic made is refused by another: queues when a queue pair is made, regions when they are
/// posted, requests when they are accepted. Nothing is harmed by the attempt.

#include <array>

#include "fabric/endpoint.hpp"
#include "railyard/base/error.hpp"

namespace railyard::contract {
namespace {

using fabric::ConnectionState;
using fabric::Op;
using fabric::QueuePairOptions;
using fabric::Slice;
using fabric::WorkRequest;
using namespace railyard::literals;

class Foreign : public Contract {
  protected:
    /// Runs `body` with a second Nic of the same fabric, and with one of another fabric if there is
    /// one of the same clock.
    void run_with_another(int ranks,
                          const std::function<void(Team&, fabric::Nic& another)>& body) const {
        std::vector<std::string> fabrics = {traits().name};
        for (const fabric::Traits& other : railyard::fabrics())
            if (fabrics.size() < 2 && other.clock == traits().clock && other.name != traits().name)
                fabrics.push_back(other.name);
        for (const std::string& fabric : fabrics)
            run(ranks, [&](Team& team) {
                const auto another = team.rank().open(fabric);
                body(team, *another);
            });
    }
};

void expect_refused(Team& team, const QueuePairOptions& options, std::string_view what,
                    Where where = Where::current()) {
    try {
        (void)team.nic().create_queue_pair(options);
    } catch (const UsageError& error) {
        const std::string_view text = error.what();
        check(text.find(what) != text.npos && text.find("same Nic") != text.npos,
              "the error says what is wrong, and why: " + std::string(text), where);
        return;
    }
    fail("a queue pair was made with " + std::string(what) + " of another Nic", where);
}

TEST_P(Foreign, queues_are_refused_when_a_queue_pair_is_made) {
    run_with_another(1, [](Team& team, fabric::Nic& another) {
        const auto sent = team.nic().create_completion_queue(16);
        const auto received = team.nic().create_completion_queue(16);
        const auto receives = team.nic().create_receive_queue(16);
        const auto foreign_completions = another.create_completion_queue(16);
        const auto foreign_receives = another.create_receive_queue(16);
        using Sharing = fabric::ReceiveQueue::Sharing;
        const bool shares = another.traits().shared_receives;
        const auto foreign_shared =
            another.create_receive_queue(16, shares ? Sharing::shared : Sharing::own);
        QueuePairOptions right;
        right.send_completions = sent.get();
        right.receive_completions = received.get();
        right.receives = receives.get();

        QueuePairOptions wrong = right;
        wrong.send_completions = foreign_completions.get();
        expect_refused(team, wrong, "send_completions");
        wrong = right;
        wrong.receive_completions = foreign_completions.get();
        expect_refused(team, wrong, "receive_completions");
        for (fabric::ReceiveQueue* queue : {foreign_receives.get(), foreign_shared.get()}) {
            wrong = right;
            wrong.receives = queue;
            expect_refused(team, wrong, "receives");
        }
        // No attempt has taken the own receive queue.
        check(team.nic().create_queue_pair(right) != nullptr, "the right queues are taken");
        QueuePairOptions theirs;
        theirs.send_completions = theirs.receive_completions = foreign_completions.get();
        theirs.receives = foreign_receives.get();
        check(another.create_queue_pair(theirs) != nullptr, "and the others by their own Nic");
    });
}

TEST_P(Foreign, regions_are_refused_by_receive_queues) {
    run_with_another(2, [](Team& team, fabric::Nic& another) {
        for (const Memory memory : memories) {
            Endpoint end(team);
            end.connect(team.peer());
            const Buffer own(team.nic(), 100, memory), foreign(another, 100, memory);
            const std::array<Slice, 2> mixed = {own.slice(0, 8), foreign.slice(0, 8)};
            const std::span<const Slice> lists[] = {std::span(mixed).last(1), mixed};
            for (const std::span<const Slice> list : lists)
                if (list.size() <= team.traits().max_slices)
                    check_equal(end.receive_queue().post({1, list}), Code::invalid,
                                "a receive into memory of another Nic");
            team.barrier();
            // Had one of them been taken, it would receive this.
            check_alive(team, end);
            foreign.check_blank(100, "memory of another Nic");
            team.barrier();
        }
    });
}

TEST_P(Foreign, regions_are_refused_by_queue_pairs) {
    run_with_another(2, [](Team& team, fabric::Nic& another) {
        for (const Memory memory : memories) {
            Endpoint end(team);
            end.connect(team.peer());
            const Buffer own(team.nic(), 100, memory), foreign(another, 100, memory);
            const auto remote = team.swap(own.region());
            const std::array<Slice, 2> mixed = {own.slice(0, 4), foreign.slice(0, 4)};
            const Slice alone = foreign.slice(0, 8);
            for (const Op op : {Op::send, Op::rdma_write, Op::rdma_write_imm, Op::rdma_read,
                                Op::fetch_add, Op::compare_swap}) {
                if (op == Op::rdma_write_imm && !team.traits().write_immediate) continue;
                WorkRequest work;
                work.op = op;
                if (op != Op::send) work.remote = Buffer::at(*remote);
                work.local = std::span(&alone, 1);
                check_equal(end.queue_pair().post(work), Code::invalid, "a slice of another Nic");
                if (team.traits().max_slices < mixed.size()) continue;
                work.local = mixed;
                check_equal(end.queue_pair().post(work), Code::invalid, "the second of two slices");
            }
            end.expect_silence({});
            check_alive(team, end);
            own.check_blank(100, "memory of the peer");
            foreign.check_blank(100, "memory of another Nic");
            team.barrier();
        }
    });
}

/// The requests before it are taken, those behind it are not.
TEST_P(Foreign, a_region_in_the_middle_of_a_list_ends_it) {
    run_with_another(2, [](Team& team, fabric::Nic& another) {
        Endpoint end(team);
        end.connect(team.peer());
        const Buffer out(team.nic(), 8), in(team.nic(), 8), foreign(another, 8);
        const auto remote = team.swap(in.region());
        out.fill(seed_of(team.id(), 1));
        const Slice right = out.slice(), wrong = foreign.slice();
        std::array<WorkRequest, 3> list;
        for (std::size_t i = 0; i < list.size(); ++i) {
            list[i].id = i;
            list[i].op = Op::rdma_write;
            list[i].flags = fabric::Flags::remote_completion;
            list[i].local = std::span(i == 1 ? &wrong : &right, 1);
            list[i].remote = Buffer::at(*remote);
        }
        const fabric::QueuePair::Posted posted = end.queue_pair().post(list);
        check_equal(posted.count, 1, "requests taken");
        check_equal(posted.status, Code::invalid, "why not the next");
        end.expect_sent(0);
        end.expect_silence({});
        team.barrier();
        in.check(8, seed_of(team.peer(), 1), "what the first of them wrote");
        team.barrier();
    });
}

TEST_P(Foreign, imported_regions_are_refused_by_queue_pairs) {
    run_with_another(2, [](Team& team, fabric::Nic& another) {
        Endpoint end(team);
        end.connect(team.peer());
        const Buffer own(team.nic(), 100), theirs(another, 100);
        const auto blobs = team.gather(theirs.region().export_blob());
        const auto own_blobs = team.gather(own.region().export_blob());
        const auto peer = static_cast<std::size_t>(team.peer());
        std::vector<std::unique_ptr<fabric::RemoteRegion>> foreign;
        foreign.push_back(another.import_region(blobs[peer]));
        // Even of the right peer, where the bytes mean the same to both.
        if (another.traits().name == team.traits().name)
            foreign.push_back(another.import_region(own_blobs[peer]));
        const Slice local = own.slice(0, 8);
        for (const auto& region : foreign) {
            WorkRequest work;
            work.local = std::span(&local, 1);
            work.remote = {region.get(), 64_B};
            for (const Op op : {Op::rdma_write, Op::rdma_read, Op::fetch_add, Op::compare_swap}) {
                work.op = op;
                check_equal(end.queue_pair().post(work), Code::invalid,
                            "a peer's region that another Nic imported");
            }
            work.op = Op::send;
            work.remote = {};
            work.invalidate = region.get();
            check_equal(end.queue_pair().post(work), Code::invalid, "the same, to be invalidated");
        }
        end.expect_silence({});
        check_alive(team, end);
        own.check_blank(100, "memory of the peer");
        theirs.check_blank(100, "memory of another Nic of the peer's");
        team.barrier();
    });
}

TEST_P(Foreign, requests_are_refused_by_queue_pairs) {
    run_with_another(2, [](Team& team, fabric::Nic& another) {
        const auto addresses = team.gather(another.address());
        const auto listener = team.id() == receiver ? another.listen(7) : nullptr;
        team.barrier();
        Endpoint end(team, {.nic = &another}), wrong(team);
        if (team.id() == sender) {
            check_ok(end.queue_pair().connect(addresses[receiver], 7, {}, team.deadline()),
                     "connect");
        } else {
            std::unique_ptr<fabric::ConnectionRequest> request;
            team.await([&] { return (request = listener->poll()) != nullptr; },
                       "a connection request");
            check_equal(wrong.queue_pair().accept(*request, {}), Code::invalid,
                        "a request to another Nic");
            check_equal(wrong.queue_pair().state(), ConnectionState::idle, "its state");
            check_ok(end.queue_pair().accept(*request, {}), "accept");
        }
        end.await_connected();
        wrong.connect(team.peer());  // it can still be used
        check_alive(team, wrong);
        team.barrier();
    });
}

RAILYARD_CONTRACT(Foreign);

}  // namespace
}  // namespace railyard::contract
