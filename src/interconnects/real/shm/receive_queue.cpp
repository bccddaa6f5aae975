#include "interconnects/real/shm/receive_queue.hpp"

#include <algorithm>
#include <bit>

#include "interconnects/real/common/shape.hpp"
#include "interconnects/real/shm/queue_pair.hpp"

namespace railyard::shm {

namespace {
constexpr real::Limits receive_limits{max_slices, 0};
}  // namespace

ReceiveQueue::ReceiveQueue(std::uint32_t depth, Sharing sharing)
    : entries_(std::bit_ceil(depth)),
      mask_(entries_.size() - 1),
      depth_(depth),
      sharing_(sharing) {}

Status ReceiveQueue::post(const fabric::ReceiveRequest& request) {
    const real::Shape shape = real::shape_of(request.local, receive_limits);
    if (shape.refusal != Code::ok) return shape.refusal;
    if (shape.fault != Code::ok) return shape.fault;
    if (owner_ != nullptr && owner_->has_failed()) [[unlikely]] {
        // As hardware does it: taken, and given back through the completion queue.
        owner_->flush_receive(request.id);
        return Code::ok;
    }
    if (tail_ - head_ == depth_) return Code::again;
    PostedReceive& entry = entries_[tail_++ & mask_];
    entry.id = request.id;
    entry.capacity = shape.length;
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
