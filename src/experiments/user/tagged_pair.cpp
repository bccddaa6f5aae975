#include "experiments/user/tagged_pair.hpp"

#include <algorithm>
#include <string>

#include "experiments/core/exchange.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

fabric::TaggedPort& port_of(fabric::Nic& nic) {
    fabric::TaggedPort* const port = nic.tagged_port();
    if (!port) throw Error(nic.traits().name + " has no tagged port");
    return *port;
}

}  // namespace

TaggedPair::TaggedPair(job::Rank& rank, std::string_view tag, Bytes buffer)
    : host_(rank.host()),
      port_(port_of(rank.nic())),
      first_(rank.id() == 0),
      patience_(host_, rank.nic().traits()),
      out_(make_pages(buffer)),
      in_(make_pages(buffer)),
      bits_(discriminator_of(tag) << 1) {
    const int peer = 1 - rank.id();
    peer_ = port_.peer(exchange(rank, peer, tag, rank.nic().address()));
}

/// Back-pressure is no failure: again, until it is taken.
template <class Call>
void TaggedPair::insist(Call call) {
    Status status = call();
    if (status.again()) {
        patience_.wait([&] {
            poll();
            return !(status = call()).again();
        });
    }
    if (!status.ok()) throw Error("a tagged request was refused: " + std::string(status.name()));
}

void TaggedPair::expect_one(Kind kind, Bytes size) {
    fabric::TaggedReceive request;
    request.from = peer_;
    request.bits = bits_ | kind;
    request.buffer = {in_.get(), size.count()};
    insist([&] { return port_.receive(request); });
}

void TaggedPair::expect(Bytes size, unsigned n) {
    for (; n > 0 && to_come_ > 0; --n, --to_come_)
        expect_one(message, size);
}

void TaggedPair::send(Kind kind, Bytes size) {
    fabric::TaggedSend request;
    request.id = kind;
    request.to = peer_;
    request.bits = bits_ | kind;
    request.data = {out_.get(), size.count()};
    insist([&] { return port_.send(request); });
    ++sending_[kind];
}

void TaggedPair::poll() {
    std::size_t n = 0;
    do {
        n = port_.poll(completions_);
        for (const auto& completion : std::span(completions_).first(n)) {
            if (!completion.status.ok())
                throw Error("a tagged message failed: " + std::string(completion.status.name()));
            if (completion.receive)
                ++received_[completion.bits & 1];
            else
                --sending_[completion.id];
        }
    } while (n == completions_.size());
}

void TaggedPair::wait_received(Kind kind, unsigned n) {
    patience_.wait([&] {
        if (received_[kind] < n) poll();
        return received_[kind] >= n;
    });
    received_[kind] -= n;
}

void TaggedPair::wait_sent(Kind kind) {
    if (sending_[kind] == 0) return;
    patience_.wait([&] {
        poll();
        return sending_[kind] == 0;
    });
}

std::vector<double> TaggedPair::ping_pong(Bytes size, const Sampling& sampling) {
    to_come_ = sampling.total();
    expect(size, 1);
    const auto times = time_batches(host_, sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            if (first_) send(message, size);
            wait_received(message);
            if (!first_) send(message, size);
            expect(size, 1);
            // One's own message has long left: the peer has answered it, or soon will.
            if (first_) wait_sent(message);
        }
    });
    wait_sent(message);
    return microseconds(times, 2.0 * sampling.batch);
}

std::vector<double> TaggedPair::cross(Bytes size, const Sampling& sampling) {
    to_come_ = sampling.total();
    // One side may be a whole message ahead of the other.
    expect(size, 2);
    const auto times = time_batches(host_, sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            send(message, size);
            wait_received(message);
            expect(size, 1);
        }
    });
    wait_sent(message);
    return microseconds(times, sampling.batch);
}

std::vector<double> TaggedPair::windows(Bytes size, unsigned window, Ways ways,
                                        const Sampling& sampling) {
    const bool sends = first_ || ways == Ways::both;
    const bool receives = !first_ || ways == Ways::both;
    to_come_ = receives ? sampling.total() * window : 0;
    expect(size, window);
    const auto times = time_batches(host_, sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            if (sends) expect_one(reply, Bytes(0));
            for (unsigned i = 0; sends && i < window; ++i)
                send(message, size);
            if (receives) {
                wait_received(message, window);
                expect(size, window);  // before the reply lets the next window come
                send(reply, Bytes(0));
            }
            if (sends) wait_received(reply);
            wait_sent(message);
        }
    });
    wait_sent(reply);
    const unsigned directions = ways == Ways::both ? 2 : 1;
    return megabytes_per_second(times, size * window * directions * sampling.batch);
}

}  // namespace railyard::experiments
