#include "interconnects/real/iwarp/receive_queue.hpp"

#include <algorithm>
#include <bit>

#include "interconnects/real/common/shape.hpp"
#include "interconnects/real/iwarp/nic.hpp"
#include "interconnects/real/iwarp/queue_pair.hpp"
#include "interconnects/real/iwarp/region.hpp"

namespace railyard::iwarp {

namespace {
constexpr std::uint32_t depth_at_first = 4;
constexpr real::Limits limits{max_slices, 0};
}  // namespace

ReceiveQueue::ReceiveQueue(Nic& nic, std::uint32_t depth, Sharing sharing)
    : nic_(nic),
      entries_(std::bit_ceil(std::min(depth, depth_at_first))),
      mask_(entries_.size() - 1),
      depth_(depth),
      sharing_(sharing) {}

Status ReceiveQueue::post(const fabric::ReceiveRequest& request) {
    const real::Shape shape = real::shape_of(request.local, limits);
    if (shape.refusal != Code::ok) return shape.refusal;
    if (shape.fault != Code::ok) return shape.fault;
    const auto guard = nic_.guard();
    return enter(request, shape.length);
}

Status ReceiveQueue::enter(const fabric::ReceiveRequest& request, std::uint64_t capacity) {
    if (owner_ != nullptr && owner_->has_failed()) [[unlikely]] {
        // As hardware does it: taken, and given back through the completion queue.
        owner_->flush_receive(request.id);
        return Code::ok;
    }
    if (tail_ - head_ == depth_) return Code::again;
    if (tail_ - head_ > mask_) [[unlikely]] {
        std::vector<PostedReceive> larger(entries_.size() * 2);
        for (std::uint64_t i = head_; i != tail_; ++i)
            larger[i - head_].copy_from(entries_[i & mask_]);
        tail_ -= head_;
        head_ = 0;
        entries_.swap(larger);
        mask_ = entries_.size() - 1;
    }
    PostedReceive& entry = entries_[tail_++ & mask_];
    entry.id = request.id;
    entry.capacity = capacity;
    entry.count = 0;
    for (const fabric::Slice& slice : request.local)
        if (slice.length > Bytes())
            entry.places[entry.count++] = {slice.data(), slice.length.count(),
                                           static_cast<const LocalRegion*>(slice.region)->lease()};
    if (!starving_.empty()) [[unlikely]] {
        QueuePair* const first = starving_.front();
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

}  // namespace railyard::iwarp
