#include "interconnects/iwarp/completion_queue.hpp"

#include <algorithm>
#include <bit>

#include "interconnects/iwarp/nic.hpp"

namespace railyard::iwarp {

CompletionQueue::CompletionQueue(Nic& nic, std::uint32_t depth)
    : nic_(nic), entries_(std::bit_ceil(std::max(depth, 1U))), mask_(entries_.size() - 1) {}

std::size_t CompletionQueue::poll(std::span<fabric::Completion> out) {
    const auto guard = nic_.guard();
    if (head_ == tail_) nic_.progress_once();
    const std::size_t count = std::min<std::size_t>(out.size(), tail_ - head_);
    for (std::size_t i = 0; i < count; ++i)
        entries_[head_++ & mask_].unpack(out[i]);
    return count;
}

void CompletionQueue::wake_for(WakeFor what) {
    const auto guard = nic_.guard();
    solicited_only_ = what == WakeFor::solicited;
}

void CompletionQueue::grow() {
    std::vector<Entry> larger(entries_.size() * 2);
    std::uint64_t count = 0;
    while (head_ != tail_)
        larger[count++] = entries_[head_++ & mask_];
    entries_.swap(larger);
    mask_ = entries_.size() - 1;
    head_ = 0;
    tail_ = count;
}

void CompletionQueue::discard(const fabric::QueuePair* queue_pair) {
    std::uint64_t kept = head_;
    for (std::uint64_t i = head_; i != tail_; ++i) {
        const Entry entry = entries_[i & mask_];
        if (entry.queue_pair != queue_pair) entries_[kept++ & mask_] = entry;
    }
    tail_ = kept;
}

}  // namespace railyard::iwarp
