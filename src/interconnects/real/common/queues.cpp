#include "interconnects/real/common/queues.hpp"

#include <bit>

namespace railyard::real {

CompletionRing::CompletionRing(std::uint32_t depth)
    : entries_(std::bit_ceil(std::max(depth, 1U))), mask_(entries_.size() - 1) {}

void CompletionRing::grow() {
    std::vector<Entry> larger(entries_.size() * 2);
    std::uint64_t count = 0;
    while (head_ != tail_)
        larger[count++] = entries_[head_++ & mask_];
    entries_.swap(larger);
    mask_ = entries_.size() - 1;
    head_ = 0;
    tail_ = count;
}

void CompletionRing::discard(const fabric::QueuePair* queue_pair) {
    std::uint64_t kept = head_;
    for (std::uint64_t i = head_; i != tail_; ++i) {
        const Entry entry = entries_[i & mask_];
        if (entry.queue_pair != queue_pair) entries_[kept++ & mask_] = entry;
    }
    tail_ = kept;
}

}  // namespace railyard::real
