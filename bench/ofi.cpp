/// The fabric `ofi` beside libfabric itself: the same provider, the same two ranks, raw code.

#include <fmt/format.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "bench/suite.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/user/procedures.hpp"
#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"

namespace railyard::bench {

using experiments::Sampling;
using fabric::Op;

namespace {

constexpr const char* provider = "tcp";
constexpr Bytes small(8);
constexpr Bytes large(512 << 10);
constexpr unsigned window = 16;

void require(long error, const char* what) {
    if (error >= 0) return;
    throw Error(fmt::format("raw libfabric: {}: {}", what, fi_strerror(static_cast<int>(-error))));
}

/// Two ranks and one connection, spinning: no more than a ping-pong needs.
class RawOfi {
  public:
    explicit RawOfi(job::Rank& rank);
    ~RawOfi();

    /// Half of each round trip, in us.
    std::vector<double> ping_pong(const Sampling& sampling);
    /// RDMA writes, each window answered by a message: MB/s.
    std::vector<double> windows(const Sampling& sampling);

  private:
    void open(fi_info* info);
    void await_connected();
    void send();
    void receive();
    void post_receive();
    std::uint64_t await_completion();
    template <class Iteration>
    std::vector<double> sample(const Sampling& sampling, const Iteration& iteration);

    job::Rank& rank_;
    bool first_;
    fi_info* info_ = nullptr;
    fid_fabric* fabric_ = nullptr;
    fid_domain* domain_ = nullptr;
    fid_eq* events_ = nullptr;
    fid_cq* completions_ = nullptr;
    fid_pep* listening_ = nullptr;
    fid_ep* endpoint_ = nullptr;
    fid_mr* region_ = nullptr;
    std::vector<std::byte> memory_;
    std::uint64_t remote_key_ = 0;
    unsigned received_ = 0;
};

RawOfi::RawOfi(job::Rank& rank) : rank_(rank), first_(rank.id() == 0), memory_(2 * large.count()) {
    fi_info* const hints = fi_allocinfo();
    hints->caps = FI_MSG | FI_RMA;
    hints->ep_attr->type = FI_EP_MSG;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->fabric_attr->prov_name = strdup(provider);
    require(fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints, &info_), "fi_getinfo");
    fi_freeinfo(hints);
    require(fi_fabric(info_->fabric_attr, &fabric_, nullptr), "fi_fabric");
    require(fi_domain(fabric_, info_, &domain_, nullptr), "fi_domain");
    fi_eq_attr events{};
    require(fi_eq_open(fabric_, &events, &events_, nullptr), "fi_eq_open");
    fi_cq_attr completions{};
    completions.format = FI_CQ_FORMAT_MSG;
    require(fi_cq_open(domain_, &completions, &completions_, nullptr), "fi_cq_open");
    const std::uint64_t access =
        FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
    require(fi_mr_reg(domain_, memory_.data(), memory_.size(), access, 0,
                      static_cast<std::uint64_t>(rank.id()) + 1, 0, &region_, nullptr),
            "fi_mr_reg");
    std::array<std::byte, 128> name{};
    if (first_) {
        const auto to = rank.bootstrap().get(1, "raw ofi");
        info_->dest_addr = std::malloc(to.size());
        std::memcpy(info_->dest_addr, to.data(), to.size());
        info_->dest_addrlen = info_->src_addrlen;
        open(info_);
        require(fi_connect(endpoint_, info_->dest_addr, nullptr, 0), "fi_connect");
    } else {
        require(fi_passive_ep(fabric_, info_, &listening_, nullptr), "fi_passive_ep");
        require(fi_pep_bind(listening_, &events_->fid, 0), "fi_pep_bind");
        require(fi_listen(listening_), "fi_listen");
        std::size_t size = name.size();
        require(fi_getname(&listening_->fid, name.data(), &size), "fi_getname");
        rank.bootstrap().put("raw ofi", name);
    }
    await_connected();
    const std::uint64_t key = fi_mr_key(region_);
    rank.bootstrap().put("raw key", std::as_bytes(std::span(&key, 1)));
    const auto theirs = rank.bootstrap().get(1 - rank.id(), "raw key");
    std::memcpy(&remote_key_, theirs.data(), sizeof remote_key_);
}

RawOfi::~RawOfi() {
    for (fid* opened : std::initializer_list<fid*>{
             endpoint_ != nullptr ? &endpoint_->fid : nullptr,
             listening_ != nullptr ? &listening_->fid : nullptr,
             region_ != nullptr ? &region_->fid : nullptr, &completions_->fid, &events_->fid,
             &domain_->fid, &fabric_->fid})
        if (opened != nullptr) fi_close(opened);
    fi_freeinfo(info_);
}

void RawOfi::open(fi_info* info) {
    require(fi_endpoint(domain_, info, &endpoint_, nullptr), "fi_endpoint");
    require(fi_ep_bind(endpoint_, &events_->fid, 0), "binding events");
    require(fi_ep_bind(endpoint_, &completions_->fid, FI_TRANSMIT | FI_RECV), "binding a queue");
    require(fi_enable(endpoint_), "fi_enable");
    post_receive();
}

void RawOfi::await_connected() {
    for (;;) {
        alignas(fi_eq_cm_entry) std::array<std::byte, 256> bytes;
        std::uint32_t event = 0;
        const ssize_t n = fi_eq_read(events_, &event, bytes.data(), bytes.size(), 0);
        if (n == -FI_EAGAIN) continue;
        require(n, "fi_eq_read");
        if (event == FI_CONNECTED) return;
        if (event != FI_CONNREQ) throw Error("raw libfabric: there is no connection");
        fi_info* const asked = reinterpret_cast<fi_eq_cm_entry*>(bytes.data())->info;
        open(asked);
        require(fi_accept(endpoint_, nullptr, 0), "fi_accept");
        fi_freeinfo(asked);
    }
}

std::uint64_t RawOfi::await_completion() {
    fi_cq_msg_entry entry;
    for (;;) {
        const ssize_t n = fi_cq_read(completions_, &entry, 1);
        if (n == 1) break;
        if (n != -FI_EAGAIN) require(n, "fi_cq_read");
    }
    if ((entry.flags & FI_RECV) != 0) ++received_;
    return entry.flags;
}

void RawOfi::post_receive() {
    require(fi_recv(endpoint_, memory_.data() + large.count(), small.count(), nullptr, 0, nullptr),
            "fi_recv");
}

void RawOfi::send() {
    while (fi_inject(endpoint_, memory_.data(), small.count(), 0) == -FI_EAGAIN) {
        fi_cq_msg_entry entry;
        (void)fi_cq_read(completions_, &entry, 0);
    }
}

void RawOfi::receive() {
    while (received_ == 0)
        await_completion();
    --received_;
    post_receive();
}

template <class Iteration>
std::vector<double> RawOfi::sample(const Sampling& sampling, const Iteration& iteration) {
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

std::vector<double> RawOfi::ping_pong(const Sampling& sampling) {
    std::vector<double> samples = sample(sampling, [&] {
        if (first_) send();
        receive();
        if (!first_) send();
    });
    for (double& us : samples)
        us /= 2;
    return samples;
}

std::vector<double> RawOfi::windows(const Sampling& sampling) {
    std::vector<double> samples = sample(sampling, [&] {
        unsigned begun = 0, done = 0;
        while (first_ && done < window) {
            if (begun < window) {
                const ssize_t error = fi_write(endpoint_, memory_.data(), large.count(), nullptr, 0,
                                               0, remote_key_, nullptr);
                if (error == 0)
                    ++begun;
                else if (error != -FI_EAGAIN)
                    require(error, "fi_write");
            }
            fi_cq_msg_entry entry;
            const ssize_t n = fi_cq_read(completions_, &entry, 1);
            if (n == 1)
                (entry.flags & FI_RECV) != 0 ? ++received_ : ++done;
            else if (n != -FI_EAGAIN)
                require(n, "fi_cq_read");
        }
        if (first_) send();
        receive();
        if (!first_) send();
    });
    const double bytes = static_cast<double>(large.count()) * window;
    for (double& us : samples)
        us = bytes / us;
    return samples;
}

std::vector<Score> play(job::Rank& rank, unsigned rounds) {
    RawOfi raw(rank);
    experiments::Pair pair(rank, "ours",
                           {.buffer = 2 * large, .sends = window + 8, .receives = window + 1});
    const Sampling short_batches{200, 60, 50}, few{1, 9, 1};
    std::vector<Score> scores;
    scores.push_back(duel(
        rounds,
        [&] { return median(experiments::ping_pong(pair, Op::send, small, short_batches)); },
        [&] { return median(raw.ping_pong(short_batches)); }));
    for (const Op op : {Op::rdma_write, Op::send})
        scores.push_back(duel(
            rounds,
            [&] {
                return median(
                    experiments::windows(pair, op, large, window, experiments::Ways::one, few));
            },
            [&] { return median(raw.windows(few)); }));
    pair.part();
    return scores;
}

}  // namespace

void ofi_raw(const Settings& settings, const Report& report) {
    job::Options options;
    options.ranks = 2;
    options.fabric = std::string("ofi:") + provider;
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        const auto scores = play(rank, settings.rounds);
        if (rank.id() != 0) return;
        for (const Score& score : scores)
            rank.deliver(pack({score.ours, score.reference, score.ratio}));
    });
    if (!result.ok) throw Error(result.failure);
    constexpr std::array names = {"latency/8", "rate/512K/write", "rate/512K/send"};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto n = unpack(result.delivered.at(i));
        const bool latency = i == 0;
        report({.name = fmt::format("ofi/{}", names[i]),
                .unit = latency ? "us" : "MB/s",
                .ours = n.at(0),
                .reference = n.at(1),
                .ratio = n.at(2),
                .target = Target{latency ? Target::Kind::at_most : Target::Kind::at_least,
                                 latency ? 1.1 : 0.95},
                .note = latency ? "send; raw libfabric, the same provider"
                                : "raw writes of libfabric, the same provider"});
    }
}

}  // namespace railyard::bench
