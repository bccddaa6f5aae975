#include "interconnects/shm/receive_queue.hpp"

#include <algorithm>
#include <bit>

#include "interconnects/shm/queue_pair.hpp"

namespace railyard::shm {

ReceiveQueue::ReceiveQueue(std::uint32_t depth, Sharing sharing)
    : entries_(std::bit_ceil(depth)),
      mask_(entries_.size() - 1),
      depth_(depth),
      sharing_(sharing) {}

Status ReceiveQueue::post(const fabric::ReceiveRequest& request) {
    if (request.local.size() > max_slices) return Code::invalid;
    std::uint64_t capacity = 0;
    for (const fabric::Slice& slice : request.local) {
        if (slice.region == nullptr) return Code::invalid;
        if (!slice.in_bounds()) return Code::out_of_bounds;
        capacity += slice.length.count();
    }
    if (owner_ != nullptr && owner_->has_failed()) [[unlikely]] {
        // As hardware does it: taken, and given back through the completion queue.
        owner_->flush_receive(request.id);
        return Code::ok;
    }
    if (tail_ - head_ == depth_) return Code::again;
    PostedReceive& entry = entries_[tail_++ & mask_];
    entry.id = request.id;
    entry.capacity = capacity;
    entry.count = static_cast<std::uint32_t>(request.local.size());
    std::copy(request.local.begin(), request.local.end(), entry.slices.begin());
    if (!starving_.empty()) [[unlikely]] {
        QueuePair* first = starving_.front();
        starving_.erase(starving_.begin());
        first->feed();
    }
    return Code::ok;
}

void ReceiveQueue::add_starving(QueuePair& queue_pair) {
    if (std::find(starving_.begin(), starving_.end(), &queue_pair) == starving_.end())
        starving_.push_back(&queue_pair);
}

void ReceiveQueue::remove_starving(QueuePair& queue_pair) {
    std::erase(starving_, &queue_pair);
}

}  // namespace railyard::shm
