/// Messages between two ranks: 64 KiB to 4 MiB, and 8 bytes; writes, reads and sends, each beside
/// the raw code that does the same.

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity.hpp"
#include "bench/suite.hpp"
#include "experiments/raw/procedures.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::bench {

namespace raw = experiments::raw;
using experiments::Memory;
using experiments::Sampling;
using fabric::Op;

namespace {

constexpr Bytes largest(4 << 20);
const std::vector<Bytes> sizes = experiments::doubling(Bytes(64 << 10), largest);

/// A window takes about a millisecond: short enough to slip through between two disturbances, long
/// enough that its reply does not count.
unsigned window_of(Bytes size) {
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(Bytes(16 << 20) / size, 4, raw::default_window));
}
constexpr Sampling window_sampling{1, 9, 1};

/// Plays one duel a size in a job of two ranks and reports it.
template <class Play>
void sweep(std::string_view name, double target, std::string_view note, const Report& report,
           Play play) {
    const auto delivered = run_job(2, [&](job::Rank& rank) {
        const auto scores = play(rank);
        if (rank.id() != 0) return;
        for (const Score& score : scores)
            rank.deliver(pack({score.ours, score.reference, score.ratio}));
    });
    for (std::size_t i = 0; i < delivered.size(); ++i) {
        const auto n = unpack(delivered[i]);
        report({.name = fmt::format("{}/{}", name, short_size(sizes.at(i))),
                .unit = "MB/s",
                .ours = n.at(0),
                .reference = n.at(1),
                .ratio = n.at(2),
                .target = Target{Target::Kind::at_least, target},
                .note = std::string(note)});
    }
}

experiments::Pair::Options windows_of(Memory memory) {
    return {.buffer = 2 * largest,
            .memory = memory,
            .sends = raw::default_window + 8,
            .receives = raw::default_window + 1};
}

double window_rate(experiments::Pair& pair, Op op, Bytes size) {
    return median(experiments::windows(pair, op, size, window_of(size), experiments::Ways::one,
                                       window_sampling));
}

}  // namespace

void rdma_write(const Settings& settings, const Report& report) {
    sweep("rdma-write", 0.95, "memory nic; copy", report, [&](job::Rank& rank) {
        raw::Pair reference(rank, "raw", largest);
        experiments::Pair pair(rank, "ours", windows_of(Memory::nic));
        std::vector<Score> scores;
        for (const Bytes size : sizes)
            scores.push_back(duel(
                settings.rounds, [&] { return window_rate(pair, Op::rdma_write, size); },
                [&] {
                    return median(raw::copy(reference, size, window_of(size), window_sampling));
                }));
        pair.part();
        return scores;
    });
}

void rdma_read(const Settings& settings, const Report& report) {
    sweep("rdma-read", 0.95, "memory user; process_vm_readv", report, [&](job::Rank& rank) {
        raw::Pair reference(rank, "raw", largest);
        std::vector<Score> scores;
        // Where the kernel forbids it there is nothing to compare with.
        if (!raw::process_vm_readv_forbidden(reference).empty()) return scores;
        experiments::Pair pair(rank, "ours", {.buffer = largest, .memory = Memory::user});
        for (const Bytes size : sizes) {
            const Sampling sampling{3, 10, static_cast<unsigned>((Bytes(8 << 20) / size))};
            const double bytes = static_cast<double>(size.count());
            scores.push_back(duel(
                settings.rounds,
                [&] {
                    const auto us = experiments::one_sided(pair, Op::rdma_read, size, sampling);
                    return us.empty() ? 1.0 : bytes / median(us);
                },
                [&] {
                    const auto rates = raw::process_vm_readv(reference, size, sampling);
                    return rates.empty() ? 1.0 : median(rates);
                }));
        }
        pair.part();
        return scores;
    });
}

void send_receive(const Settings& settings, const Report& report) {
    sweep("send-recv", 0.9, "memory user; copy_pipeline", report, [&](job::Rank& rank) {
        raw::Pair reference(rank, "raw", largest);
        experiments::Pair pair(rank, "ours", windows_of(Memory::user));
        std::vector<Score> scores;
        for (const Bytes size : sizes) {
            const raw::Cut cut = raw::best_cut(reference, size, window_of(size));
            scores.push_back(duel(
                settings.rounds, [&] { return window_rate(pair, Op::send, size); },
                [&] {
                    return median(
                        raw::copy_pipeline(reference, size, cut, window_of(size), window_sampling));
                }));
        }
        pair.part();
        return scores;
    });
}

/// From one size to the next, send/receive must not lose speed, except where the caches make raw
/// code lose it too.
void no_dip(const Settings& settings, const Report& report) {
    const std::vector<Bytes> steps = experiments::doubling(Bytes(1 << 10), largest);
    const auto delivered = run_job(2, [&](job::Rank& rank) {
        raw::Pair reference(rank, "raw", largest);
        experiments::Pair pair(rank, "ours", windows_of(Memory::user));
        std::vector<raw::Cut> cuts;
        for (const Bytes size : steps)
            cuts.push_back(raw::best_cut(reference, size, window_of(size)));
        // Neighbouring sizes are measured side by side in every round.
        std::vector<std::vector<double>> ours(steps.size());
        std::vector<std::vector<double>> limit(steps.size());
        for (unsigned round = 0; round < settings.rounds; ++round) {
            for (std::size_t i = 0; i < steps.size(); ++i) {
                // Small windows are over in microseconds: more of them to a sample.
                const unsigned window = window_of(steps[i]);
                const auto batch = static_cast<unsigned>(
                    std::max<std::uint64_t>(1, Bytes(2 << 20) / (steps[i] * window)));
                const Sampling sampling{batch, 9, batch};
                ours[i].push_back(median(experiments::windows(pair, Op::send, steps[i], window,
                                                              experiments::Ways::one, sampling)));
                limit[i].push_back(
                    median(raw::copy_pipeline(reference, steps[i], cuts[i], window, sampling)));
            }
        }
        pair.part();
        if (rank.id() != 0) return;
        for (std::size_t i = 0; i < steps.size(); ++i)
            rank.deliver(pack({median(ours[i]), median(limit[i])}));
    });

    Figure worst{.name = "no-dip", .unit = "of the size before"};
    for (std::size_t i = 1; i < delivered.size(); ++i) {
        const auto before = unpack(delivered[i - 1]);
        const auto here = unpack(delivered[i]);
        const double step = here.at(0) / before.at(0);
        const double reference = std::min(1.0, here.at(1) / before.at(1));
        if (worst.ratio && *worst.ratio <= step / reference) continue;
        worst.ours = step;
        worst.reference = reference;
        worst.ratio = step / reference;
        worst.note = fmt::format("worst at {}: {:.0f} MB/s after {:.0f}; copy_pipeline, at most 1",
                                 short_size(steps[i]), here[0], before[0]);
    }
    worst.target = Target{Target::Kind::at_least, 0.95};
    report(worst);
}

using experiments::Sampling;
using fabric::Op;

/// 8 bytes one way: written and found by watching memory, and sent through a completion queue.
void small_messages(const Settings& settings, const Report& report) {
    const auto delivered = run_job(2, [&](job::Rank& rank) {
        // A sample each of so many places in memory: lines differ by half in what they cost.
        constexpr unsigned places = 256;
        constexpr Sampling sampling{500, places, 100};
        constexpr Bytes size(8);
        constexpr Bytes memory = places * Bytes(4096);
        experiments::raw::Pair raw(rank, "raw", 2 * memory);
        experiments::Pair pair(rank, "ours", {.buffer = memory});
        const auto handover = [&] {
            return median(experiments::raw::cache_line_handover(raw, sampling));
        };
        for (const Op op : {Op::rdma_write, Op::send, Op::rdma_write_imm}) {
            const auto ours = [&] {
                return median(experiments::ping_pong(pair, op, size, sampling, places));
            };
            const Score score = duel(settings.rounds, ours, handover);
            if (rank.id() == 0) rank.deliver(pack({score.ours, score.reference, score.ratio}));
        }
        pair.part();
    });
    const auto line = [&](std::size_t i, std::string_view op, std::optional<Target> target) {
        const auto n = unpack(delivered.at(i));
        report({.name = "small-message/" + std::string(op),
                .unit = "us",
                .ours = n.at(0),
                .reference = n.at(1),
                .ratio = n.at(2),
                .target = target,
                .note = "8 bytes; cache_line_handover"});
    };
    line(0, "rdma_write", Target{Target::Kind::at_most, 1.15});
    line(1, "send_recv", Target{Target::Kind::at_most, 1.6});
    line(2, "rdma_write_imm", std::nullopt);
}

}  // namespace railyard::bench
