#include "interconnects/virtual/common/queues.hpp"

#include "interconnects/virtual/common/endpoint.hpp"

namespace railyard::virtual_time {

bool CompletionState::push(fabric::Completion completion, bool solicited) {
    const bool fits = held_ < depth_ || !completion.status.ok();
    if (!fits) completion.status = Code::overrun;
    const bool loud =
        wake_for == fabric::CompletionQueue::WakeFor::every || solicited || !completion.status.ok();
    entries_.push() = {completion, loud, false};
    ++held_;
    nic_->network->wire->complete(nic_->end(),
                                  {completion.op == fabric::Op::receive, completion.length},
                                  [self = shared_from_this()] { self->show_next(); });
    return fits;
}

void CompletionState::show_next() {
    const Entry& entry = entries_[shown_++];
    if (entry.discarded || !nic_->host) return;
    if (entry.loud)
        nic_->host->notify();
    else
        nic_->host->notify_quietly();
}

std::size_t CompletionState::poll(std::span<fabric::Completion> out) {
    nic_->settle();
    std::size_t n = 0;
    std::size_t receives = 0;
    while (n < out.size() && entries_.begin() != shown_) {
        const Entry& entry = entries_.front();
        if (!entry.discarded) {
            receives += entry.completion.op == fabric::Op::receive ? 1 : 0;
            out[n++] = entry.completion;
            --held_;
        }
        entries_.pop();
    }
    nic_->spend(HostStep::reap_receive, {}, receives);
    nic_->spend(HostStep::reap_send, {}, n - receives);
    if (n == 0) nic_->spend(HostStep::poll_empty);
    return n;
}

void CompletionState::discard(const fabric::QueuePair* queue_pair) {
    for (std::uint64_t i = entries_.begin(); i != entries_.end(); ++i) {
        Entry& entry = entries_[i];
        if (entry.discarded || entry.completion.queue_pair != queue_pair) continue;
        entry.discarded = true;
        --held_;
    }
    while (entries_.begin() != shown_ && entries_.front().discarded)
        entries_.pop();
}

Status ReceiveState::post(const fabric::ReceiveRequest& request) {
    nic_->spend(HostStep::post_receive);
    if (request.local.size() > nic_->network->traits.max_slices) return Code::invalid;
    if (posted_.size() == depth_) return Code::again;
    Receive& receive = posted_.push();
    receive.id = request.id;
    if (!to_pieces(request.local, *nic_, receive.local) ||
        (receive.local.size() > 1 && !stored(receive.local))) {
        posted_.pop_last();
        return Code::invalid;
    }
    const std::shared_ptr<Endpoint> endpoint = owner.lock();
    if (endpoint && endpoint->state() == fabric::ConnectionState::failed && endpoint->used()) {
        posted_.pop_last();
        endpoint->flush_receive(request.id);
        return {};
    }
    while (!posted_.empty() && !waiting_.empty()) {
        const std::shared_ptr<Endpoint> next = waiting_.front().lock();
        waiting_.pop_front();
        if (next) next->receive_posted();
    }
    return {};
}

bool ReceiveState::take(Receive& into) {
    if (posted_.empty()) return false;
    std::swap(into, posted_.front());
    posted_.pop();
    return true;
}

}  // namespace railyard::virtual_time
