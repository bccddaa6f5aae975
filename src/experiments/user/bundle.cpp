#include "experiments/user/bundle.hpp"

#include <algorithm>
#include <string>

#include "experiments/core/exchange.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

int other_rank(const job::Rank& rank, int wanted) {
    const int peer = wanted < 0 ? 1 - rank.id() : wanted;
    if (peer < 0 || peer == rank.id() || peer >= rank.size())
        throw Error("a pair is made of ranks 0 and 1, or needs a peer");
    return peer;
}

std::unique_ptr<Buffer> make_target(fabric::Nic& nic, const Bundle::Options& options) {
    if (options.target) return nullptr;
    return std::make_unique<Buffer>(nic, options.buffer, fabric::Access::all, options.memory,
                                    options.target_home);
}

std::string text_of(Status status) {
    return std::string(status.name());
}

}  // namespace

Bundle::Bundle(job::Rank& rank, std::string_view tag, const Options& options,
               fabric::ReceiveQueue::Sharing sharing)
    : rank_(rank),
      nic_(rank.nic()),
      host_(rank.host()),
      peer_(other_rank(rank, options.peer)),
      first_(rank.id() < peer_),
      patience_(host_, traits()),
      local_(nic_, options.buffer, fabric::Access::local, options.memory, options.local_home),
      own_target_(make_target(nic_, options)),
      target_(options.target ? options.target : own_target_.get()),
      receive_slices_{fabric::Slice(target_->region())},
      quiet_(options.ports.size(), 0) {
    unsigned depth = std::max(2U, options.sends);
    if (traits().max_send_depth != 0) depth = std::min(depth, traits().max_send_depth);
    quiet_interval_ = depth / 2;
    receive_request_.local = receive_slices_;
    sends_ = nic_.create_completion_queue(depth * static_cast<unsigned>(options.ports.size()));
    const bool own = sharing == fabric::ReceiveQueue::Sharing::own;
    const std::size_t queue_count = own ? options.ports.size() : 1;
    receives_ = nic_.create_completion_queue(options.receives * static_cast<unsigned>(queue_count));
    for (std::size_t i = 0; i < queue_count; ++i)
        receive_queues_.push_back(nic_.create_receive_queue(options.receives, sharing));
    fabric::QueuePairOptions queues;
    queues.send_completions = sends_.get();
    queues.receive_completions = receives_.get();
    queues.send_depth = depth;
    for (const unsigned port : options.ports) {
        queues.port = port;
        queues.context = reinterpret_cast<void*>(queue_pairs_.size());
        queues.receives = receive_queues_[own ? queue_pairs_.size() : 0].get();
        queue_pairs_.push_back(nic_.create_queue_pair(queues));
    }
    for (std::size_t i = 0; i < queue_count; ++i)
        post_receives(i, options.receives);
    connect(tag);
}

void Bundle::connect(std::string_view tag) {
    const Card mine{nic_.address(), target_->region().export_blob()};
    const Card theirs = exchange(rank_, peer_, tag, mine);
    peer_target_ = nic_.import_region(theirs.target);
    fabric::Discriminator discriminator = discriminator_of(tag);
    for (const auto& queue_pair : queue_pairs_)
        ask(*queue_pair, theirs.address, discriminator++, patience_);
    for (const auto& queue_pair : queue_pairs_)
        await_connected(*queue_pair, patience_);
}

void Bundle::post(std::size_t connection, std::span<const fabric::WorkRequest> requests) {
    for (const fabric::WorkRequest& request : requests)
        if (!fabric::has(request.flags, fabric::Flags::unsignalled)) ++outstanding_;
    submit(*queue_pairs_[connection], requests);
}

void Bundle::submit_rest(fabric::QueuePair& queue_pair, std::span<const fabric::WorkRequest> rest) {
    Status status;
    wait([&] {
        const auto posted = queue_pair.post(rest);
        rest = rest.subspan(posted.count);
        status = posted.status;
        return rest.empty() || status.failed();
    });
    if (status.failed()) throw Error("a request was refused: " + text_of(status));
}

void Bundle::post_quietly(std::size_t connection, fabric::WorkRequest& request) {
    const bool signalled = ++quiet_[connection] >= quiet_interval_;
    request.flags = signalled ? fabric::Flags::none : fabric::Flags::unsignalled;
    if (signalled) {
        // Those asked for earlier are long there.
        poll_sent();
        quiet_[connection] = 0;
    }
    post(connection, request);
}

unsigned Bundle::poll_sent() {
    unsigned total = 0;
    for (;;) {
        const std::size_t n = sends_->poll(completions_);
        check(std::span(completions_).first(n));
        for (std::size_t i = 0; i < n; ++i)
            tally_ += completions_[i].id;
        total += static_cast<unsigned>(n);
        // To the last: nothing would call again for what is left behind.
        if (n < completions_.size()) break;
    }
    outstanding_ -= total;
    return total;
}

void Bundle::settle() {
    if (outstanding_ == 0) return;
    wait([&] {
        poll_sent();
        return outstanding_ == 0;
    });
}

void Bundle::post_receives(std::size_t connection, unsigned n) {
    fabric::ReceiveQueue& queue = *receive_queues_[receive_queues_.size() == 1 ? 0 : connection];
    for (; n > 0; --n) {
        const Status status = queue.post(receive_request_);
        if (!status.ok()) throw Error("a receive was refused: " + text_of(status));
    }
}

void Bundle::post_again(std::span<const fabric::Completion> received) {
    for (const fabric::Completion& one : received)
        post_receives(connection_of(one), 1);
}

std::size_t Bundle::poll_received(std::span<fabric::Completion> out) {
    const std::size_t n = std::min(out.size(), early_.size());
    if (n > 0) [[unlikely]] {
        std::copy_n(early_.begin(), n, out.begin());
        early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(n));
    }
    return n + poll_fresh(out.subspan(n));
}

std::size_t Bundle::poll_fresh(std::span<fabric::Completion> out) {
    std::size_t kept = 0;
    for (;;) {
        const auto room = out.subspan(kept);
        const std::size_t n = receives_->poll(room);
        check(room.first(n));
        const auto found = room.first(n);
        const auto greeting =
            std::stable_partition(found.begin(), found.end(),
                                  [](const fabric::Completion& c) { return c.has_immediate; });
        const std::span<const fabric::Completion> greetings(greeting, found.end());
        greetings_ += greetings.size();
        post_again(greetings);
        kept += n - greetings.size();
        if (n < room.size() || kept == out.size()) return kept;
    }
}

std::size_t Bundle::connection_of(const fabric::Completion& completion) {
    return reinterpret_cast<std::size_t>(completion.queue_pair->context());
}

void Bundle::meet() {
    settle();
    post(0, fabric::WorkRequest{});  // an empty send
    wait([&] {
        if (greetings_ > 0) return true;
        // The peer may be ahead, and another rail faster than that of the greeting.
        const auto came = std::span(completions_).first(poll_fresh(completions_));
        early_.insert(early_.end(), came.begin(), came.end());
        return greetings_ > 0;
    });
    --greetings_;
    settle();
}

void Bundle::fail(const fabric::Completion& completion) {
    throw Error(std::string(fabric::name(completion.op)) +
                " failed: " + text_of(completion.status));
}

void Pair::sleep_until_received() {
    patience_.wait([&] { return poll(*receives_, 1) > 0; }, fabric::Wait::sleep);
}

void Pair::settle() {
    if (signalled_pending_) wait_sent();
    signalled_pending_ = false;
    quiet_posted_ = 0;
}

void Pair::notify() {
    post(fabric::WorkRequest{});  // an empty send
    wait_sent();
}

void Pair::meet() {
    settle();
    notify();
    wait_received();
    post_receives();
}

}  // namespace railyard::experiments
