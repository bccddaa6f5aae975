#pragma once
/// What the queue pairs of real fabrics have in common: the checks when one is made, its state, its
/// completions, and flushing after an error. The data path is each fabric's own.

#include <cstdint>

#include <fmt/format.h>

#include "interconnects/real/common/queues.hpp"
#include "railyard/base/error.hpp"
#include "railyard/queue_pair.hpp"
#include "railyard/traits.hpp"

namespace railyard::real {

/// `Parts`: see queues.hpp. A fabric's queue pair adds `receive_posted()`: a receive has been
/// posted while it starved.
template <class Parts>
class QueuePair : public fabric::QueuePair {
  public:
    fabric::ConnectionState state() final {
        // Who only asks never waits, and nobody else looks at the clock then.
        nic_.tick(nic_.host().now());
        [[maybe_unused]] const auto held = nic_.guard();
        nic_.progress_once();
        return state_;
    }
    Status reason() const final {
        [[maybe_unused]] const auto held = nic_.guard();
        return reason_;
    }
    const fabric::PrivateData& peer_data() const final { return peer_data_; }

    bool is_connecting() const { return state_ == fabric::ConnectionState::connecting; }
    /// Over for good; an attempt to connect that came to nothing can be repeated.
    bool has_failed() const {
        return state_ == fabric::ConnectionState::failed && reason_ != Code::refused &&
               reason_ != Code::timed_out;
    }
    /// Gives a receive back that will have no message any more.
    void flush_receive(std::uint64_t id) { complete_receive(id, Code::flushed); }

  protected:
    using CompletionQueue = real::CompletionQueue<Parts>;
    using ReceiveQueue = real::ReceiveQueue<Parts>;

    /// Throws UsageError where the options are wrong.
    QueuePair(typename Parts::Nic& nic, const fabric::QueuePairOptions& options)
        : fabric::QueuePair(options.context),
          nic_(nic),
          send_depth_(options.send_depth),
          send_completions_(own<CompletionQueue>(options.send_completions, "send_completions")),
          receive_completions_(
              own<CompletionQueue>(options.receive_completions, "receive_completions")),
          receives_(own<ReceiveQueue>(options.receives, "receives")) {
        const fabric::Traits& traits = nic.traits();
        if (send_depth_ == 0 || send_depth_ > traits.max_send_depth)
            throw UsageError(fmt::format("send depth of a queue pair: 1 to {}, found {}",
                                         traits.max_send_depth, send_depth_));
        if (options.port >= traits.ports)
            throw UsageError(fmt::format("port of a queue pair: {} has {}, from 0 on; found {}",
                                         traits.name, traits.ports, options.port));
        if (receives_->shared()) return;
        if (receives_->has_owner())
            throw UsageError("a receive queue of Sharing::own serves one queue pair only");
        receives_->set_owner(this);
    }
    /// For the destructor, after close() and under a guard: no queue knows of it any more.
    void leave_queues() {
        receives_->remove_starving(*this);
        if (!receives_->shared()) receives_->set_owner(nullptr);
        send_completions_->discard(this);
        receive_completions_->discard(this);
    }

    Status may_connect() const {
        if (state_ == fabric::ConnectionState::idle) return Code::ok;
        // An attempt that came to nothing leaves the queue pair as it was.
        const bool again = state_ == fabric::ConnectionState::failed && !has_failed();
        return again ? Code::ok : Code::invalid;
    }
    /// The answer to a post while it is not connected.
    Posted not_accepting() const { return {0, has_failed() ? Code::flushed : Code::not_connected}; }

    void complete_send(std::uint64_t id, fabric::Op op, Code status, std::uint64_t length) {
        fabric::Completion completion;
        completion.id = id;
        completion.status = status;
        completion.op = op;
        completion.length = Bytes(length);
        completion.queue_pair = this;
        send_completions_->push(completion);
    }
    void complete_receive(std::uint64_t id, Code status) {
        fabric::Completion completion;
        completion.id = id;
        completion.status = status;
        completion.op = fabric::Op::receive;
        completion.queue_pair = this;
        receive_completions_->push(completion);
    }
    /// After an error: all receives that are its own. Those of a shared queue stay for others.
    void flush_receives() {
        receives_->remove_starving(*this);
        if (receives_->shared()) return;
        for (; !receives_->empty(); receives_->pop())
            flush_receive(receives_->front().id);
    }

    // What a small message touches comes first.
    typename Parts::Nic& nic_;
    fabric::ConnectionState state_ = fabric::ConnectionState::idle;
    Code reason_ = Code::ok;
    std::uint32_t send_depth_;
    CompletionQueue* send_completions_;
    CompletionQueue* receive_completions_;
    ReceiveQueue* receives_;
    fabric::PrivateData peer_data_;

  private:
    /// A queue that the user names, if it is one of this Nic.
    template <class Queue, class Given>
    Queue* own(Given* given, const char* what) const {
        auto* const queue = dynamic_cast<Queue*>(given);
        if (queue == nullptr || &queue->nic() != &nic_)
            throw UsageError(
                fmt::format("queue pair: {} must be a queue of the same Nic{}", what,
                            given == nullptr ? "; there is none" : ", and is another's"));
        return queue;
    }
};

}  // namespace railyard::real
