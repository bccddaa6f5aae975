/// Closing at any moment, from either side, whatever is under way: every request that was taken is
/// told of exactly once, in order, and the next pair of queue pairs works.

#include <algorithm>
#include <optional>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Completion;
using fabric::CompletionQueue;
using fabric::ConnectionState;
using fabric::Flags;
using fabric::Op;
using fabric::WorkRequest;
using namespace railyard::literals;

enum class Traffic : std::uint8_t { sends, held_sends, writes, reads, atomics, mixture };
constexpr Traffic all_traffic[] = {Traffic::sends, Traffic::held_sends, Traffic::writes,
                                   Traffic::reads, Traffic::atomics,    Traffic::mixture};
/// Close and look at what is left, or destroy the queue pair on the spot.
enum class Way : std::uint8_t { close, destroy };

constexpr std::uint64_t request_count = 24;
constexpr std::uint64_t receive_count = 12;
constexpr std::size_t longest = 64 << 10;

Op op_of(Traffic traffic, std::uint64_t i) {
    constexpr Op mixture[] = {Op::send, Op::rdma_read, Op::rdma_write, Op::fetch_add};
    switch (traffic) {
        case Traffic::sends:
        case Traffic::held_sends:
            return Op::send;
        case Traffic::writes:
            return Op::rdma_write;
        case Traffic::reads:
            return Op::rdma_read;
        case Traffic::atomics:
            return Op::compare_swap;
        case Traffic::mixture:
            break;
    }
    return mixture[i % std::size(mixture)];
}

class Closing {
  public:
    Closing(Team& team, Traffic traffic)
        : team_(team),
          traffic_(traffic),
          memory_(team.nic(), longest),
          local_(team.nic(), longest),
          back_(team.nic(), longest),
          receives_(receives_for(team, traffic)),
          in_(team.nic(), std::max<std::size_t>(receives_, 1) * longest),
          remote_(team.swap(memory_.region())),
          end_(team) {
        for (std::uint64_t i = 0; i < receives_; ++i)
            end_.receive(i, in_.slice(i * longest, longest));
        local_.fill(seed_of(team.id(), 1));
        end_.connect(team.peer());
    }

    void post_all() {
        for (; taken_ < request_count; ++taken_) {
            const Op op = op_of(traffic_, taken_);
            const bool atomic = op == Op::fetch_add || op == Op::compare_swap;
            const std::size_t n = atomic ? 8 : taken_ % 3 == 0 ? longest : 40;
            const bool brings = atomic || op == Op::rdma_read;
            const fabric::Slice slice = (brings ? back_ : local_).slice(0, n);
            WorkRequest request{.id = taken_, .op = op, .local = std::span(&slice, 1)};
            if (op != Op::send) request.remote = Buffer::at(*remote_);
            const Status status = end_.queue_pair().post(request);
            if (status.ok()) continue;
            // The peer may have closed by now; then the rest is refused, and never told of.
            check(status.again() || status == Code::flushed, "post: " + show(status));
            return;
        }
    }

    void close(Way way, bool peer_closes_too) {
        if (way == Way::destroy) end_.destroy_queue_pair();
        if (way == Way::close) {
            end_.queue_pair().close();
            expect_all_told(peer_closes_too ? Code::remote_closed : Code::flushed);
        }
        // The memory is ours again: what is still on its way must not come from here.
        local_.fill(0);
    }
    void expect_peer_closed() {
        expect_all_told(Code::remote_closed);
        end_.expect_failed(Code::remote_closed);
    }

  private:
    /// Fewer than sends: some arrive, some are held off. Or all are. But not where none can be.
    static std::uint64_t receives_for(Team& team, Traffic traffic) {
        if (!team.traits().waits_for_receives) return request_count;
        return traffic == Traffic::held_sends ? 0 : receive_count;
    }

    void expect_all_told(Status first_failure) {
        expect_told(end_.sent_queue(), taken_, first_failure);
        // A message may have been on its way into one.
        expect_told(end_.received_queue(), receives_, Code::remote_closed);
        end_.expect_silence(20_us);
    }
    /// Some that went well, then the first that did not, then the flushed.
    void expect_told(CompletionQueue& queue, std::uint64_t count, Status first_failure) {
        Status last;
        for (std::uint64_t id = 0; id < count; ++id) {
            Completion done;
            team_.await([&] { return queue.poll(done); }, "request " + show(id) + " to be told of");
            check_equal(done.id, id, "id (" + show(done.status) + ")");
            const bool in_turn = done.status == Code::flushed ||
                                 (last.ok() && (done.status.ok() || done.status == first_failure));
            check(in_turn, show(done.op) + " " + show(id) + ": " + show(done.status) + " after " +
                               show(last));
            if (done.status.ok() && done.op == Op::receive)
                check_pattern(in_.data(id * longest, done.length.count()), seed_of(team_.peer(), 1),
                              "a message before the end");
            last = done.status;
        }
    }

    Team& team_;
    Traffic traffic_;
    Buffer memory_, local_, back_;
    std::uint64_t receives_;
    Buffer in_;
    std::unique_ptr<fabric::RemoteRegion> remote_;
    Endpoint end_;
    std::uint64_t taken_ = 0;
};

class Close : public Contract {
  protected:
    void close_at_any_moment(Way way, bool both_sides) const {
        const int step = quick() ? 3 : 1;
        run(2, [=](Team& team) {
            const Duration delays[] = {0_ns, 1_us, 3_us, 10_us, 30_us, 100_us, 300_us, 1_ms};
            int turn = 0;
            for (const Traffic traffic : all_traffic)
                for (const Duration delay : delays)
                    for (const int closer : {0, 1}) {
                        if (++turn % step != 0) continue;
                        Closing closing(team, traffic);
                        team.barrier();
                        closing.post_all();
                        if (both_sides || team.id() == closer) {
                            team.pause(team.id() == closer ? delay : 10_us);
                            closing.close(way, both_sides);
                        } else {
                            closing.expect_peer_closed();
                        }
                        team.barrier();
                    }
            Endpoint last(team);
            last.connect(team.peer());
            check_alive(team, last);
            team.barrier();
        });
    }
};

TEST_P(Close, with_requests_under_way) {
    close_at_any_moment(Way::close, false);
}
TEST_P(Close, by_destroying_with_requests_under_way) {
    close_at_any_moment(Way::destroy, false);
}
TEST_P(Close, on_both_sides_at_once) {
    close_at_any_moment(Way::close, true);
}
TEST_P(Close, by_destroying_on_both_sides_at_once) {
    close_at_any_moment(Way::destroy, true);
}

/// One side asks and gives up at once; the other asks a little later, and may or may not have found
/// the first. A new attempt connects.
TEST_P(Close, while_connecting) {
    const int turns = rounds(24);
    run(2, [=](Team& team) {
        for (int turn = 0; turn < turns; ++turn) {
            const int leaver = turn % 2;
            const fabric::Discriminator discriminator = team.fresh();
            team.barrier();
            {
                Endpoint end(team);
                if (team.id() == leaver) {
                    end.ask(team.address(team.peer()), discriminator);
                    team.pause(Duration::us(turn % 8));
                    if (turn % 4 < 2) end.queue_pair().close();
                } else {
                    team.pause(Duration::us(turn / 8 * 2));
                    check_ok(end.queue_pair().connect_peer(team.address(team.peer()), discriminator,
                                                           {}, team.host().now() + 2_ms),
                             "connect_peer");
                    team.await([&] { return end.queue_pair().state() == ConnectionState::failed; },
                               "a connection to end, or never to come about");
                    const Status reason = end.queue_pair().reason();
                    check(reason == Code::timed_out || reason == Code::remote_closed ||
                              reason == Code::refused,
                          "reason: " + show(reason));
                }
            }
            team.barrier();
            Endpoint next(team);
            next.connect(team.peer());
            check_alive(team, next);
            team.barrier();
        }
    });
}

/// A client that goes while the server thinks about it: the server may or may not find the request,
/// but ends up with no connection, and the next client is served.
TEST_P(Close, of_a_client_before_the_server_answers) {
    const int turns = rounds(16);
    run(2, [=](Team& team) {
        const auto listener = team.id() == receiver ? team.nic().listen(1) : nullptr;
        for (int turn = 0; turn < turns; ++turn) {
            team.barrier();
            Endpoint end(team), next(team);
            std::unique_ptr<fabric::ConnectionRequest> request;
            if (team.id() == sender) {
                check_ok(end.queue_pair().connect(team.address(receiver), 1,
                                                  fabric::PrivateData("leaves"), team.deadline()),
                         "connect");
                team.pause(Duration::us(turn / 2));
                if (turn % 2 == 0) end.queue_pair().close();
                if (turn % 2 == 1) end.destroy_queue_pair();
            }
            team.barrier();
            if (team.id() == sender) {
                check_ok(next.queue_pair().connect(team.address(receiver), 1,
                                                   fabric::PrivateData("stays"), team.deadline()),
                         "connect");
            } else {
                team.await([&] { return (request = listener->poll()) != nullptr; }, "a request");
                if (request->private_data().text() == "leaves") {
                    if (end.queue_pair().accept(*request, {}).ok())
                        team.await(
                            [&] { return end.queue_pair().state() == ConnectionState::failed; },
                            "a connection with nobody to fail");
                    team.await([&] { return (request = listener->poll()) != nullptr; },
                               "the next request");
                }
                check_equal(request->private_data().text(), "stays", "whose request it is");
                check_ok(next.queue_pair().accept(*request, {}), "accept");
            }
            next.await_connected();
            check_alive(team, next);
            team.barrier();
        }
    });
}

TEST_P(Close, of_a_queue_pair_that_never_connected) {
    run(1, [](Team& team) {
        Endpoint end(team);
        end.queue_pair().close();
        check(end.queue_pair().state() != ConnectionState::connected, "it is not connected");
        end.expect_silence(0_ns);
        Endpoint destroyed(team);
        destroyed.receive(1);
        destroyed.destroy_queue_pair();
    });
}

RAILYARD_CONTRACT(Close);

}  // namespace
}  // namespace railyard::contract
