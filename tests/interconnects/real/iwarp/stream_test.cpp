// Two streams that talk to each other: every operation, cut in every way, and every kind of end.

#include "interconnects/real/iwarp/stream.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "interconnects/real/iwarp/support.hpp"

namespace railyard::iwarp {
namespace {

using namespace testing;

std::vector<Place> cut(Buffer& bytes, std::size_t piece) {
    std::vector<Place> places;
    for (std::size_t at = 0; at < bytes.size(); at += std::min(piece, bytes.size() - at))
        places.push_back({bytes.data() + at, std::min(piece, bytes.size() - at), Lease()});
    return places;
}

struct Wire {
    mpa::Framing framing;
    std::size_t ulpdu;
    std::size_t piece;
};

class StreamPair : public ::testing::TestWithParam<Wire> {
  protected:
    static Stream::Settings settings() {
        Stream::Settings s;
        s.in = s.out = GetParam().framing;
        s.ulpdu = GetParam().ulpdu;
        s.receiver.ird = s.receiver.ord = 4;
        return s;
    }
    /// Begins a message once the one before is out, and lets both talk.
    void send(const Message& message) {
        while (!a.stream.pump())
            talk();
        a.stream.begin(message);
        talk();
    }
    void ask(const Message& message, const Outstanding& what) {
        while (!a.stream.pump())
            talk();
        ASSERT_TRUE(a.stream.begin_request(message, what));
        talk();
    }
    void talk() { converse(a, b, GetParam().piece); }
    void expect_peace() {
        EXPECT_TRUE(a.upcalls.faults.empty()) << a.upcalls.faults[0].text();
        EXPECT_TRUE(b.upcalls.faults.empty()) << b.upcalls.faults[0].text();
        EXPECT_TRUE(a.stream.at_boundary());
        EXPECT_TRUE(b.stream.at_boundary());
    }

    Side a{settings()};
    Side b{settings()};
};

INSTANTIATE_TEST_SUITE_P(
    Wires, StreamPair,
    ::testing::Values(Wire{{true, false}, 1442, 100000}, Wire{{false, false}, 1442, 100000},
                      Wire{{true, true}, 1430, 100000}, Wire{{false, true}, 1430, 700},
                      Wire{{true, false}, 128, 1}, Wire{{false, false}, 128, 1},
                      Wire{{true, true}, 131, 1}, Wire{{false, false}, 64768, 1448},
                      Wire{{true, false}, 64768, 1448}, Wire{{true, true}, 64768, 9000}),
    [](const auto& wire) {
        const Wire& w = wire.param;
        return std::string(w.framing.crc ? "crc_" : "plain_") +
               (w.framing.markers ? "marked_" : "") + std::to_string(w.ulpdu) + "_by_" +
               std::to_string(w.piece);
    });

// IW-2, IW-3: a send goes where the target's next receive is.
TEST_P(StreamPair, SendsOfAllSizes) {
    std::size_t i = 0;
    for (const std::size_t size : {0, 1, 7, 110, 111, 512, 513, 1424, 1425, 5000, 70000}) {
        Buffer data = pattern(size, static_cast<unsigned>(size));
        const std::vector<Place> places = cut(data, 1 + size / 3);
        b.upcalls.post(size + 3, 1 + size / 5);
        send(send_message(places, size, {.solicited = size % 2 == 1}));
        ASSERT_EQ(b.upcalls.arrivals.size(), i + 1);
        EXPECT_EQ(b.upcalls.message(i), data);
        EXPECT_EQ(b.upcalls.arrivals[i].solicited, size % 2 == 1);
        ++i;
    }
    expect_peace();
}

// IW-2, IW-3: a write goes where the sender says, and nowhere else.
TEST_P(StreamPair, WritesThenImmediate) {
    Buffer target(10000);
    b.add_region(77, {.memory = target, .base = 500, .access = fabric::Access::remote_write});
    Buffer data = pattern(9000);
    const std::vector<Place> places = cut(data, 4001);
    send(write_message(77, 600, places, data.size()));
    b.upcalls.post(0);
    send(immediate_message(42, true));
    EXPECT_EQ(b.upcalls.writes, 1);
    ASSERT_EQ(b.upcalls.arrivals.size(), 1u);
    EXPECT_EQ(b.upcalls.arrivals[0].immediate, 42u);
    EXPECT_TRUE(b.upcalls.arrivals[0].solicited);
    Buffer expected(10000);
    std::copy(data.begin(), data.end(), expected.begin() + 100);
    EXPECT_EQ(target, expected);
    expect_peace();
}

TEST_P(StreamPair, Reads) {
    Buffer source = pattern(30000);
    b.add_region(88, {.memory = source, .access = fabric::Access::remote_read});
    for (const std::size_t size : {0, 1, 500, 30000}) {
        Buffer sink(size);
        const std::vector<Place> places = cut(sink, 1 + size / 2);
        const std::size_t from = 30000 - size;
        const auto length = static_cast<std::uint32_t>(size);
        ask(read_message({.sink_stag = 3,
                          .sink_to = 9,
                          .length = length,
                          .source_stag = 88,
                          .source_to = from}),
            {.sink_stag = 3, .sink_to = 9, .length = length, .sink = places, .cookie = size});
        ASSERT_EQ(a.upcalls.answers.back().first, size);
        EXPECT_TRUE(std::equal(sink.begin(), sink.end(),
                               source.begin() + static_cast<std::ptrdiff_t>(from)));
    }
    EXPECT_EQ(b.upcalls.requests, 4);
    EXPECT_TRUE(b.stream.inbound().empty());
    EXPECT_TRUE(a.stream.outstanding().empty());
    expect_peace();
}

TEST_P(StreamPair, RequestsAreAnsweredInOrderAndCounted) {
    std::array<std::uint64_t, 2> words = {10, 20};
    b.add_region(
        66, {.memory = std::as_writable_bytes(std::span(words)), .access = fabric::Access::all});
    std::array<Buffer, 4> sinks;
    std::array<Place, 4> places;
    // Four under way, and no more: nobody answers yet.
    for (std::uint32_t i = 0; i < 4; ++i) {
        ASSERT_TRUE(a.stream.pump());
        if (i % 2 == 0) {
            ASSERT_TRUE(
                a.stream.begin_request(atomic_message({.id = i, .stag = 66, .to = 0, .operand = 1}),
                                       {.atomic = true, .id = i, .cookie = i}));
            continue;
        }
        sinks[i].resize(8);
        places[i] = {sinks[i].data(), 8, Lease()};
        ASSERT_TRUE(a.stream.begin_request(
            read_message({.sink_stag = 70 + i, .length = 8, .source_stag = 66}),
            {.sink_stag = 70 + i, .length = 8, .sink = {&places[i], 1}, .cookie = i}));
    }
    ASSERT_TRUE(a.stream.pump());
    EXPECT_FALSE(a.stream.begin_request(read_message({}), {}));
    talk();
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {
        {0, 10}, {1, 0}, {2, 11}, {3, 0}};
    EXPECT_EQ(a.upcalls.answers, expected);
    // Each read sees what the atomic before it did.
    for (const std::uint32_t i : {1u, 3u}) {
        std::uint64_t seen = 0;
        std::memcpy(&seen, sinks[i].data(), 8);
        EXPECT_EQ(seen, i == 1 ? 11u : 12u);
    }
    expect_peace();
}

TEST_P(StreamPair, BothTalkAtOnce) {
    Buffer source = pattern(20000);
    Buffer target(20000);
    for (Side* side : {&a, &b}) {
        side->add_region(5,
                         {.memory = side == &a ? source : target, .access = fabric::Access::all});
        for (int i = 0; i < 5; ++i)
            side->upcalls.post(3000);
    }
    Buffer sink(20000);
    const Place place{sink.data(), sink.size(), Lease()};
    Buffer message = pattern(3000, 9);
    const Place message_place{message.data(), message.size(), Lease()};
    // b reads from a, while a sends; and b sends while it waits for the answer.
    ASSERT_TRUE(b.stream.pump());
    ASSERT_TRUE(
        b.stream.begin_request(read_message({.sink_stag = 1, .length = 20000, .source_stag = 5}),
                               {.sink_stag = 1, .length = 20000, .sink = {&place, 1}}));
    for (int i = 0; i < 5; ++i)
        for (Side* side : {&a, &b}) {
            while (!side->stream.pump())
                talk();
            side->stream.begin(send_message({&message_place, 1}, message.size()));
        }
    talk();
    EXPECT_EQ(sink, source);
    for (Side* side : {&a, &b}) {
        ASSERT_EQ(side->upcalls.arrivals.size(), 5u);
        for (std::size_t i = 0; i < 5; ++i)
            EXPECT_EQ(side->upcalls.message(i), message);
    }
    expect_peace();
}

TEST_P(StreamPair, ARegionThatGoesEndsWhatReadsIt) {
    Buffer source = pattern(20000);
    b.add_region(88, {.memory = source, .access = fabric::Access::remote_read});
    Buffer sink(20000);
    const Place place{sink.data(), sink.size(), Lease()};
    ASSERT_TRUE(a.stream.pump());
    ASSERT_TRUE(
        a.stream.begin_request(read_message({.sink_stag = 3, .length = 20000, .source_stag = 88}),
                               {.sink_stag = 3, .length = 20000, .sink = {&place, 1}}));
    b.stream.feed(a.out());
    ASSERT_EQ(b.stream.inbound().size(), 1u);
    b.tags.remove(88);
    std::fill(source.begin(), source.end(), std::byte{0});
    talk();
    ASSERT_EQ(a.upcalls.last_words.size(), 1u);
    EXPECT_EQ(a.upcalls.last_words[0].text(), "RDMAP: invalid STag (0/1/00)");
    EXPECT_EQ(a.upcalls.last_words[0].read.length, 20000u);
    EXPECT_EQ(sink, Buffer(20000));
}

// What does not depend on the wire.

TEST(Stream, MessageNumbersWrap) {
    Stream::Settings settings;
    settings.receiver.first_msn = 0xfffffffe;
    Side a(settings);
    Side b(settings);
    for (int i = 0; i < 5; ++i) {
        b.upcalls.post(8);
        const Buffer bytes = a.send(send_message({}, 0));
        EXPECT_EQ(load32(bytes.data() + 2 + 10), 0xfffffffeu + static_cast<unsigned>(i));
        b.stream.feed(bytes);
    }
    EXPECT_EQ(b.upcalls.arrivals.size(), 5u);
}

TEST(Stream, SmallMessagesTravelTogether) {
    Side a;
    Buffer data = pattern(8);
    const Place place{data.data(), 8, Lease()};
    for (int i = 0; i < 100; ++i) {
        ASSERT_TRUE(a.stream.pump());
        a.stream.begin(send_message({&place, 1}, 8));
    }
    a.stream.pump();
    ASSERT_EQ(a.stream.outbox().unsent().size(), 1u);
    EXPECT_EQ(a.stream.outbox().unsent()[0].iov_len, 3200u);
}

// One run of bytes is sent faster than three vectors; with others before it, that is no matter.
TEST(Stream, LargePayloadIsNotCopiedUnlessItIsFirst) {
    Side a;
    Buffer data = pattern(1000);
    Buffer more = pattern(1000);
    const Place place{data.data(), 1000, Lease()};
    const Place next{more.data(), 1000, Lease()};
    ASSERT_TRUE(a.stream.pump());
    a.stream.begin(send_message({&place, 1}, 1000));
    ASSERT_TRUE(a.stream.pump());
    EXPECT_EQ(a.stream.outbox().unsent().size(), 1u);
    a.stream.begin(send_message({&next, 1}, 1000));
    a.stream.pump();
    const auto vectors = a.stream.outbox().unsent();
    ASSERT_EQ(vectors.size(), 3u);
    EXPECT_EQ(vectors[1].iov_base, more.data());
    EXPECT_EQ(vectors[1].iov_len, 1000u);
}

TEST(Stream, SaysWhenAMessageHasLeft) {
    Side a;
    Buffer data = pattern(1000);
    const Place place{data.data(), 1000, Lease()};
    ASSERT_TRUE(a.stream.pump());
    a.stream.begin(send_message({&place, 1}, 1000));
    EXPECT_FALSE(a.stream.message_end());
    a.stream.pump();
    ASSERT_TRUE(a.stream.message_end());
    Outbox& out = a.stream.outbox();
    EXPECT_EQ(*a.stream.message_end(), 1024u);
    // In whatever steps the socket takes it.
    for (std::uint64_t sent = 0; sent < 1024; sent += 16) {
        EXPECT_EQ(out.sent_position(), sent);
        EXPECT_FALSE(out.empty());
        out.sent(16);
    }
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(out.sent_position(), *a.stream.message_end());
}

TEST(Stream, AMessageLargerThanTheOutboxGoesInSteps) {
    Side a;
    Side b;
    Buffer data = pattern(3'000'000);
    const Place place{data.data(), data.size(), Lease()};
    b.upcalls.post(data.size());
    ASSERT_TRUE(a.stream.pump());
    a.stream.begin(send_message({&place, 1}, data.size()));
    EXPECT_FALSE(a.stream.pump());
    EXPECT_FALSE(a.stream.message_end());
    converse(a, b);
    EXPECT_TRUE(a.stream.message_end());
    EXPECT_EQ(b.upcalls.message(0), data);
}

TEST(Stream, WhatIsUnderWaySurvivesItsRegion) {
    Side a;
    Side b;
    Buffer source = pattern(2000);
    const Buffer original = source;
    b.add_region(88, {.memory = source, .access = fabric::Access::remote_read});
    Buffer sink(2000);
    const Place place{sink.data(), sink.size(), Lease()};
    ASSERT_TRUE(a.stream.pump());
    ASSERT_TRUE(
        a.stream.begin_request(read_message({.sink_stag = 3, .length = 2000, .source_stag = 88}),
                               {.sink_stag = 3, .length = 2000, .sink = {&place, 1}}));
    b.stream.feed(a.out());
    b.stream.pump();  // all of the answer is in the outbox, and refers to the region
    b.tags.remove(88);
    b.stream.outbox().detach(source);
    std::fill(source.begin(), source.end(), std::byte{0});
    a.stream.feed(drain(b.stream.outbox()));
    EXPECT_EQ(a.upcalls.answers.size(), 1u);
    EXPECT_EQ(sink, original);
}

TEST(Stream, AReadPartlyServedSaysWhatIsLeft) {
    Side a;
    Side b;
    Buffer source = pattern(2'000'000);
    b.add_region(88, {.memory = source, .base = 64, .access = fabric::Access::remote_read});
    Buffer sink(source.size());
    const Place place{sink.data(), sink.size(), Lease()};
    const rdmap::ReadRequest request{
        .sink_stag = 3, .sink_to = 7, .length = 2'000'000, .source_stag = 88, .source_to = 64};
    ASSERT_TRUE(a.stream.pump());
    ASSERT_TRUE(a.stream.begin_request(
        read_message(request),
        {.sink_stag = 3, .sink_to = 7, .length = request.length, .sink = {&place, 1}}));
    b.stream.feed(a.out());
    EXPECT_FALSE(b.stream.pump());  // the outbox is full
    b.tags.remove(88);
    converse(b, a);
    ASSERT_EQ(a.upcalls.last_words.size(), 1u);
    const Terminate& why = a.upcalls.last_words[0];
    EXPECT_EQ(why.text(), "RDMAP: invalid STag (0/1/00)");
    EXPECT_EQ(why.ddp_size, ddp::untagged_size);
    ASSERT_TRUE(why.has_read);
    const std::uint64_t served = why.read.sink_to - 7;
    EXPECT_GT(served, 0u);
    EXPECT_EQ(why.read.source_to, 64 + served);
    EXPECT_EQ(why.read.length, 2'000'000 - served);
    EXPECT_TRUE(std::equal(sink.begin(), sink.begin() + static_cast<std::ptrdiff_t>(served),
                           source.begin()));
}

TEST(Stream, AnAtomicIsNotDoneWhenItsRegionHasGone) {
    Side a;
    Side b;
    std::uint64_t word = 10;
    b.add_region(
        66, {.memory = std::as_writable_bytes(std::span(&word, 1)), .access = fabric::Access::all});
    ASSERT_TRUE(a.stream.pump());
    ASSERT_TRUE(a.stream.begin_request(atomic_message({.id = 1, .stag = 66, .operand = 1}),
                                       {.atomic = true, .id = 1}));
    b.stream.feed(a.out());
    ASSERT_EQ(b.stream.inbound().size(), 1u);
    b.tags.remove(66);
    a.stream.feed(b.out());
    EXPECT_EQ(word, 10u);
    EXPECT_TRUE(a.upcalls.answers.empty());
    ASSERT_EQ(a.upcalls.last_words.size(), 1u);
    EXPECT_EQ(a.upcalls.last_words[0].text(), "RDMAP: invalid STag (0/1/00)");
    EXPECT_FALSE(a.upcalls.last_words[0].has_read);
    EXPECT_EQ(a.upcalls.last_words[0].segment_length, 70);
}

TEST(Stream, AWriteStopsWhenItsRegionGoes) {
    Stream::Settings plain;
    plain.in.crc = plain.out.crc = false;
    for (const bool directly : {false, true}) {
        Side a(plain);
        Side b(plain);
        Buffer target(1000);
        b.add_region(9, {.memory = target, .access = fabric::Access::all});
        Buffer data = pattern(1000);
        const Place place{data.data(), data.size(), Lease()};
        const Buffer bytes = a.send(write_message(9, 0, {&place, 1}, 1000));
        b.stream.feed(std::span(bytes).first(500));
        const Buffer half = target;
        EXPECT_NE(half, Buffer(1000));
        b.tags.remove(9);
        std::array<iovec, 2> vectors;
        if (directly) {
            EXPECT_EQ(b.stream.direct(vectors), 0u);
        }
        b.stream.feed(std::span(bytes).subspan(500));
        EXPECT_EQ(target, half);
        a.stream.feed(b.out());
        ASSERT_EQ(a.upcalls.last_words.size(), 1u);
        EXPECT_EQ(a.upcalls.last_words[0].text(), "DDP: invalid STag (1/1/00)");
    }
}

TEST(Stream, APayloadThatGoesEndsTheStreamHere) {
    Side a;
    Side b;
    b.upcalls.post(5000);
    std::uint64_t generation = 0;
    Buffer data = pattern(5000);
    const Place place{data.data(), data.size(), Lease(generation)};
    ASSERT_TRUE(a.stream.pump());
    a.stream.begin(send_message({&place, 1}, data.size()));
    ++generation;
    converse(a, b);
    EXPECT_FALSE(a.stream.message_end());
    ASSERT_EQ(b.upcalls.last_words.size(), 1u);
    EXPECT_EQ(b.upcalls.last_words[0].text(), "RDMAP: local catastrophic error (0/0/00)");
}

TEST(Stream, LastWordsComeBetweenSegmentsAndNothingAfter) {
    Side a;
    Side b;
    Buffer data = pattern(3'000'000);
    const Place place{data.data(), data.size(), Lease()};
    b.upcalls.post(data.size());
    ASSERT_TRUE(a.stream.pump());
    a.stream.begin(send_message({&place, 1}, data.size()));
    EXPECT_FALSE(a.stream.pump());  // half-way
    a.stream.terminate(terminate(mpa::Fault::crc));
    a.stream.terminate(terminate(mpa::Fault::marker));  // the first counts
    EXPECT_TRUE(a.stream.terminated());
    EXPECT_FALSE(a.stream.said_last_words());
    converse(a, b);
    EXPECT_TRUE(a.stream.said_last_words());
    ASSERT_TRUE(b.upcalls.faults.empty()) << b.upcalls.faults[0].text();
    ASSERT_EQ(b.upcalls.last_words.size(), 1u);
    EXPECT_EQ(b.upcalls.last_words[0], terminate(mpa::Fault::crc));
    EXPECT_TRUE(b.upcalls.arrivals.empty());
    EXPECT_TRUE(a.out().empty());
}

TEST(Stream, TheOneWhoWasCalledIsSilentUntilSpokenTo) {
    Stream::Settings settings;
    settings.speaks_second = true;
    Side called(settings);
    Side caller;
    EXPECT_FALSE(called.stream.pump());
    called.stream.feed(caller.send(write_message(1, 0, {}, 0)));  // ready to receive
    EXPECT_TRUE(called.stream.pump());
    EXPECT_TRUE(called.upcalls.arrivals.empty());
    EXPECT_EQ(called.stream.frames_received(), 1u);

    Side insulted(settings);
    Buffer nonsense(64, std::byte{7});
    nonsense[0] = std::byte{0};
    insulted.stream.feed(nonsense);
    EXPECT_FALSE(insulted.out().empty());  // may say why
}

TEST(Stream, TaggedAndUntaggedMayInterleave) {
    Side a;
    Buffer target(16);
    a.add_region(9, {.memory = target, .access = fabric::Access::all});
    a.upcalls.post(16);
    ddp::Header send{.last = false, .ulp_control = 0x43, .msn = 1};
    ddp::Header write{.tagged = true, .last = false, .ulp_control = 0x40, .stag = 9};
    const Buffer data = pattern(16);
    const auto half = [&](std::size_t i) { return std::span(data).subspan(8 * i, 8); };
    a.stream.feed(framed(segment(send, half(0))));
    a.stream.feed(framed(segment(write, half(0))));
    send.last = write.last = true;
    send.mo = 8;
    write.to = 8;
    a.stream.feed(framed(segment(send, half(1))));
    a.stream.feed(framed(segment(write, half(1))));
    EXPECT_TRUE(a.upcalls.faults.empty());
    EXPECT_EQ(target, data);
    EXPECT_EQ(a.upcalls.message(0), data);
}

TEST(Atomics, DoWhatTheMasksSay) {
    alignas(8) std::array<std::byte, 8> memory;
    const auto apply = [&](std::uint64_t start, const rdmap::AtomicRequest& request) {
        std::memcpy(memory.data(), &start, 8);
        EXPECT_EQ(rdmap::carry_out(request, memory.data()), start);
        std::uint64_t now = 0;
        std::memcpy(&now, memory.data(), 8);
        return now;
    };
    using rdmap::AtomicOp;
    EXPECT_EQ(apply(~0ull, {.operand = 2}), 1u);
    // Two fields of 32 bits: the lower one's carry is lost.
    EXPECT_EQ(apply(0x00000001'ffffffff,
                    {.operand = 0x00000001'00000001, .operand_mask = 0x80000000'80000000}),
              0x00000002'00000000u);
    EXPECT_EQ(apply(0xff, {.operand = 1, .operand_mask = 0x80}), 0u);
    EXPECT_EQ(apply(0x80, {.operand = 0x80, .operand_mask = 0x80}), 0u);
    // Every bit a field: exclusive or.
    EXPECT_EQ(apply(0b1100, {.operand = 0b1010, .operand_mask = ~0ull}), 0b0110u);

    const rdmap::AtomicRequest swap{
        .op = AtomicOp::compare_swap, .operand = 9, .operand_mask = ~0ull, .compare = 5};
    EXPECT_EQ(apply(5, swap), 9u);
    EXPECT_EQ(apply(6, swap), 6u);
    const rdmap::AtomicRequest masked{.op = AtomicOp::compare_swap,
                                      .operand = 0xabcd,
                                      .operand_mask = 0x00ff,
                                      .compare = 0x1200,
                                      .compare_mask = 0xff00};
    EXPECT_EQ(apply(0x1234, masked), 0x12cdu);
    EXPECT_EQ(apply(0x1334, masked), 0x1334u);
}

}  // namespace
}  // namespace railyard::iwarp
