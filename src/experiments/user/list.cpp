/// Every experiment on the user-level interface and the raw ones, with the paper and figure it
/// comes from and what it measures by default.

#include <vector>

#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"

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
void quadrics_ping_uni(Context& context);
void quadrics_ping_bi(Context& context);
void quadrics_hotspot(Context& context);
void bandwidth_uni_two_port(Context& context);
void bandwidth_bi_two_port(Context& context);
void bandwidth_uni_two_process(Context& context);
void bandwidth_bi_two_process(Context& context);
void user_pingpong(Context& context);
void multiconn_latency(Context& context);
void multiconn_throughput(Context& context);
void host_overhead_latency(Context& context);
void host_overhead_bandwidth(Context& context);
void completion_polling(Context& context);
void completion_blocking(Context& context);
void buffer_reuse_fifo(Context& context);
void buffer_reuse_percent(Context& context);
void hotspot_send(Context& context);
void hotspot_recv(Context& context);
void victim_flow(Context& context);

namespace {

using fabric::Op;

std::vector<Bytes> latency_sizes() {
    return doubling(Bytes(1), Bytes(64 << 10));
}
std::vector<Bytes> bandwidth_sizes() {
    return doubling(Bytes(1), Bytes(4 << 20));
}

/// petrini02 begins with no bytes at all.
std::vector<Bytes> placement_sizes() {
    std::vector<Bytes> sizes = bandwidth_sizes();
    sizes.insert(sizes.begin(), Bytes(0));
    return sizes;
}
/// Up to where liu04pcie's figures go: the cost of cutting shows in the size of a message.
std::vector<Bytes> port_sizes() {
    return doubling(Bytes(1), Bytes(1 << 20));
}
std::vector<Bytes> connection_sizes() {
    return {Bytes(4), Bytes(64), Bytes(1 << 10), Bytes(4 << 10), Bytes(16 << 10)};
}

}  // namespace

std::vector<Experiment> user_experiments() {
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
        {.name = "host-overhead-latency",
         .summary = "processor time of both sides for one message of a ping-pong",
         .source = "liu04 fig. 6",
         .run = host_overhead_latency,
         .defaults = {.sizes = latency_sizes(), .ops = {Op::rdma_write}},
         .known_ops = {Op::send, Op::rdma_write}},
        {.name = "host-overhead-bandwidth",
         .summary = "a stream beside a computation: bandwidth against the processor's share in it",
         .source = "liu04 fig. 7",
         .run = host_overhead_bandwidth,
         .defaults = {.sizes = {Bytes(256 << 10)}, .ops = {Op::rdma_write}, .queues = {16}},
         .known_ops = {Op::send, Op::rdma_write}},
        {.name = "completion-polling",
         .summary = "what it costs to be told of an RDMA write, against watching memory for it",
         .source = "liu04 fig. 8a",
         .run = completion_polling,
         .defaults = {.sizes = latency_sizes(), .ops = {Op::rdma_write}}},
        {.name = "completion-blocking",
         .summary = "the same for a receiver that sleeps",
         .source = "liu04 fig. 8b",
         .run = completion_blocking,
         .defaults = {.sizes = latency_sizes(), .ops = {Op::rdma_write}}},
        {.name = "buffer-reuse-fifo",
         .summary = "one-way bandwidth of a stream that goes round a number of buffers",
         .source = "liu04 fig. 9",
         .run = buffer_reuse_fifo,
         .defaults = {.sizes = {Bytes(512 << 10)},
                      .ops = {Op::rdma_write},
                      .queues = {16},
                      .buffers = {1, 2, 4, 8, 10, 11, 12, 16, 20, 25, 30}}},
        {.name = "buffer-reuse-percent",
         .summary =
             "latency and bandwidth when a part of the messages use buffers never used before",
         .source = "liu04 figs. 10a, 10b",
         .run = buffer_reuse_percent,
         .defaults = {.ops = {Op::rdma_write}, .queues = {16}}},
        {.name = "hotspot-send",
         .summary = "a master sends to each of its slaves: until the last of them has its message",
         .source = "liu04 fig. 11a",
         .run = hotspot_send,
         .most_ranks = 8,
         .virtual_ranks = 8,
         .real_ranks = 8,
         .defaults = {.sizes = {Bytes(4)}, .ops = {Op::send, Op::rdma_write}}},
        {.name = "hotspot-recv",
         .summary = "a master releases each of its slaves, and each sends it a message",
         .source = "liu04 fig. 11b",
         .run = hotspot_recv,
         .most_ranks = 8,
         .virtual_ranks = 8,
         .real_ranks = 8,
         .defaults = {.sizes = {Bytes(4)}, .ops = {Op::send, Op::rdma_write}}},
        {.name = "victim-flow",
         .summary = "what a flow gets that shares a link, not its end, with many who send to one",
         .source = "congestion; no paper",
         .run = victim_flow,
         .least_ranks = 4,
         .most_ranks = 64,
         .virtual_ranks = 8,
         .defaults = {.sizes = {Bytes(64 << 10)}, .ops = {Op::rdma_write}}},
        {.name = "quadrics-ping-uni",
         .summary =
             "latency and bandwidth with buffers in main memory or the adapter's, and tagged",
         .source = "petrini02 figs. 6a, 6b",
         .run = quadrics_ping_uni,
         .defaults = {.sizes = placement_sizes(),
                      .ops = {Op::rdma_write, Op::rdma_write_imm, Op::send},
                      .queues = {16}},
         .takes_memory = false},
        {.name = "quadrics-ping-bi",
         .summary = "the same while both sides send; bandwidth is half of both ways",
         .source = "petrini02 figs. 7a, 7b",
         .run = quadrics_ping_bi,
         .defaults = {.sizes = placement_sizes(),
                      .ops = {Op::rdma_write, Op::rdma_write_imm, Op::send},
                      .queues = {16}},
         .takes_memory = false},
        {.name = "quadrics-hotspot",
         .summary = "several ranks read, then write, the same block of one",
         .source = "petrini02 fig. 8",
         .run = quadrics_hotspot,
         .most_ranks = 16,
         .virtual_ranks = 16,
         .defaults = {.sizes = {Bytes(64 << 10), Bytes(256 << 10)},
                      .ops = {Op::rdma_read, Op::rdma_write}}},
        {.name = "bandwidth-uni-two-port",
         .summary = "one-way bandwidth in windows, each message striped over two ports",
         .source = "liu04pcie fig. 8",
         .run = bandwidth_uni_two_port,
         .defaults = {.sizes = port_sizes(), .ops = {Op::rdma_write}, .window = 64}},
        {.name = "bandwidth-bi-two-port",
         .summary =
             "both sides send windows over two ports, striped or one port a direction; the sum",
         .source = "liu04pcie fig. 9",
         .run = bandwidth_bi_two_port,
         .defaults = {.sizes = port_sizes(), .ops = {Op::rdma_write}, .window = 64}},
        {.name = "bandwidth-uni-two-process",
         .summary = "two processes a node send windows, striped or a port each; the sum",
         .source = "liu04pcie fig. 10",
         .run = bandwidth_uni_two_process,
         .least_ranks = 4,
         .most_ranks = 4,
         .ranks_per_node = 2,
         .defaults = {.sizes = port_sizes(), .ops = {Op::rdma_write}, .window = 64}},
        {.name = "bandwidth-bi-two-process",
         .summary = "two processes a node send and receive windows at once; the sum",
         .source = "liu04pcie fig. 11",
         .run = bandwidth_bi_two_process,
         .least_ranks = 4,
         .most_ranks = 4,
         .ranks_per_node = 2,
         .defaults = {.sizes = port_sizes(), .ops = {Op::rdma_write}, .window = 64}},
        {.name = "user-pingpong",
         .summary = "latency by ping-pong, and the bandwidth that follows from it",
         .source = "rashti07 fig. 1",
         .run = user_pingpong,
         .defaults = {.sizes = bandwidth_sizes(), .ops = {Op::rdma_write, Op::send}}},
        {.name = "multiconn-latency",
         .summary = "a ping-pong over up to 256 connections in turn; time a message",
         .source = "rashti07 fig. 2",
         .run = multiconn_latency,
         .defaults = {.sizes = connection_sizes(), .ops = {Op::rdma_write}}},
        {.name = "multiconn-throughput",
         .summary = "both sides stream over up to 256 connections in turn; the sum",
         .source = "rashti07 fig. 2",
         .run = multiconn_throughput,
         .defaults = {.sizes = connection_sizes(), .ops = {Op::rdma_write}}},
    };
}

}  // namespace railyard::experiments
