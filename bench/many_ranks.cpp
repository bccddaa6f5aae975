/// Many ranks on few cores, many connections, and ranks that do nothing.

#include <sys/resource.h>

#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "bench/suite.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/error.hpp"
#include "railyard/host.hpp"
#include "railyard/nic.hpp"

namespace railyard::bench {

/// A rank connected to many others, or many times to one: queue pairs on one completion queue, each
/// with one small receive.
class Mesh {
  public:
    /// `peers` names the ranks, one entry a connection; the same rank may come several times, on
    /// both sides alike. `tag` is unique in the job. Returns connected.
    Mesh(job::Rank& rank, std::string_view tag, const std::vector<int>& peers);

    /// Sends 8 bytes on every connection and waits for 8 on each.
    void exchange();
    fabric::CompletionQueue& completions() { return *completions_; }

  private:
    void connect(const std::vector<int>& peers, std::string_view tag);

    job::Rank& rank_;
    fabric::Host& host_;
    std::unique_ptr<fabric::Region> region_;
    std::unique_ptr<fabric::CompletionQueue> completions_;
    struct Link {
        std::unique_ptr<fabric::ReceiveQueue> receives;
        std::unique_ptr<fabric::QueuePair> queue_pair;
    };
    std::vector<Link> links_;
};

namespace {

constexpr Bytes message(8);
constexpr Duration patience = Duration::s(60);

fabric::Address address_of(job::Rank& rank, int peer, std::string_view tag) {
    const auto bytes = rank.bootstrap().get(peer, tag);
    fabric::Address address;
    if (bytes.size() != address.bytes.size()) throw Error("a peer's address has another size");
    std::memcpy(address.bytes.data(), bytes.data(), bytes.size());
    return address;
}

void expect_ok(Status status, std::string_view what) {
    if (!status.ok()) throw Error(std::string(what) + ": " + std::string(status.name()));
}

}  // namespace

Mesh::Mesh(job::Rank& rank, std::string_view tag, const std::vector<int>& peers)
    : rank_(rank), host_(rank.host()), links_(peers.size()) {
    fabric::Nic& nic = rank.nic();
    region_ = nic.allocate(message * (peers.size() + 1), fabric::Access::local);
    completions_ = nic.create_completion_queue(static_cast<std::uint32_t>(3 * peers.size()));
    for (Link& link : links_) {
        link.receives = nic.create_receive_queue(1);
        link.queue_pair = nic.create_queue_pair({.send_completions = completions_.get(),
                                                 .receive_completions = completions_.get(),
                                                 .receives = link.receives.get(),
                                                 .send_depth = 2});
    }
    connect(peers, tag);
}

void Mesh::connect(const std::vector<int>& peers, std::string_view tag) {
    rank_.bootstrap().put(tag, rank_.nic().address().bytes);
    const Time deadline = host_.now() + patience;
    std::map<int, fabric::Discriminator> seen;
    for (std::size_t i = 0; i < peers.size(); ++i) {
        const Status asked = links_[i].queue_pair->connect_peer(
            address_of(rank_, peers[i], tag), seen[peers[i]]++, fabric::PrivateData(), deadline);
        expect_ok(asked, "cannot connect");
    }
    for (Link& link : links_) {
        fabric::QueuePair& queue_pair = *link.queue_pair;
        host_.wait_until([&] { return queue_pair.state() != fabric::ConnectionState::connecting; });
        if (queue_pair.state() != fabric::ConnectionState::connected)
            expect_ok(queue_pair.reason(), "cannot connect");
    }
}

void Mesh::exchange() {
    const fabric::Slice source(*region_, Bytes(0), message);
    fabric::WorkRequest request;
    request.op = fabric::Op::send;
    request.local = {&source, 1};
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const fabric::Slice target(*region_, message * (i + 1), message);
        expect_ok(links_[i].receives->post({.id = i, .local = {&target, 1}}), "receive");
    }
    for (Link& link : links_) {
        Status status;
        host_.wait_until([&] { return !(status = link.queue_pair->post(request)).again(); });
        expect_ok(status, "send");
    }
    // One completion of the send and one of the receive.
    for (std::size_t left = 2 * links_.size(); left > 0; --left) {
        fabric::Completion completion;
        const bool came = host_.wait_until([&] { return completions_->poll(completion); },
                                           host_.now() + patience);
        expect_ok(came ? completion.status : Status(Code::timed_out), "exchange");
    }
}

namespace {

std::vector<int> everybody_but(int me, int ranks) {
    std::vector<int> peers;
    for (int rank = 0; rank < ranks; ++rank)
        if (rank != me) peers.push_back(rank);
    return peers;
}

/// The processor time that this process has used, in seconds.
double processor_time() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace

void all_to_all(const Settings& settings, const Report& report) {
    constexpr int ranks = 64;
    const auto delivered = run_job(ranks, [&](job::Rank& rank) {
        job::Bootstrap& bootstrap = rank.bootstrap();
        fabric::Host& host = rank.host();
        rank.nic();
        // From before rank 0 lets the others start until all have ended: two fences are included.
        const auto timed = [&](auto work) {
            bootstrap.fence();
            const Time start = host.now();
            bootstrap.fence();
            work();
            bootstrap.fence();
            return (host.now() - start).seconds();
        };
        std::unique_ptr<Mesh> mesh;
        const double connecting = timed(
            [&] { mesh = std::make_unique<Mesh>(rank, "mesh", everybody_but(rank.id(), ranks)); });
        std::vector<double> exchanges;
        for (unsigned i = 0; i < settings.rounds; ++i)
            exchanges.push_back(timed([&] { mesh->exchange(); }));
        // The first exchange is the one that finds everything cold; it counts with the connecting.
        if (rank.id() == 0) rank.deliver(pack({connecting + exchanges.front(), median(exchanges)}));
        bootstrap.fence();
    });
    const auto n = unpack(delivered.at(0));
    const Target target{Target::Kind::at_most, 0.5, 0, true};
    report({.name = "all-to-all/connected",
            .unit = "s",
            .ours = n.at(1),
            .target = target,
            .note = "64 ranks, 8 bytes, median"});
    report({.name = "all-to-all/from-nothing",
            .unit = "s",
            .ours = n.at(0),
            .target = target,
            .note = "2016 connections made, then the first exchange"});
}

void idle(const Settings&, const Report& report) {
    constexpr int ranks = 8;
    constexpr Duration span = Duration::s(3);
    const double launcher_before = processor_time();
    const auto delivered = run_job(ranks, [&](job::Rank& rank) {
        Mesh mesh(rank, "mesh", everybody_but(rank.id(), ranks));
        mesh.exchange();
        rank.bootstrap().fence();
        fabric::Host& host = rank.host();
        fabric::Completion completion;
        const double before = processor_time();
        host.wait_until([&] { return mesh.completions().poll(completion); }, host.now() + span);
        rank.deliver(pack({processor_time() - before}));
        rank.bootstrap().fence();
    });
    double used = processor_time() - launcher_before;
    for (const auto& text : delivered)
        used += unpack(text).at(0);
    report({.name = "idle",
            .unit = "of a core",
            .ours = used / span.seconds(),
            .target = Target{Target::Kind::at_most, 0.02, 0, true},
            .note = "8 connected ranks wait for 3 s, launcher included"});
}

void empty_poll(const Settings& settings, const Report& report) {
    constexpr unsigned few = 2;
    constexpr unsigned many = 256;
    const auto delivered = run_job(2, [&](job::Rank& rank) {
        const auto cost = [&](unsigned connections, const std::string& tag) {
            Mesh mesh(rank, tag, std::vector<int>(connections, 1 - rank.id()));
            mesh.exchange();
            rank.bootstrap().fence();
            std::vector<double> samples;
            if (rank.id() == 0) {
                constexpr unsigned batch = 10'000;
                fabric::Completion completion;
                for (unsigned sample = 0; sample < 20; ++sample) {
                    const Time start = rank.host().now();
                    for (unsigned i = 0; i < batch; ++i)
                        mesh.completions().poll(completion);
                    samples.push_back((rank.host().now() - start).nanoseconds() / batch);
                }
            }
            rank.bootstrap().fence();
            return samples.empty() ? 1.0 : median(samples);
        };
        unsigned round = 0;
        const Score score = duel(
            settings.rounds, [&] { return cost(many, "many" + std::to_string(round++)); },
            [&] { return cost(few, "few" + std::to_string(round)); });
        if (rank.id() == 0) rank.deliver(pack({score.ours, score.reference, score.ratio}));
    });
    const auto n = unpack(delivered.at(0));
    report({.name = "empty-poll",
            .unit = "ns",
            .ours = n.at(0),
            .reference = n.at(1),
            .ratio = n.at(2),
            .target = Target{Target::Kind::within, 1.0, 0.2},
            .note = "256 connections; with 2"});
}

}  // namespace railyard::bench
