#pragma once
/// What the tests of the wire's layers have in common: bytes from hex, known frames, a queue pair
/// that notes what it is told, and a stream around it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interconnects/real/iwarp/big_endian.hpp"
#include "interconnects/real/iwarp/crc32c.hpp"
#include "interconnects/real/iwarp/stream.hpp"

namespace railyard::iwarp::testing {

using Buffer = std::vector<std::byte>;

inline Buffer hex(std::string_view text) {
    const auto digit = [](char c) {
        return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10);
    };
    Buffer bytes;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2)
        bytes.push_back(static_cast<std::byte>(digit(text[i]) << 4 | digit(text[i + 1])));
    return bytes;
}

inline std::string to_hex(std::span<const std::byte> bytes) {
    std::string text;
    for (const std::byte b : bytes) {
        text += "0123456789abcdef"[std::to_integer<unsigned>(b) >> 4];
        text += "0123456789abcdef"[std::to_integer<unsigned>(b) & 15];
    }
    return text;
}

inline Buffer text_bytes(std::string_view text) {
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// Bytes that differ from place to place.
inline Buffer pattern(std::size_t n, unsigned seed = 1) {
    Buffer bytes(n);
    for (std::size_t i = 0; i < n; ++i)
        bytes[i] = static_cast<std::byte>((i * 131 + seed * 17 + (i >> 8)) & 255);
    return bytes;
}

inline void append(Buffer& to, std::span<const std::byte> from) {
    to.insert(to.end(), from.begin(), from.end());
}

/// A frame around a ULPDU, made here by hand, with a good CRC and without Markers.
inline Buffer framed(std::span<const std::byte> ulpdu) {
    Buffer frame(2);
    store16(frame.data(), static_cast<std::uint16_t>(ulpdu.size()));
    append(frame, ulpdu);
    while (frame.size() % 4 != 0)
        frame.push_back(std::byte{0});
    const std::uint32_t crc = crc32c(frame);
    frame.resize(frame.size() + 4);
    store_crc(frame.data() + frame.size() - 4, crc);
    return frame;
}

inline Buffer segment(const ddp::Header& header, std::span<const std::byte> payload) {
    Buffer bytes(header.size());
    ddp::write(bytes.data(), header);
    append(bytes, payload);
    return bytes;
}

/// All that an outbox holds, as the peer would get it; the outbox is empty then.
inline Buffer drain(Outbox& out) {
    Buffer bytes;
    for (const iovec& v : out.unsent())
        append(bytes, {static_cast<const std::byte*>(v.iov_base), v.iov_len});
    if (!bytes.empty()) out.sent(bytes.size());
    return bytes;
}

/// Notes all that it is told; receives are posted as sizes.
class Recorder : public Upcalls {
  public:
    struct Receive {
        Buffer memory;
        std::vector<Place> places;
        ReceiveBuffer buffer;
    };
    /// A receive of `size` bytes, in pieces of `piece`.
    void post(std::size_t size, std::size_t piece = ~std::size_t{}) {
        Receive& receive = receives.emplace_back();
        receive.memory.resize(size);
        for (std::size_t at = 0; at < size; at += std::min(piece, size - at))
            receive.places.push_back(
                {receive.memory.data() + at, std::min(piece, size - at), Lease()});
        receive.buffer = {receive.places, size};
    }
    const ReceiveBuffer* claim_receive() override {
        if (claimed == receives.size()) return nullptr;
        return &receives[claimed++].buffer;
    }
    void received(const Arrival& arrival) override { arrivals.push_back(arrival); }
    void receive_failed(Status why) override { failed_receives.push_back(why); }
    void written() override { ++writes; }
    void requested() override { ++requests; }
    void answered(const Outstanding& request, std::uint64_t original) override {
        answers.push_back({request.cookie, original});
    }
    void failed(const Terminate& t) override {
        faults.push_back(t);
        if (stream != nullptr) stream->terminate(t);
    }
    void terminated_by_peer(const Terminate& t) override { last_words.push_back(t); }
    void lost() override { ++losses; }

    Buffer message(std::size_t i) const {
        const Buffer& memory = receives[i].memory;
        return {memory.begin(), memory.begin() + static_cast<std::ptrdiff_t>(arrivals[i].length)};
    }

    std::deque<Receive> receives;
    std::size_t claimed = 0;
    std::vector<Arrival> arrivals;
    std::vector<Status> failed_receives;
    int writes = 0;
    int requests = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> answers;
    std::vector<Terminate> faults;
    std::vector<Terminate> last_words;
    int losses = 0;
    Stream* stream = nullptr;
};

/// One side: a stream, its tags, and somebody who listens.
class Side {
  public:
    explicit Side(const Stream::Settings& settings = {})
        : stream(in_domain(settings), tags, pool, upcalls),
          storage(std::make_unique<Outbox::Storage>()) {
        upcalls.stream = &stream;
        stream.outbox().lend(*storage);
    }
    /// What is to be sent now.
    Buffer out() {
        stream.pump();
        return drain(stream.outbox());
    }
    /// Sends a message to the end; the bytes of it and of whatever else was due.
    Buffer send(const Message& message) {
        Buffer bytes = out();
        stream.begin(message);
        do
            append(bytes, out());
        while (!stream.message_end() && !stream.terminated());
        return bytes;
    }

    static Stream::Settings in_domain(Stream::Settings settings) {
        settings.receiver.asker = {domain, StreamId{1}};
        return settings;
    }

    /// A region whose tag is known beforehand.
    void add_region(std::uint32_t stag, Registration registration) {
        next_tag = stag;
        registration.domain = domain;
        tags.add(registration);
    }

    static constexpr Domain domain{5};
    std::uint32_t next_tag = 1;
    TagTable tags{[this] { return next_tag++; }};
    StagingPool pool;
    Recorder upcalls;
    Stream stream;
    std::unique_ptr<Outbox::Storage> storage;
};

/// Lets both talk until neither has anything to say, in pieces of `piece` bytes.
inline void converse(Side& a, Side& b, std::size_t piece = ~std::size_t{}) {
    const auto pass = [&](const Buffer& bytes, Side& to) {
        for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at))
            to.stream.feed(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
    };
    for (;;) {
        const Buffer from_a = a.out();
        pass(from_a, b);
        const Buffer from_b = b.out();
        pass(from_b, a);
        if (from_a.empty() && from_b.empty()) return;
    }
}

}  // namespace railyard::iwarp::testing
