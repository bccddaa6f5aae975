#include "experiments/line.hpp"

namespace railyard::experiments {

Line::Line(Pair& pair, fabric::Op op, Bytes size)
    : Line(pair, {.op = op,
                  .size = size,
                  .notice = op == fabric::Op::rdma_write ? Notice::memory : Notice::completion}) {}

Line::Line(Pair& pair, const Options& options)
    : pair_(pair), options_(options), size_(options.size) {
    request_.op = options.op;
    request_.local = {&source_, 1};
    empty_.op = fabric::Op::send;
    move_to(Bytes(0));
    if (watched()) pair_.target().data()[size_.count() - 1] = std::byte{0};
}

void Line::move_to(Bytes at) {
    source_ = fabric::Slice(pair_.local(), at, size_);
    if (request_.op != fabric::Op::send) request_.remote = {&pair_.peer_target(), at};
    if (watched()) in_ = pair_.target().data() + (at + size_).count() - 1;
}

}  // namespace railyard::experiments
