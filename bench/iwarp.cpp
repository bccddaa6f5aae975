/// iWARP on the loopback beside plain spinning TCP, with CRC and without; and what many connections
/// do to a message.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/quantity.hpp"
#include "bench/suite.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/user/procedures.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

/// Plain TCP between two ranks on the loopback, spinning: what a fabric over TCP is held against.
class RawTcp {
  public:
    /// Ranks 0 and 1 connect. `tag` is unique in the job. Throws Error.
    RawTcp(job::Rank& rank, std::string_view tag, Bytes longest);

    /// Half of each round trip, in us.
    std::vector<double> ping_pong(Bytes size, const experiments::Sampling& sampling);
    /// Windows of so many messages, each window answered by a byte: MB/s.
    std::vector<double> windows(Bytes size, unsigned window, const experiments::Sampling& sampling);

  private:
    void send(std::size_t n);
    void receive(std::size_t n);
    template <class Iteration>
    std::vector<double> sample(const experiments::Sampling& sampling, const Iteration& iteration);

    job::Rank& rank_;
    bool first_;
    Descriptor socket_;
    std::vector<std::byte> memory_;
};

namespace {

void require(bool done, const char* what) {
    if (!done) throw system_error(std::string("raw TCP: ") + what);
}

sockaddr_in loopback() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

}  // namespace

RawTcp::RawTcp(job::Rank& rank, std::string_view tag, Bytes longest)
    : rank_(rank), first_(rank.id() == 0), memory_(longest.count()) {
    sockaddr_in address = loopback();
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    socket_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    require(static_cast<bool>(socket_), "socket");
    if (first_) {
        const auto port = rank.bootstrap().get(1, tag);
        std::memcpy(&address.sin_port, port.data(), sizeof address.sin_port);
        require(::connect(socket_.get(), plain, size) == 0, "connect");
    } else {
        require(bind(socket_.get(), plain, size) == 0, "bind");
        require(listen(socket_.get(), 1) == 0, "listen");
        require(getsockname(socket_.get(), plain, &size) == 0, "getsockname");
        rank.bootstrap().put(tag, std::as_bytes(std::span(&address.sin_port, 1)));
        socket_ = Descriptor(::accept(socket_.get(), nullptr, nullptr));
        require(static_cast<bool>(socket_), "accept");
    }
    const int one = 1;
    setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

void RawTcp::send(std::size_t n) {
    const std::byte* at = memory_.data();
    while (n > 0) {
        const ssize_t sent = ::send(socket_.get(), at, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0) continue;  // spins
        at += sent;
        n -= static_cast<std::size_t>(sent);
    }
}

void RawTcp::receive(std::size_t n) {
    std::byte* at = memory_.data();
    while (n > 0) {
        const ssize_t came = ::recv(socket_.get(), at, n, MSG_DONTWAIT);
        require(came != 0, "the peer has gone");
        if (came < 0) continue;  // spins
        at += came;
        n -= static_cast<std::size_t>(came);
    }
}

/// Each batch's time for one iteration, in us.
template <class Iteration>
std::vector<double> RawTcp::sample(const experiments::Sampling& sampling,
                                   const Iteration& iteration) {
    for (unsigned i = 0; i < sampling.warmup; ++i)
        iteration();
    std::vector<double> samples;
    for (unsigned s = 0; s < sampling.samples; ++s) {
        const Time start = rank_.host().now();
        for (unsigned i = 0; i < sampling.batch; ++i)
            iteration();
        samples.push_back((rank_.host().now() - start).microseconds() / sampling.batch);
    }
    return samples;
}

std::vector<double> RawTcp::ping_pong(Bytes size, const experiments::Sampling& sampling) {
    std::vector<double> samples = sample(sampling, [&] {
        if (first_) send(size.count());
        receive(size.count());
        if (!first_) send(size.count());
    });
    for (double& us : samples)
        us /= 2;
    return samples;
}

std::vector<double> RawTcp::windows(Bytes size, unsigned window,
                                    const experiments::Sampling& sampling) {
    std::vector<double> samples = sample(sampling, [&] {
        for (unsigned i = 0; i < window; ++i)
            first_ ? send(size.count()) : receive(size.count());
        first_ ? receive(1) : send(1);
    });
    const double bytes = static_cast<double>(size.count()) * window;
    for (double& us : samples)
        us = bytes / us;
    return samples;
}

using experiments::Sampling;
using fabric::Op;

namespace {

constexpr Bytes largest_flow(4 << 20);
constexpr unsigned longest_window = 64;

struct Case {
    Bytes size;
    double with_crc;
    double without;
};
constexpr Case latencies[] = {
    {Bytes(1), 1.1, 1.1}, {Bytes(1 << 10), 1.1, 1.1}, {Bytes(64 << 10), 1.7, 1.3}};
constexpr Case rates[] = {
    {Bytes(64 << 10), 0.6, 0.9}, {Bytes(1 << 20), 0.6, 0.9}, {largest_flow, 0.6, 0.9}};

std::vector<std::string> run_on_iwarp(const job::Body& body) {
    job::Options options;
    options.ranks = 2;
    options.fabric = "iwarp";
    job::Result result = job::run(options, body);
    if (!result.ok) throw Error(result.failure);
    return std::move(result.delivered);
}

std::vector<Score> play(job::Rank& rank, unsigned rounds) {
    RawTcp raw(rank, "raw", largest_flow);
    experiments::Pair pair(
        rank, "ours",
        {.buffer = 2 * largest_flow, .sends = longest_window + 8, .receives = longest_window + 1});
    std::vector<Score> scores;
    for (const Case& c : latencies) {
        // Short batches: one of them slips through between two disturbances.
        const Sampling sampling{200, 60, 50};
        scores.push_back(duel(
            rounds,
            [&] { return median(experiments::ping_pong(pair, Op::send, c.size, sampling)); },
            [&] { return median(raw.ping_pong(c.size, sampling)); }));
    }
    for (const Case& c : rates) {
        const auto window = static_cast<unsigned>(
            std::clamp<std::uint64_t>(Bytes(16 << 20) / c.size, 4, longest_window));
        const Sampling sampling{1, 9, 1};
        scores.push_back(duel(
            rounds,
            [&] {
                return median(experiments::windows(pair, Op::send, c.size, window,
                                                   experiments::Ways::one, sampling));
            },
            [&] { return median(raw.windows(c.size, window, sampling)); }));
    }
    pair.part();
    return scores;
}

void compare(const Settings& settings, const Report& report, bool crc) {
    // Ranks are started with our environment.
    setenv("RAILYARD_IWARP_CRC", crc ? "on" : "off", 1);
    const auto delivered = run_on_iwarp([&](job::Rank& rank) {
        const auto scores = play(rank, settings.rounds);
        if (rank.id() != 0) return;
        for (const Score& score : scores)
            rank.deliver(pack({score.ours, score.reference, score.ratio}));
    });
    unsetenv("RAILYARD_IWARP_CRC");
    for (std::size_t i = 0; i < delivered.size(); ++i) {
        const bool latency = i < std::size(latencies);
        const Case& c = latency ? latencies[i] : rates[i - std::size(latencies)];
        const auto n = unpack(delivered[i]);
        report({.name = fmt::format("iwarp/{}/{}{}", latency ? "latency" : "rate",
                                    short_size(c.size), crc ? "" : "/no-crc"),
                .unit = latency ? "us" : "MB/s",
                .ours = n.at(0),
                .reference = n.at(1),
                .ratio = n.at(2),
                .target = Target{latency ? Target::Kind::at_most : Target::Kind::at_least,
                                 crc ? c.with_crc : c.without},
                .note = "send; plain TCP, spinning"});
    }
}

/// Half a round trip through each of so many connections in turn.
std::vector<double> over_all(std::vector<std::unique_ptr<experiments::Pair>>& pairs) {
    std::vector<double> samples;
    for (int turn = 0; turn < 20; ++turn)
        for (auto& pair : pairs)
            samples.push_back(experiments::ping_pong(*pair, Op::send, Bytes(8), {0, 1, 4}).at(0));
    return samples;
}

void many_connections(const Settings& settings, const Report& report) {
    const auto delivered = run_on_iwarp([&](job::Rank& rank) {
        const auto connect = [&](std::string_view tag, std::size_t count) {
            std::vector<std::unique_ptr<experiments::Pair>> pairs;
            for (std::size_t i = 0; i < count; ++i)
                pairs.push_back(std::make_unique<experiments::Pair>(
                    rank, fmt::format("{}{}", tag, i), experiments::Pair::Options{Bytes(4096)}));
            return pairs;
        };
        constexpr std::size_t many = 256;
        auto one = connect("one", 1);
        auto all = connect("all", many);
        const Score score = duel(
            settings.rounds, [&] { return median(over_all(all)); },
            [&] {
                std::vector<double> samples;
                for (std::size_t i = 0; i < many; ++i)
                    samples.push_back(median(over_all(one)));
                return median(samples);
            });
        if (rank.id() == 0) rank.deliver(pack({score.ours, score.reference, score.ratio}));
        one[0]->part();
    });
    const auto n = unpack(delivered.at(0));
    report({.name = "iwarp/256-connections",
            .unit = "us",
            .ours = n.at(0),
            .reference = n.at(1),
            .ratio = n.at(2),
            .target = Target{Target::Kind::at_most, 1.5},
            .note = "8 bytes, four times on each in turn; one connection"});
}

}  // namespace

void iwarp_tcp(const Settings& settings, const Report& report) {
    compare(settings, report, true);
    compare(settings, report, false);
    many_connections(settings, report);
}

}  // namespace railyard::bench
