/// A ring of ranks in virtual time: what a message costs when there are few of them and when there
/// are thousands, and how much memory those take.

#include <cstring>
#include <memory>

#include "base/clock.hpp"
#include "bench/suite.hpp"
#include "railyard/base/error.hpp"
#include "railyard/nic.hpp"

namespace railyard::bench {

namespace {

constexpr Bytes message(8);

fabric::Address address_of(job::Rank& rank, int peer) {
    const auto bytes = rank.bootstrap().get(peer, "address");
    fabric::Address address;
    std::memcpy(address.bytes.data(), bytes.data(), address.bytes.size());
    return address;
}

/// One rank of the ring: it receives from the one before and sends to the one behind.
class Link {
  public:
    explicit Link(job::Rank& rank) : rank_(rank), host_(rank.host()) {
        fabric::Nic& nic = rank.nic();
        region_ = nic.allocate(message * 2, fabric::Access::local);
        completions_ = nic.create_completion_queue(8);
        receives_ = nic.create_receive_queue(2);
        const fabric::QueuePairOptions options{.send_completions = completions_.get(),
                                               .receive_completions = completions_.get(),
                                               .receives = receives_.get(),
                                               .send_depth = 4};
        from_ = nic.create_queue_pair(options);
        fabric::QueuePairOptions to = options;
        to.receives = nullptr;
        to_ = nic.create_queue_pair(to);
        rank.bootstrap().put("address", nic.address().bytes);
        connect(*from_, rank.id() + rank.size() - 1, rank.id());
        connect(*to_, rank.id() + 1, rank.id() + 1);
        for (fabric::QueuePair* queue_pair : {from_.get(), to_.get()})
            host_.wait_until(
                [&] { return queue_pair->state() == fabric::ConnectionState::connected; });
        post_receive();
        rank.bootstrap().fence();
    }

    void send() {
        const fabric::Slice out(*region_, Bytes(0), message);
        fabric::WorkRequest request;
        request.op = fabric::Op::send;
        request.flags = fabric::Flags::unsignalled;
        request.local = {&out, 1};
        if (!to_->post(request).ok()) throw Error("a message of the ring was refused");
    }
    void receive() {
        fabric::Completion completion;
        host_.wait_until([&] { return completions_->poll(completion); });
        if (!completion.status.ok()) throw Error("a message of the ring was lost");
        post_receive();
    }

  private:
    void connect(fabric::QueuePair& queue_pair, int peer, int number) {
        const auto discriminator = static_cast<fabric::Discriminator>(number % rank_.size());
        if (!queue_pair
                 .connect_peer(address_of(rank_, peer % rank_.size()), discriminator,
                               fabric::PrivateData(), Time::never())
                 .ok())
            throw Error("the ring cannot be closed");
    }
    void post_receive() {
        const fabric::Slice in(*region_, message, message);
        if (!receives_->post({.id = 0, .local = {&in, 1}}).ok())
            throw Error("a receive of the ring was refused");
    }

    job::Rank& rank_;
    fabric::Host& host_;
    std::unique_ptr<fabric::Region> region_;
    std::unique_ptr<fabric::CompletionQueue> completions_;
    std::unique_ptr<fabric::ReceiveQueue> receives_;
    std::unique_ptr<fabric::QueuePair> from_;
    std::unique_ptr<fabric::QueuePair> to_;
};

enum class Way { one_message, all_at_once };

/// Millions of messages a second of processor time, sent around by one rank after the other, or by
/// all of them at the same time.
double ring(int ranks, Way way) {
    constexpr unsigned messages = 200'000;
    double start = 0;
    double end = 0;
    const unsigned turns = messages / static_cast<unsigned>(ranks);
    job::Options options;
    options.ranks = ranks;
    options.fabric = "ideal";
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        Link link(rank);
        const bool sends_first = way == Way::all_at_once || rank.id() == 0;
        const auto turn = [&] {
            if (sends_first) link.send();
            link.receive();
            if (!sends_first) link.send();
        };
        turn();
        rank.bootstrap().fence();
        start = thread_clock::now().seconds();  // of the last one to come
        rank.bootstrap().fence();
        for (unsigned i = 0; i < turns; ++i)
            turn();
        rank.bootstrap().fence();
        if (rank.id() == 0) end = thread_clock::now().seconds();
    });
    if (!result.ok) throw Error(result.failure);
    return static_cast<double>(turns) * ranks / (end - start) / 1e6;
}

constexpr int few = 2;
constexpr int many = 4096;

}  // namespace

void ring_for_memory() {
    for (const Way way : {Way::one_message, Way::all_at_once})
        ring(many, way);
}

void ring(const Settings& settings, const Report& report) {
    constexpr double least = 0.67;  // a message costs 1.5 times as much at most
    for (const Way way : {Way::one_message, Way::all_at_once}) {
        const Score score = duel(
            settings.rounds, [&] { return ring(many, way); }, [&] { return ring(few, way); });
        report({.name = way == Way::one_message ? "ring/one-message" : "ring/all-at-once",
                .unit = "million/s",
                .ours = score.ours,
                .reference = score.reference,
                .ratio = score.ratio,
                .target = Target{Target::Kind::at_least, least},
                .note = "4096 ranks on ideal; 2 ranks"});
    }
    report({.name = "ring/memory",
            .unit = "MB",
            .ours = peak_memory("ring") / 1e6,
            .target = Target{Target::Kind::at_most, 1000, 0, true},
            .note = "resident at most, 4096 ranks"});
}

}  // namespace railyard::bench
