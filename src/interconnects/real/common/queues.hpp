#pragma once
/// Completion queues and receive queues of real fabrics. They are private to the rank: what peers
/// do reaches them through the Nic's progress.
///
/// `Parts` is a struct that names the classes of a fabric that know each other: its Nic, its
/// QueuePair, its PostedReceive, its LocalRegion and its ImportedRegion (see nic.hpp). So these are
/// written once, and no call on a message's way becomes an indirect one.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "interconnects/real/common/shape.hpp"
#include "railyard/queues.hpp"

namespace railyard::real {

template <class Parts>
class QueuePair;

/// Completions in the order in which they came. It grows rather than overrun. One thread at a time.
class CompletionRing {
  public:
    explicit CompletionRing(std::uint32_t depth)
        : entries_(std::bit_ceil(std::max(depth, 1U))), mask_(entries_.size() - 1) {}

    bool empty() const { return head_ == tail_; }
    void push(const fabric::Completion& completion) {
        if (tail_ - head_ > mask_) [[unlikely]]
            grow();
        entries_[tail_++ & mask_] = Entry(completion);
    }
    /// The oldest, as many as there are and as fit.
    std::size_t take(std::span<fabric::Completion> out) {
        const std::size_t count = std::min<std::size_t>(out.size(), tail_ - head_);
        for (std::size_t i = 0; i < count; ++i)
            entries_[head_++ & mask_].unpack(out[i]);
        return count;
    }
    /// Forgets what belongs to a queue pair that is being destroyed.
    void discard(const fabric::QueuePair* queue_pair) {
        std::uint64_t kept = head_;
        for (std::uint64_t i = head_; i != tail_; ++i) {
            const Entry entry = entries_[i & mask_];
            if (entry.queue_pair != queue_pair) entries_[kept++ & mask_] = entry;
        }
        tail_ = kept;
    }

  private:
    /// A completion in whole words. It is often read within nanoseconds of being written, and a
    /// processor forwards a word to a later load of that word, not several bytes to one.
    struct Entry {
        Entry() = default;
        explicit Entry(const fabric::Completion& c)
            : id(c.id),
              small(static_cast<std::uint64_t>(c.status.code()) |
                    static_cast<std::uint64_t>(c.op) << 8 |
                    static_cast<std::uint64_t>(c.has_immediate) << 16 |
                    static_cast<std::uint64_t>(c.immediate) << 32),
              length(c.length.count()),
              queue_pair(c.queue_pair),
              invalidated(c.invalidated) {}
        void unpack(fabric::Completion& c) const {
            c.id = id;
            c.status = static_cast<Code>(small & 0xff);
            c.op = static_cast<fabric::Op>(small >> 8 & 0xff);
            c.has_immediate = (small >> 16 & 1) != 0;
            c.immediate = static_cast<std::uint32_t>(small >> 32);
            c.length = Bytes(length);
            c.queue_pair = queue_pair;
            c.invalidated = invalidated;
        }
        std::uint64_t id = 0;
        std::uint64_t small = 0;  ///< status, operation, immediate
        std::uint64_t length = 0;
        fabric::QueuePair* queue_pair = nullptr;
        const fabric::Region* invalidated = nullptr;
    };
    void grow() {
        std::vector<Entry> larger(entries_.size() * 2);
        std::uint64_t count = 0;
        while (head_ != tail_)
            larger[count++] = entries_[head_++ & mask_];
        entries_.swap(larger);
        mask_ = entries_.size() - 1;
        head_ = 0;
        tail_ = count;
    }

    std::vector<Entry> entries_;  ///< a power of two
    std::uint64_t mask_;
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
};

template <class Parts>
class CompletionQueue final : public fabric::CompletionQueue {
  public:
    CompletionQueue(typename Parts::Nic& nic, std::uint32_t depth) : nic_(nic), ring_(depth) {}

    std::size_t poll(std::span<fabric::Completion> out) override {
        [[maybe_unused]] const auto held = nic_.guard();
        if (ring_.empty()) nic_.progress_once();
        return ring_.take(out);
    }
    void wake_for(WakeFor what) override {
        [[maybe_unused]] const auto held = nic_.guard();
        solicited_only_ = what == WakeFor::solicited;
        nic_.wake_rule_changed();
    }

    void push(const fabric::Completion& completion) { ring_.push(completion); }
    /// Forgets what belongs to a queue pair that is being destroyed.
    void discard(const fabric::QueuePair* queue_pair) { ring_.discard(queue_pair); }
    bool solicited_only() const { return solicited_only_; }
    const typename Parts::Nic& nic() const { return nic_; }

  private:
    typename Parts::Nic& nic_;
    CompletionRing ring_;
    bool solicited_only_ = false;
};

/// Posted receives, of one queue pair or of several. A PostedReceive has `id`, `capacity`,
/// `set(slices)`, and the constants `max_slices` and `made_at_first`: for how many there is room
/// before the queue grows.
template <class Parts>
class ReceiveQueue final : public fabric::ReceiveQueue {
    using Posted = typename Parts::PostedReceive;

  public:
    ReceiveQueue(typename Parts::Nic& nic, std::uint32_t depth, Sharing sharing)
        : nic_(nic),
          entries_(std::bit_ceil(std::min(depth, Posted::made_at_first))),
          mask_(entries_.size() - 1),
          depth_(depth),
          sharing_(sharing) {}

    Status post(const fabric::ReceiveRequest& request) override {
        constexpr Limits limits{Posted::max_slices, 0};
        const Shape shape = shape_of(request.local, limits, &nic_);
        if (shape.refusal != Code::ok) return shape.refusal;
        if (shape.fault != Code::ok) return shape.fault;
        [[maybe_unused]] const auto held = nic_.guard();
        if (owner_ != nullptr && owner_->has_failed()) [[unlikely]] {
            // As hardware does it: taken, and given back through the completion queue.
            owner_->flush_receive(request.id);
            return Code::ok;
        }
        if (tail_ - head_ == depth_) return Code::again;
        if (tail_ - head_ > mask_) [[unlikely]]
            grow();
        Posted& entry = entries_[tail_++ & mask_];
        entry.id = request.id;
        entry.capacity = shape.length;
        entry.set(request.local);
        if (!starving_.empty()) [[unlikely]] {
            auto* const first = static_cast<typename Parts::QueuePair*>(starving_.front());
            starving_.erase(starving_.begin());
            first->receive_posted();
        }
        return Code::ok;
    }

    bool shared() const { return sharing_ == Sharing::shared; }
    bool empty() const { return head_ == tail_; }
    /// The oldest receive; valid until the next post.
    const Posted& front() const { return entries_[head_ & mask_]; }
    void pop() { ++head_; }

    /// A queue pair with a message and no receive for it: told by receive_posted() when one is
    /// posted.
    void add_starving(QueuePair<Parts>& queue_pair) {
        if (std::ranges::find(starving_, &queue_pair) == starving_.end())
            starving_.push_back(&queue_pair);
    }
    void remove_starving(QueuePair<Parts>& queue_pair) { std::erase(starving_, &queue_pair); }
    /// The only queue pair of an own queue, once it exists.
    void set_owner(QueuePair<Parts>* owner) { owner_ = owner; }
    bool has_owner() const { return owner_ != nullptr; }
    const typename Parts::Nic& nic() const { return nic_; }

  private:
    void grow() {
        std::vector<Posted> larger(entries_.size() * 2);
        for (std::uint64_t i = head_; i != tail_; ++i)
            larger[i - head_] = entries_[i & mask_];
        tail_ -= head_;
        head_ = 0;
        entries_.swap(larger);
        mask_ = entries_.size() - 1;
    }

    typename Parts::Nic& nic_;
    std::vector<Posted> entries_;  ///< a power of two
    std::uint64_t mask_;
    std::uint32_t depth_;
    std::uint64_t head_ = 0;
    std::uint64_t tail_ = 0;
    Sharing sharing_;
    QueuePair<Parts>* owner_ = nullptr;
    std::vector<QueuePair<Parts>*> starving_;
};

}  // namespace railyard::real
