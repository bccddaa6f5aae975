/// Many messages back to back, far more than any queue holds: none lost, none doubled, none
/// changed, all in order (IB-3).

#include <cstring>

#include "fabric/endpoint.hpp"

namespace railyard::contract {
namespace {

using fabric::Completion;
using fabric::Flags;
using fabric::Op;
using fabric::Slice;
using fabric::WorkRequest;
using namespace railyard::literals;

/// Messages of lengths that change all the time, through `window` slots on each side.
struct Stream {
    std::uint64_t messages;
    std::size_t longest;
    bool both_ways = false;
    Flags flags = Flags::none;

    static constexpr std::uint64_t window = 32;

    /// Neighbours differ by some of everything, and every residue comes up.
    std::size_t length(std::uint64_t i) const {
        return (i * (longest / 13 + 37) + i / 11) % (longest + 1);
    }
};

class Sender {
  public:
    Sender(Team& team, Endpoint& end, const Stream& stream)
        : team_(team),
          end_(end),
          stream_(stream),
          out_(team.nic(), Stream::window * stream.longest) {}

    bool done() const { return completed_ == stream_.messages; }

    /// One step; true if something happened.
    bool step() {
        bool moved = false;
        Completion completion;
        while (failure_.empty() && end_.sent_queue().poll(completion)) {
            if (completion.id != completed_ || !completion.status.ok())
                failure_ = "sent " + show(completion.id) + " " + show(completion.status) +
                           ", expected " + show(completed_);
            ++completed_;
            moved = true;
        }
        while (posted_ < stream_.messages && posted_ - completed_ < Stream::window) {
            const std::size_t n = stream_.length(posted_);
            const Slice slice = out_.slice(posted_ % Stream::window * stream_.longest, n);
            fill_pattern({slice.data(), n}, seed_of(team_.id(), posted_));
            WorkRequest request;
            request.id = posted_;
            request.flags = stream_.flags;
            request.local = std::span(&slice, 1);
            const Status status = end_.queue_pair().post(request);
            if (status.again()) break;
            if (!status.ok()) failure_ = "post: " + show(status);
            if (!status.ok()) break;
            ++posted_;
            moved = true;
        }
        return moved || !failure_.empty();
    }
    void check() const { contract::check(failure_.empty(), failure_); }

  private:
    Team& team_;
    Endpoint& end_;
    const Stream& stream_;
    Buffer out_;
    std::uint64_t posted_ = 0, completed_ = 0;
    std::string failure_;  // told outside of the wait: a wait's condition does not throw
};

class Receiver {
  public:
    Receiver(Team& team, Endpoint& end, const Stream& stream)
        : team_(team),
          end_(end),
          stream_(stream),
          in_(team.nic(), Stream::window * stream.longest) {
        for (std::uint64_t i = 0; i < Stream::window; ++i)
            post(i);
    }
    bool done() const { return received_ == stream_.messages; }

    bool step() {
        Completion completion;
        bool moved = false;
        while (failure_.empty() && !done() && end_.received_queue().poll(completion)) {
            look_at(completion);
            post(++received_ + Stream::window - 1);
            moved = true;
        }
        return moved || !failure_.empty();
    }
    void check() const { contract::check(failure_.empty(), failure_); }

  private:
    Slice slot(std::uint64_t i) const {
        return in_.slice(i % Stream::window * stream_.longest, stream_.longest);
    }
    void post(std::uint64_t i) {
        const Slice slice = slot(i);
        const Status status = end_.receive_queue().post({i, std::span(&slice, 1)});
        if (!status.ok()) failure_ = "receive: " + show(status);
    }
    void look_at(const Completion& completion) {
        const std::size_t n = stream_.length(received_);
        if (completion.id != received_ || !completion.status.ok() || completion.length != Bytes(n))
            failure_ = "received " + show(completion.id) + " " + show(completion.status) + " " +
                       show(completion.length) + ", expected " + show(received_);
        else if (find_mismatch({slot(received_).data(), n}, seed_of(team_.peer(), received_)) != n)
            failure_ = "message " + show(received_) + " has wrong bytes";
    }

    Team& team_;
    Endpoint& end_;
    const Stream& stream_;
    Buffer in_;
    std::uint64_t received_ = 0;
    std::string failure_;
};

void run_stream(Team& team, const Stream& stream) {
    Endpoint end(team);
    end.connect(team.peer());
    Sender out(team, end, stream);
    Receiver in(team, end, stream);
    team.barrier();
    const bool sends = stream.both_ways || team.id() == sender;
    const bool receives = stream.both_ways || team.id() == receiver;
    while ((sends && !out.done()) || (receives && !in.done())) {
        team.await(
            [&] {
                const bool sent = sends && out.step();
                return (receives && in.step()) || sent;
            },
            "the stream to move on");
        out.check();
        in.check();
    }
    team.barrier();
}

class Streams : public Contract {};

TEST_P(Streams, ten_thousand_small_messages_one_way) {
    const std::uint64_t messages = static_cast<std::uint64_t>(rounds(10'000));
    run(2, [=](Team& team) { run_stream(team, {messages, 64}); });
}

/// IB-3, GM-2: each once, in order, and whole.
TEST_P(Streams, ten_thousand_small_messages_both_ways) {
    const std::uint64_t messages = static_cast<std::uint64_t>(rounds(10'000));
    run(2, [=](Team& team) { run_stream(team, {messages, 200, true}); });
}

TEST_P(Streams, messages_of_all_lengths_up_to_64_KiB_both_ways) {
    const std::uint64_t messages = static_cast<std::uint64_t>(rounds(1'500));
    run(2, [=](Team& team) { run_stream(team, {messages, 64 << 10, true}); });
}

TEST_P(Streams, messages_completed_at_the_peer) {
    run(2, [](Team& team) { run_stream(team, {500, 3000, true, Flags::remote_completion}); });
}

/// As a sender that never looks behind: requests without completions, many times what the queue
/// holds, each its own place in a ring that the peer checks at the end of every turn.
TEST_P(Streams, unsignalled_writes_many_times_round_the_queue) {
    run(2, [](Team& team) {
        EndpointOptions options;
        options.send_depth = 16;
        Endpoint end(team, options);
        end.connect(team.peer());
        constexpr std::size_t slots = 100, length = 40;
        Buffer out(team.nic(), slots * length), in(team.nic(), slots * length);
        const auto remote = team.swap(in.region());
        for (std::uint64_t turn = 0; turn < 20; ++turn) {
            out.fill(seed_of(team.id(), turn));
            end.receive(turn);
            team.barrier();
            for (std::size_t i = 0; i < slots; ++i)
                end.write(i, out.slice(i * length, length), Buffer::at(*remote, i * length),
                          Flags::unsignalled);
            end.send(turn, out.slice(0, 0));
            end.expect_sent(turn);  // and no other completion before it
            end.expect_received(turn, 0);
            check_pattern(in.data(), seed_of(team.peer(), turn), "a turn of the ring");
            team.barrier();
        }
    });
}

RAILYARD_CONTRACT(Streams);

}  // namespace
}  // namespace railyard::contract
