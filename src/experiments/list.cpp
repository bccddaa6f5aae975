/// Every experiment, with the paper and figure it comes from and what it measures by default.

#include <array>

#include "experiments/experiment.hpp"
#include "experiments/sampling.hpp"

namespace railyard::experiments {

void limits(Context& context);
void latency_uni(Context& context);
void latency_rdma_read(Context& context);
void latency_atomic(Context& context);
void bandwidth_uni_queue(Context& context);
void bandwidth_uni_window(Context& context);
void latency_bi(Context& context);
void bandwidth_bi_queue(Context& context);
void bandwidth_bi_window(Context& context);

namespace {

using fabric::Op;

std::vector<Bytes> latency_sizes() {
    return doubling(Bytes(1), Bytes(64 << 10));
}
std::vector<Bytes> bandwidth_sizes() {
    return doubling(Bytes(1), Bytes(4 << 20));
}

std::vector<Experiment> make() {
    return {
        {.name = "limits",
         .summary = "what the machine itself can do: cache lines, copies and loopback TCP, raw",
         .source = "the physical limit; no paper",
         .run = limits,
         .raw = true,
         .defaults = {.sizes = doubling(Bytes(64 << 10), Bytes(4 << 20))},
         .takes_memory = false},
        {.name = "latency-uni",
         .summary = "one-way latency: half of a ping-pong",
         .source = "liu04 fig. 2; liu04pcie figs. 2, 3",
         .run = latency_uni,
         .defaults = {.sizes = latency_sizes(),
                      .ops = {Op::send, Op::rdma_write, Op::rdma_write_imm}}},
        {.name = "latency-rdma-read",
         .summary = "one RDMA read after the other, from post to completion",
         .source = "liu04pcie fig. 4",
         .run = latency_rdma_read,
         .defaults = {.sizes = latency_sizes(), .ops = {Op::rdma_read}}},
        {.name = "latency-atomic",
         .summary = "one atomic after the other on a word of the peer",
         .source = "liu04pcie fig. 5",
         .run = latency_atomic,
         .defaults = {.ops = {Op::fetch_add, Op::compare_swap}}},
        {.name = "bandwidth-uni-queue",
         .summary = "one-way bandwidth with a number of messages outstanding",
         .source = "liu04 figs. 3a, 3b",
         .run = bandwidth_uni_queue,
         .defaults = {.sizes = bandwidth_sizes(),
                      .ops = {Op::send, Op::rdma_write},
                      .queues = {8, 16, 100}}},
        {.name = "bandwidth-uni-window",
         .summary = "one-way bandwidth in windows of messages, each answered by a small reply",
         .source = "liu04pcie fig. 6",
         .run = bandwidth_uni_window,
         .defaults = {.sizes = bandwidth_sizes(), .ops = {Op::send, Op::rdma_write}, .window = 64}},
        {.name = "latency-bi",
         .summary = "latency while both sides send at the same time",
         .source = "liu04 fig. 4",
         .run = latency_bi,
         .defaults = {.sizes = latency_sizes(), .ops = {Op::send, Op::rdma_write}},
         .known_ops = {Op::send, Op::rdma_write, Op::rdma_write_imm}},
        {.name = "bandwidth-bi-queue",
         .summary = "both sides stream at once, with a number of messages outstanding; the sum",
         .source = "liu04 fig. 5",
         .run = bandwidth_bi_queue,
         .defaults = {.sizes = bandwidth_sizes(),
                      .ops = {Op::send, Op::rdma_write},
                      .queues = {100}}},
        {.name = "bandwidth-bi-window",
         .summary = "both sides send windows of messages at once; the sum",
         .source = "liu04pcie fig. 7",
         .run = bandwidth_bi_window,
         .defaults = {.sizes = bandwidth_sizes(), .ops = {Op::send, Op::rdma_write}, .window = 64}},
    };
}

}  // namespace

std::span<const Experiment> all() {
    static const std::vector<Experiment> experiments = make();
    return experiments;
}

}  // namespace railyard::experiments
