#include "experiments/bundle.hpp"

#include <algorithm>
#include <string>

#include "experiments/connecting.hpp"
#include "experiments/exchange.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

std::unique_ptr<Buffer> make_target(fabric::Nic& nic, const Bundle::Options& options) {
    if (options.target) return nullptr;
    return std::make_unique<Buffer>(nic, options.buffer, fabric::Access::all, options.memory);
}

}  // namespace

Bundle::Bundle(job::Rank& rank, std::string_view tag, const Options& options)
    : nic_(rank.nic()),
      host_(rank.host()),
      first_(rank.id() < options.peer),
      patience_(host_, traits()),
      local_(nic_, options.buffer, fabric::Access::local, options.memory),
      own_target_(make_target(nic_, options)),
      target_(options.target ? options.target : own_target_.get()),
      receive_slices_{fabric::Slice(target_->region())},
      depth_(std::max(2U, options.sends)),
      quiet_(options.ports.size(), 0) {
    if (traits().max_send_depth != 0) depth_ = std::min(depth_, traits().max_send_depth);
    sends_ = nic_.create_completion_queue(depth_ * static_cast<unsigned>(options.ports.size()));
    receives_ = nic_.create_completion_queue(options.receives);
    receive_queue_ =
        nic_.create_receive_queue(options.receives, fabric::ReceiveQueue::Sharing::shared);
    fabric::QueuePairOptions queues;
    queues.send_completions = sends_.get();
    queues.receive_completions = receives_.get();
    queues.receives = receive_queue_.get();
    queues.send_depth = depth_;
    for (const unsigned port : options.ports) {
        queues.port = port;
        queues.context = reinterpret_cast<void*>(queue_pairs_.size());
        queue_pairs_.push_back(nic_.create_queue_pair(queues));
    }
    post_receives(options.receives);
    connect(rank, tag, options.peer);
}

void Bundle::connect(job::Rank& rank, std::string_view tag, int peer) {
    const Card mine{nic_.address(), target_->region().export_blob()};
    const Card theirs = exchange(rank, peer, tag, mine);
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
    fabric::QueuePair& queue_pair = *queue_pairs_[connection];
    auto posted = queue_pair.post(requests);
    if (posted.count == requests.size()) [[likely]]
        return;
    requests = requests.subspan(posted.count);
    wait([&] {
        posted = queue_pair.post(requests);
        requests = requests.subspan(posted.count);
        return requests.empty() || posted.status.failed();
    });
    if (posted.status.failed())
        throw Error("a request was refused: " + std::string(posted.status.name()));
}

void Bundle::post_quietly(std::size_t connection, fabric::WorkRequest& request) {
    const bool signalled = ++quiet_[connection] >= depth_ / 2;
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

void Bundle::post_receives(unsigned n) {
    fabric::ReceiveRequest request;
    request.local = receive_slices_;
    for (; n > 0; --n) {
        const Status status = receive_queue_->post(request);
        if (!status.ok()) throw Error("a receive was refused: " + std::string(status.name()));
    }
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
        const auto greetings = static_cast<std::size_t>(found.end() - greeting);
        greetings_ += greetings;
        post_receives(static_cast<unsigned>(greetings));
        kept += n - greetings;
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

void Bundle::check(std::span<const fabric::Completion> completions) const {
    for (const fabric::Completion& completion : completions)
        if (!completion.status.ok()) [[unlikely]]
            throw Error(std::string(fabric::name(completion.op)) +
                        " failed: " + std::string(completion.status.name()));
}

}  // namespace railyard::experiments
