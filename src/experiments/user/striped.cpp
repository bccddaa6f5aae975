#include "experiments/user/striped.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace railyard::experiments {

namespace {

/// Told apart by their immediate values: on another rail, a part of the next window may overtake
/// the reply to this one.
constexpr std::uint32_t control_mark = 1;
constexpr std::uint32_t reply_mark = 2;

fabric::WorkRequest small_message(std::uint32_t mark) {
    fabric::WorkRequest request;
    request.op = fabric::Op::send;
    request.immediate = mark;
    request.with_immediate = true;
    return request;
}

}  // namespace

unsigned Striped::receives_for(unsigned window, std::size_t rails) {
    return window * static_cast<unsigned>(rails) + 4;
}

Striped::Striped(Bundle& bundle, Bytes size, unsigned window, std::vector<std::size_t> rails,
                 bool followed)
    : bundle_(bundle),
      size_(size),
      window_(window),
      rails_(std::move(rails)),
      followed_(followed),
      cut_(size > threshold && rails_.size() > 1),
      watched_(!cut_ && bundle.traits().placement == fabric::Placement::last_byte_last),
      control_(small_message(control_mark)),
      reply_(small_message(reply_mark)),
      before_(bundle.tally()),
      parts_(bundle.connections(), 0) {
    if (cut_)
        make_parts();
    else
        make_whole();
}

void Striped::make_parts() {
    const Bytes part = size_ / rails_.size();
    slices_.resize(rails_.size());
    requests_.resize(rails_.size());
    for (std::size_t i = 0; i < rails_.size(); ++i) {
        const Bytes at = i * part;
        const bool last = i + 1 == rails_.size();
        slices_[i] = fabric::Slice(bundle_.local(), at, last ? size_ - at : part);
        fabric::WorkRequest write;
        write.op = fabric::Op::rdma_write;
        write.flags = fabric::Flags::unsignalled;
        write.local = {&slices_[i], 1};
        write.remote = {&bundle_.peer_target(), at};
        control_.flags = fabric::Flags::unsignalled;
        for (unsigned n = 0; n < window_; ++n) {
            requests_[i].push_back(write);
            requests_[i].push_back(control_);
        }
        sign(requests_[i], slices_[i].length);
    }
}

void Striped::make_whole() {
    // The last message comes from a buffer of its own, since its last byte is watched; the others
    // leave that byte at 0.
    slices_ = {fabric::Slice(bundle_.local(), Bytes(0), size_),
               fabric::Slice(bundle_.local(), size_, size_)};
    fabric::WorkRequest write;
    write.op = fabric::Op::rdma_write;
    write.flags = fabric::Flags::unsignalled;
    write.local = {&slices_[0], 1};
    write.remote = {&bundle_.peer_target(), Bytes(0)};
    requests_.emplace_back(window_, write);
    requests_[0].back().local = {&slices_[1], 1};
    if (!watched_) requests_[0].push_back(control_);
    sign(requests_[0], size_);
    if (watched_) {
        slices_[0].data()[size_.count() - 1] = std::byte{0};
        bundle_.target().data()[size_.count() - 1] = std::byte{0};
    }
}

/// Asks for a completion of each message that is followed, and of the last, and says in its id how
/// many bytes have then gone since the one before.
void Striped::sign(std::vector<fabric::WorkRequest>& requests, Bytes message) const {
    Bytes gone;
    for (fabric::WorkRequest& request : requests) {
        if (request.op == fabric::Op::rdma_write) gone += message;
        const bool ends_message = !cut_ || request.op == fabric::Op::send;
        if (!(followed_ && ends_message) && &request != &requests.back()) continue;
        request.flags = fabric::Flags::none;
        request.id = std::exchange(gone, Bytes(0)).count();
    }
}

void Striped::send() {
    if (watched_) slices_[1].data()[size_.count() - 1] = sent_.next();
    if (!cut_) return bundle_.post(rails_[0], requests_[0]);
    // Message by message, so that all rails are at work from the first on.
    for (std::size_t n = 0; n < 2 * std::size_t{window_}; n += 2)
        for (std::size_t i = 0; i < rails_.size(); ++i)
            bundle_.post(rails_[i], std::span(requests_[i]).subspan(n, 2));
}

bool Striped::window_is_in() const {
    if (!cut_) return std::accumulate(parts_.begin(), parts_.end(), std::uint64_t{0}) > windows_in_;
    const std::uint64_t wanted = (windows_in_ + 1) * window_;
    return std::ranges::all_of(rails_, [&](std::size_t rail) { return parts_[rail] >= wanted; });
}

void Striped::await() {
    if (watched_) {
        const std::byte* const last = bundle_.target().data() + size_.count() - 1;
        const std::byte value = seen_.next();
        bundle_.wait([&] {
            if (fabric::arrived(last, value)) return true;
            look_at_sends();
            return false;
        });
    } else {
        bundle_.wait([&] {
            look_at_sends();
            reap();
            return window_is_in();
        });
    }
    ++windows_in_;
}

void Striped::reply() {
    bundle_.post_quietly(rails_[0], reply_);
}

void Striped::await_reply() {
    ++replies_taken_;
    bundle_.wait([&] {
        look_at_sends();
        reap();
        return replies_ >= replies_taken_;
    });
    bundle_.settle();
}

void Striped::look_at_sends() {
    if (followed_ && bundle_.poll_sent() > 0 && on_finished_) on_finished_();
}

void Striped::reap() {
    std::array<fabric::Completion, 16> completions;
    std::size_t n = 0;
    do {
        n = bundle_.poll_received(completions);
        for (const fabric::Completion& completion : std::span(completions).first(n)) {
            if (completion.immediate == reply_mark)
                ++replies_;
            else
                ++parts_[Bundle::connection_of(completion)];
        }
        bundle_.post_again(std::span(completions).first(n));
        // To the last: nothing would call again for what is left behind.
    } while (n == completions.size());
}

}  // namespace railyard::experiments
