#include "bench/duel.hpp"
#include "bench/suite.hpp"
#include "experiments/procedures.hpp"
#include "experiments/raw_limits.hpp"

namespace railyard::bench {

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
