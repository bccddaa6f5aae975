// Each receive check: the Terminate that it asks for, and no byte of memory changed.

#include "interconnects/real/iwarp/receiver.hpp"

#include <gtest/gtest.h>

#include "interconnects/real/iwarp/support.hpp"
#include "interconnects/real/iwarp/vectors.hpp"

namespace railyard::iwarp {
namespace {

using namespace testing;
using rdmap::Opcode;

struct Codes {
    unsigned layer;
    unsigned type;
    unsigned code;
    friend bool operator==(const Codes&, const Codes&) = default;
    friend std::ostream& operator<<(std::ostream& out, const Codes& c) {
        return out << c.layer << '/' << c.type << '/' << c.code;
    }
};
Codes codes_of(const Terminate& t) {
    return {static_cast<unsigned>(t.layer), t.type, t.code};
}

constexpr std::uint32_t writable = 0x1000;
constexpr std::uint32_t readable = 0x2000;
constexpr std::uint32_t foreign = 0x3000;
constexpr std::uint32_t bound_elsewhere = 0x4000;
constexpr std::uint32_t at_the_end = 0x5000;
constexpr std::uint32_t atomics = 0x6000;
constexpr std::uint32_t gone = 0x7000;
constexpr std::uint64_t base = 0x10000;
constexpr std::size_t region_size = 256;

ddp::Header untagged(Opcode opcode, std::uint32_t msn = 1, std::uint32_t mo = 0, bool last = true) {
    ddp::Header header;
    header.last = last;
    header.ulp_control = rdmap::to_byte(opcode);
    header.queue = static_cast<std::uint32_t>(rdmap::shape_of(opcode).queue);
    header.msn = msn;
    header.mo = mo;
    return header;
}
ddp::Header tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, bool last = true) {
    ddp::Header header;
    header.tagged = true;
    header.last = last;
    header.ulp_control = rdmap::to_byte(opcode);
    header.stag = stag;
    header.to = to;
    return header;
}

/// With and without CRC: in the latter bytes go to their place as they come.
class ReceiveChecks : public ::testing::TestWithParam<bool> {
  protected:
    ReceiveChecks() : side(settings(true, 2)) { add_regions(side); }

    static Stream::Settings settings(bool wait, std::size_t ird) {
        Stream::Settings s;
        s.in.crc = s.out.crc = GetParam();
        s.receiver.wait_for_receives = wait;
        s.receiver.ird = ird;
        return s;
    }
    void add_regions(Side& to) {
        memory.fill(std::byte{0x55});
        const auto add = [&](std::uint32_t stag, fabric::Access access, std::uint64_t at = base,
                             StreamId stream = StreamId::any) {
            to.add_region(stag, {.memory = std::span(memory).first(region_size),
                                 .base = at,
                                 .access = access,
                                 .stream = stream});
        };
        add(writable, fabric::Access::remote_write);
        add(readable, fabric::Access::remote_read);
        add(bound_elsewhere, fabric::Access::all, base, StreamId{99});
        add(at_the_end, fabric::Access::all, 0 - std::uint64_t{region_size});
        add(atomics, fabric::Access::remote_atomic);
        add(gone, fabric::Access::all);
        to.tags.remove(gone);
        to.next_tag = foreign;
        to.tags.add(
            {.memory = memory, .base = base, .access = fabric::Access::all, .domain = Domain{77}});
    }
    void feed(const ddp::Header& header, std::span<const std::byte> payload = {}) {
        last = segment(header, payload);
        side.stream.feed(framed(last));
    }
    /// The last segment was the first that was wrong, and the stream ended as it has to.
    void expect_terminate(Codes codes, bool with_headers = true, bool with_read = false) {
        ASSERT_EQ(side.upcalls.faults.size(), 1u);
        const Terminate& fault = side.upcalls.faults[0];
        EXPECT_EQ(codes_of(fault), codes);
        EXPECT_EQ(fault.has_length, with_headers);
        EXPECT_EQ(fault.ddp_size, with_headers ? ddp::header_size(last[0]) : 0);
        EXPECT_EQ(fault.has_read, with_read);
        if (with_headers) {
            EXPECT_EQ(fault.segment_length, last.size());
            EXPECT_EQ(to_hex(std::span(fault.ddp).first(fault.ddp_size)),
                      to_hex(std::span(last).first(fault.ddp_size)));
        }
        expect_memory_untouched();
        // It leaves as one message, and is the last.
        const Buffer sent = side.out();
        Side peer(settings(true, 2));
        Buffer into(8);
        const Place place{into.data(), into.size(), Lease()};
        for (int i = 0; i < reads_before; ++i) {
            ASSERT_TRUE(peer.stream.begin_request(read_message({.length = 8}),
                                                  {.length = 8, .sink = {&place, 1}}));
            peer.out();
        }
        peer.stream.feed(sent);
        EXPECT_EQ(peer.upcalls.answers.size(), static_cast<std::size_t>(reads_before));
        ASSERT_EQ(peer.upcalls.last_words.size(), 1u);
        EXPECT_EQ(peer.upcalls.last_words[0], fault);
        EXPECT_TRUE(side.stream.said_last_words());
        EXPECT_FALSE(side.stream.pump());
        // Whatever comes now is dropped.
        const std::size_t arrivals = side.upcalls.arrivals.size();
        side.upcalls.post(100);
        side.stream.feed(framed(segment(untagged(Opcode::send), pattern(5))));
        side.stream.feed(framed(segment(tagged(Opcode::write, writable, base), pattern(5))));
        EXPECT_EQ(side.upcalls.faults.size(), 1u);
        EXPECT_EQ(side.upcalls.arrivals.size(), arrivals);
        expect_memory_untouched();
        EXPECT_TRUE(side.out().empty());
    }
    void expect_memory_untouched() {
        for (const std::byte b : memory)
            ASSERT_EQ(b, std::byte{0x55});
        const auto& receives = side.upcalls.receives;
        for (std::size_t i = side.upcalls.arrivals.size(); i < receives.size(); ++i) {
            const Buffer& bytes = receives[i].memory;
            for (std::size_t at = clean_from; at < bytes.size(); ++at)
                ASSERT_EQ(bytes[at], std::byte{0});
        }
    }
    void ask_for_read(std::uint32_t length) {
        sink.assign(length, std::byte{0});
        sink_place = {sink.data(), sink.size(), Lease()};
        side.out();
        ASSERT_TRUE(side.stream.begin_request(
            read_message({.sink_stag = 5, .length = length}),
            {.sink_stag = 5, .sink_to = 1000, .length = length, .sink = {&sink_place, 1}}));
        side.out();
    }
    void ask_for_atomic() {
        side.out();
        ASSERT_TRUE(
            side.stream.begin_request(atomic_message({.id = 9}), {.atomic = true, .id = 9}));
        side.out();
    }
    void expect_sink_untouched() {
        for (const std::byte b : sink)
            ASSERT_EQ(b, std::byte{0});
    }
    void read_request(const rdmap::ReadRequest& request, std::uint32_t msn = 1) {
        Buffer body(rdmap::ReadRequest::size);
        rdmap::write(body.data(), request);
        feed(untagged(Opcode::read_request, msn), body);
    }
    void atomic_request(const rdmap::AtomicRequest& request, unsigned op = 0) {
        Buffer body(rdmap::AtomicRequest::size);
        rdmap::write(body.data(), request);
        body[3] = static_cast<std::byte>(op);
        feed(untagged(Opcode::atomic_request), body);
    }

    alignas(8) std::array<std::byte, region_size + 8> memory;
    Side side;
    Buffer last;
    Buffer sink;
    Place sink_place;
    std::size_t clean_from = 0;
    int reads_before = 0;  ///< that were right, and are answered before the Terminate
};

INSTANTIATE_TEST_SUITE_P(Crc, ReceiveChecks, ::testing::Bool(),
                         [](const auto& crc) { return crc.param ? "on" : "off"; });

// Row 1: the end of a stream inside a frame is not its end.
TEST_P(ReceiveChecks, AnEndInsideAFrameIsALoss) {
    side.upcalls.post(100);
    const Buffer frame = framed(segment(untagged(Opcode::send), pattern(20)));
    for (std::size_t cut = 1; cut < frame.size(); ++cut) {
        side.stream.feed(std::span(frame).subspan(cut - 1, 1));
        EXPECT_FALSE(side.stream.at_boundary()) << cut;
    }
    EXPECT_TRUE(side.upcalls.arrivals.empty());
    side.stream.feed(std::span(frame).last(1));
    EXPECT_TRUE(side.stream.at_boundary());
    EXPECT_EQ(side.upcalls.arrivals.size(), 1u);
}

// Row 2.
TEST_P(ReceiveChecks, WrongCrc) {
    if (!GetParam()) return;
    Buffer frame = framed(segment(tagged(Opcode::write, writable, base), pattern(20)));
    frame.back() ^= std::byte{1};
    side.stream.feed(frame);
    expect_terminate({2, 0, 2}, false);
}

// Row 3 with Markers, whose tests are MPA's.
TEST_P(ReceiveChecks, WrongMarker) {
    Stream::Settings s = settings(true, 2);
    s.in.markers = true;
    Side marked(s);
    Buffer frame = hex(vectors::rfc5044_fig5);
    frame[3] = std::byte{4};
    store_crc(frame.data() + 48, crc32c(std::span(frame).first(48)));
    marked.stream.feed(frame);
    ASSERT_EQ(marked.upcalls.faults.size(), 1u);
    EXPECT_EQ(marked.upcalls.faults[0], terminate(mpa::Fault::marker));
}

// Row 4.
TEST_P(ReceiveChecks, TooShortToBeASegment) {
    for (const std::byte control : {std::byte{0xc1}, std::byte{0x41}})
        for (std::size_t n = 0; n < ddp::header_size(control); ++n) {
            Side other(settings(true, 2));
            Buffer ulpdu(n, control);
            other.stream.feed(framed(ulpdu));
            ASSERT_EQ(other.upcalls.faults.size(), 1u) << n;
            EXPECT_EQ(codes_of(other.upcalls.faults[0]), (Codes{1, 0, 0}));
            EXPECT_EQ(other.upcalls.faults[0].ddp_size, 0);
        }
}

// Row 5.
TEST_P(ReceiveChecks, WrongDdpVersionTagged) {
    ddp::Header header = tagged(Opcode::write, writable, base);
    header.version = 0;
    feed(header, pattern(8));
    expect_terminate({1, 1, 4});
}
TEST_P(ReceiveChecks, WrongDdpVersionUntagged) {
    side.upcalls.post(100);
    ddp::Header header = untagged(Opcode::send);
    header.version = 2;
    feed(header, pattern(8));
    expect_terminate({1, 2, 6});
}

// Row 6.
TEST_P(ReceiveChecks, WrongRdmapVersion) {
    ddp::Header header = tagged(Opcode::write, writable, base);
    header.ulp_control = 0x00;  // the RDMA Consortium's
    feed(header, pattern(8));
    expect_terminate({0, 2, 5});
}

// Row 7.
TEST_P(ReceiveChecks, UnassignedOpcodes) {
    for (const unsigned opcode : {0xcu, 0xdu, 0xeu, 0xfu})
        for (const bool is_tagged : {false, true}) {
            Side other(settings(true, 2));
            other.upcalls.post(100);
            ddp::Header header = is_tagged ? tagged(static_cast<Opcode>(opcode), writable, base)
                                           : untagged(static_cast<Opcode>(opcode));
            other.stream.feed(framed(segment(header, pattern(8))));
            ASSERT_EQ(other.upcalls.faults.size(), 1u);
            EXPECT_EQ(codes_of(other.upcalls.faults[0]), (Codes{0, 2, 6}));
        }
}
TEST_P(ReceiveChecks, UntaggedThatIsTagged) {
    feed(tagged(Opcode::send, writable, base), pattern(8));
    expect_terminate({0, 2, 6});
}
TEST_P(ReceiveChecks, TaggedThatIsUntagged) {
    side.upcalls.post(100);
    feed(untagged(Opcode::write), pattern(8));
    expect_terminate({0, 2, 6});
}
TEST_P(ReceiveChecks, AnotherUntaggedMessageInsideOne) {
    side.upcalls.post(100);
    feed(untagged(Opcode::send, 1, 0, false), pattern(8));
    clean_from = 8;
    feed(untagged(Opcode::send_solicited, 1, 8), pattern(8));
    expect_terminate({0, 2, 6});
}
TEST_P(ReceiveChecks, AnotherTaggedMessageInsideOne) {
    ask_for_read(16);
    feed(tagged(Opcode::read_response, 5, 1000, false), pattern(8));
    feed(tagged(Opcode::write, writable, base), pattern(8));
    expect_terminate({0, 2, 6});
}
TEST_P(ReceiveChecks, AnswersThatNobodyAskedFor) {
    feed(tagged(Opcode::read_response, 5, 1000), pattern(8));
    expect_terminate({0, 2, 6});
}
TEST_P(ReceiveChecks, AnAtomicAnswerToARead) {
    ask_for_read(12);
    feed(untagged(Opcode::atomic_response), Buffer(12));
    expect_terminate({0, 2, 6});
}
TEST_P(ReceiveChecks, AReadAnswerToAnAtomic) {
    ask_for_atomic();
    feed(tagged(Opcode::read_response, 0, 0));
    expect_terminate({0, 2, 6});
}
TEST_P(ReceiveChecks, ExtendedOperationsWhereTheyAreNotAdmitted) {
    for (const Opcode opcode : {Opcode::immediate, Opcode::immediate_solicited,
                                Opcode::atomic_request, Opcode::atomic_response}) {
        Stream::Settings s = settings(true, 2);
        s.receiver.extended = false;
        Side other(s);
        other.stream.feed(framed(segment(untagged(opcode), Buffer(8))));
        ASSERT_EQ(other.upcalls.faults.size(), 1u);
        EXPECT_EQ(codes_of(other.upcalls.faults[0]), (Codes{0, 2, 6}));
    }
}

// Whoever is told of a Write reads as much as was written, and not beyond the region.
TEST_P(ReceiveChecks, AWriteIsAsLongAsWhatItCovers) {
    struct Piece {
        std::uint64_t at;
        std::size_t size;
    };
    struct Case {
        std::vector<Piece> pieces;
        std::uint64_t length;
    };
    std::uint32_t msn = 1;
    for (const Case& c : {Case{{{0, 100}, {100, 56}}, 156}, Case{{{0, 256}, {0, 256}}, 256},
                          Case{{{100, 10}, {90, 30}, {0, 8}}, 38}, Case{{{0, 10}, {5, 10}}, 15},
                          Case{{{200, 0}, {8, 8}}, 8}}) {
        side.upcalls.post(100);
        for (std::size_t i = 0; i < c.pieces.size(); ++i)
            feed(tagged(Opcode::write, writable, base + c.pieces[i].at, i + 1 == c.pieces.size()),
                 pattern(c.pieces[i].size));
        feed(untagged(Opcode::immediate, msn++), Buffer(8));
        ASSERT_EQ(side.upcalls.faults.size(), 0u);
        ASSERT_EQ(side.upcalls.arrivals.size(), msn - 1);
        EXPECT_EQ(side.upcalls.arrivals.back().length, c.length);
    }
}

// Row 8.
TEST_P(ReceiveChecks, TheWrongQueue) {
    for (const std::uint32_t queue : {1u, 2u, 3u, 4u, 0xffffffffu}) {
        Side other(settings(true, 2));
        other.upcalls.post(100);
        ddp::Header header = untagged(Opcode::send);
        header.queue = queue;
        other.stream.feed(framed(segment(header, pattern(8))));
        ASSERT_EQ(other.upcalls.faults.size(), 1u);
        EXPECT_EQ(codes_of(other.upcalls.faults[0]), (Codes{1, 2, 1}));
    }
}

// Row 9.
TEST_P(ReceiveChecks, AMessageNumberThatIsNotTheNext) {
    side.upcalls.post(100);
    feed(untagged(Opcode::send, 2), pattern(8));
    expect_terminate({1, 2, 3});
}
TEST_P(ReceiveChecks, AMessageNumberThatChangesInsideAMessage) {
    side.upcalls.post(100);
    side.upcalls.post(100);
    feed(untagged(Opcode::send, 1, 0, false), pattern(8));
    clean_from = 8;
    feed(untagged(Opcode::send, 2, 8), pattern(8));
    expect_terminate({1, 2, 3});
}
TEST_P(ReceiveChecks, AMessageNumberThatWas) {
    side.upcalls.post(100);
    side.upcalls.post(100);
    feed(untagged(Opcode::send, 1), pattern(8));
    feed(untagged(Opcode::send, 1), pattern(8));
    expect_terminate({1, 2, 3});
}

// Row 10.
TEST_P(ReceiveChecks, NoReceiveMayMeanToWait) {
    const Buffer stream = framed(segment(untagged(Opcode::send), pattern(8)));
    std::size_t used = side.stream.feed(stream);
    EXPECT_TRUE(side.stream.waits_for_receive());
    EXPECT_TRUE(side.upcalls.faults.empty());
    side.upcalls.post(100);
    used += side.stream.feed(std::span(stream).subspan(used));
    EXPECT_EQ(used, stream.size());
    EXPECT_FALSE(side.stream.waits_for_receive());
    ASSERT_EQ(side.upcalls.arrivals.size(), 1u);
    EXPECT_EQ(side.upcalls.message(0), pattern(8));
}
TEST_P(ReceiveChecks, NoReceiveMayBeAnError) {
    for (const Opcode opcode : {Opcode::send, Opcode::immediate}) {
        Side other(settings(false, 2));
        other.stream.feed(framed(segment(untagged(opcode), pattern(8))));
        ASSERT_EQ(other.upcalls.faults.size(), 1u);
        EXPECT_EQ(codes_of(other.upcalls.faults[0]), (Codes{1, 2, 2}));
    }
}
TEST_P(ReceiveChecks, MoreRequestsThanAgreed) {
    const rdmap::ReadRequest request{.length = 8, .source_stag = readable, .source_to = base};
    read_request(request, 1);
    read_request(request, 2);
    EXPECT_TRUE(side.upcalls.faults.empty());
    Buffer body(rdmap::ReadRequest::size);
    rdmap::write(body.data(), request);
    feed(untagged(Opcode::read_request, 3), body);
    reads_before = 2;
    expect_terminate({1, 2, 2});
}

// Row 11.
TEST_P(ReceiveChecks, AMessageThatBeginsLate) {
    side.upcalls.post(100);
    feed(untagged(Opcode::send, 1, 4), pattern(8));
    expect_terminate({1, 2, 4});
}
TEST_P(ReceiveChecks, AMessageWithAGap) {
    side.upcalls.post(100);
    feed(untagged(Opcode::send, 1, 0, false), pattern(8));
    clean_from = 8;
    feed(untagged(Opcode::send, 1, 9), pattern(8));
    expect_terminate({1, 2, 4});
}

// Row 12.
TEST_P(ReceiveChecks, AMessageTooLongForItsReceive) {
    side.upcalls.post(10);
    feed(untagged(Opcode::send, 1, 0, false), pattern(8));
    clean_from = 8;
    feed(untagged(Opcode::send, 1, 8), pattern(3));
    expect_terminate({1, 2, 5});
    ASSERT_EQ(side.upcalls.failed_receives.size(), 1u);
    EXPECT_EQ(side.upcalls.failed_receives[0], Status(Code::too_long));
}

// Rows 13 to 17.
TEST_P(ReceiveChecks, AnUnknownTag) {
    feed(tagged(Opcode::write, 0x1001, base), pattern(8));
    expect_terminate({1, 1, 0});
}
TEST_P(ReceiveChecks, TagZero) {
    feed(tagged(Opcode::write, 0, base), pattern(8));
    expect_terminate({1, 1, 0});
}
TEST_P(ReceiveChecks, ATagThatIsGone) {
    feed(tagged(Opcode::write, gone, base), pattern(8));
    expect_terminate({1, 1, 0});
}
TEST_P(ReceiveChecks, ATagOfAnotherDomain) {
    feed(tagged(Opcode::write, foreign, base), pattern(8));
    expect_terminate({1, 1, 2});
}
TEST_P(ReceiveChecks, ATagOfAnotherStream) {
    feed(tagged(Opcode::write, bound_elsewhere, base), pattern(8));
    expect_terminate({1, 1, 2});
}
TEST_P(ReceiveChecks, AnOffsetThatWraps) {
    feed(tagged(Opcode::write, at_the_end, ~0ull), pattern(8));
    expect_terminate({1, 1, 3});
}
TEST_P(ReceiveChecks, BeforeTheRegion) {
    feed(tagged(Opcode::write, writable, base - 1), pattern(8));
    expect_terminate({1, 1, 1});
}
TEST_P(ReceiveChecks, BeyondTheRegion) {
    feed(tagged(Opcode::write, writable, base + region_size - 7), pattern(8));
    expect_terminate({1, 1, 1});
}
TEST_P(ReceiveChecks, NoRightToWrite) {
    feed(tagged(Opcode::write, readable, base), pattern(8));
    expect_terminate({1, 1, 0});
}
TEST_P(ReceiveChecks, NothingIsWrittenAnywhere) {  // all of these, with no byte
    for (const std::uint32_t stag : {0u, 0x1001u, gone, foreign, bound_elsewhere, readable})
        feed(tagged(Opcode::write, stag, ~0ull));
    EXPECT_TRUE(side.upcalls.faults.empty());
    EXPECT_EQ(side.upcalls.writes, 6);
    expect_memory_untouched();
}
TEST_P(ReceiveChecks, TheWholeRegionMayBeWritten) {
    feed(tagged(Opcode::write, writable, base), pattern(region_size));
    EXPECT_TRUE(side.upcalls.faults.empty());
    EXPECT_TRUE(
        std::equal(memory.begin(), memory.begin() + region_size, pattern(region_size).begin()));
    EXPECT_EQ(memory[region_size], std::byte{0x55});
}

// Row 18.
TEST_P(ReceiveChecks, AnAnswerWithAnotherTag) {
    ask_for_read(16);
    feed(tagged(Opcode::read_response, 6, 1000), pattern(16));
    expect_terminate({1, 1, 0});
    expect_sink_untouched();
}
TEST_P(ReceiveChecks, AnAnswerElsewhere) {
    ask_for_read(16);
    feed(tagged(Opcode::read_response, 5, 1001), pattern(16));
    expect_terminate({1, 1, 1});
    expect_sink_untouched();
}
TEST_P(ReceiveChecks, AnAnswerTooLong) {
    ask_for_read(16);
    feed(tagged(Opcode::read_response, 5, 1000), pattern(17));
    expect_terminate({1, 1, 1});
    expect_sink_untouched();
}
TEST_P(ReceiveChecks, AnAnswerTooShort) {
    ask_for_read(16);
    feed(tagged(Opcode::read_response, 5, 1000), pattern(15));
    expect_terminate({1, 1, 1});
    expect_sink_untouched();
}
TEST_P(ReceiveChecks, AnEmptyAnswerTooShort) {
    ask_for_read(16);
    feed(tagged(Opcode::read_response, 5, 1000));
    expect_terminate({1, 1, 1});
}
TEST_P(ReceiveChecks, AnAnswerInPiecesThatGoesOnElsewhere) {
    ask_for_read(16);
    feed(tagged(Opcode::read_response, 5, 1000, false), pattern(8));
    feed(tagged(Opcode::read_response, 5, 1009), pattern(8));
    expect_terminate({1, 1, 1});
}
TEST_P(ReceiveChecks, AnEmptyAnswerNeedsNoTag) {
    ask_for_read(0);
    feed(tagged(Opcode::read_response, 77, 99));
    EXPECT_TRUE(side.upcalls.faults.empty());
    EXPECT_EQ(side.upcalls.answers.size(), 1u);
}
TEST_P(ReceiveChecks, AnAtomicAnswerToAnother) {
    ask_for_atomic();
    Buffer body(12);
    rdmap::write(body.data(), rdmap::AtomicResponse{.id = 8});
    feed(untagged(Opcode::atomic_response), body);
    expect_terminate({0, 2, 7});
}

// Row 19.
TEST_P(ReceiveChecks, HeadersOfTheWrongLength) {
    struct Case {
        Opcode opcode;
        std::size_t length;
    };
    for (const Case c : {Case{Opcode::read_request, 27}, Case{Opcode::read_request, 29},
                         Case{Opcode::read_request, 0}, Case{Opcode::atomic_request, 51},
                         Case{Opcode::atomic_request, 53}, Case{Opcode::immediate, 7},
                         Case{Opcode::immediate, 9}, Case{Opcode::immediate_solicited, 0}}) {
        Side other(settings(true, 2));
        other.upcalls.post(100);
        other.stream.feed(framed(segment(untagged(c.opcode), Buffer(c.length))));
        ASSERT_EQ(other.upcalls.faults.size(), 1u);
        EXPECT_EQ(codes_of(other.upcalls.faults[0]), (Codes{0, 2, 7}));
    }
    ask_for_atomic();
    feed(untagged(Opcode::atomic_response), Buffer(11));
    expect_terminate({0, 2, 7});
}
TEST_P(ReceiveChecks, HeadersMayComeInPieces) {
    Buffer body(rdmap::ReadRequest::size);
    rdmap::write(body.data(),
                 rdmap::ReadRequest{.length = 4, .source_stag = readable, .source_to = base});
    feed(untagged(Opcode::read_request, 1, 0, false), std::span(body).first(9));
    feed(untagged(Opcode::read_request, 1, 9), std::span(body).subspan(9));
    EXPECT_TRUE(side.upcalls.faults.empty());
    EXPECT_EQ(side.stream.inbound().size(), 1u);
}

// Row 20.
TEST_P(ReceiveChecks, ReadsThatMayNotBe) {
    struct Case {
        std::uint32_t stag;
        std::uint64_t to;
        std::uint32_t length;
        Codes codes;
    };
    for (const Case c :
         {Case{0x1001, base, 8, {0, 1, 0}}, Case{gone, base, 8, {0, 1, 0}},
          Case{0, base, 8, {0, 1, 0}}, Case{foreign, base, 8, {0, 1, 3}},
          Case{bound_elsewhere, base, 8, {0, 1, 3}}, Case{writable, base, 8, {0, 1, 2}},
          Case{atomics, base, 8, {0, 1, 2}}, Case{readable, base - 1, 8, {0, 1, 1}},
          Case{readable, base + region_size - 7, 8, {0, 1, 1}},
          Case{readable, base, 0xffffffff, {0, 1, 1}}, Case{at_the_end, ~0ull, 8, {0, 1, 4}}}) {
        Side other(settings(true, 2));
        add_regions(other);
        const rdmap::ReadRequest request{.sink_stag = 1,
                                         .sink_to = 2,
                                         .length = c.length,
                                         .source_stag = c.stag,
                                         .source_to = c.to};
        Buffer body(rdmap::ReadRequest::size);
        rdmap::write(body.data(), request);
        const Buffer bytes = segment(untagged(Opcode::read_request), body);
        other.stream.feed(framed(bytes));
        ASSERT_EQ(other.upcalls.faults.size(), 1u);
        const Terminate& fault = other.upcalls.faults[0];
        EXPECT_EQ(codes_of(fault), c.codes);
        EXPECT_TRUE(fault.has_length);
        EXPECT_EQ(fault.segment_length, 46);
        EXPECT_EQ(to_hex(std::span(fault.ddp).first(fault.ddp_size)),
                  to_hex(std::span(bytes).first(18)));
        EXPECT_TRUE(fault.has_read);
        EXPECT_EQ(fault.read, request);
        EXPECT_EQ(other.stream.inbound().size(), 0u);
    }
}

// Row 21.
TEST_P(ReceiveChecks, ToReadNothingNeedsNoTag) {
    read_request(
        {.sink_stag = 6, .sink_to = 7, .length = 0, .source_stag = 99, .source_to = ~0ull});
    EXPECT_TRUE(side.upcalls.faults.empty());
    const Buffer answer = side.out();
    EXPECT_EQ(to_hex(std::span(answer).first(16)), "000ec142000000060000000000000007");
}

// Row 22.
TEST_P(ReceiveChecks, TagsThatCannotBeInvalidated) {
    struct Case {
        std::uint32_t stag;
        Codes codes;
    };
    for (const Case c :
         {Case{0x1001, {0, 2, 9}}, Case{gone, {0, 2, 9}}, Case{0, {0, 2, 9}},
          Case{writable, {0, 1, 9}}, Case{foreign, {0, 1, 9}}, Case{bound_elsewhere, {0, 1, 9}}}) {
        Side other(settings(true, 2));
        add_regions(other);
        other.upcalls.post(100);
        ddp::Header header = untagged(Opcode::send_invalidate);
        header.ulp_word = c.stag;
        other.stream.feed(framed(segment(header, pattern(8))));
        ASSERT_EQ(other.upcalls.faults.size(), 1u);
        EXPECT_EQ(codes_of(other.upcalls.faults[0]), c.codes);
        EXPECT_EQ(other.upcalls.failed_receives.size(), 1u);
        EXPECT_TRUE(other.upcalls.arrivals.empty());
        EXPECT_EQ(other.tags.size(), 6u);
        EXPECT_EQ(other.upcalls.receives[0].memory, Buffer(100));
    }
}

// Rows 23 and 24.
TEST_P(ReceiveChecks, AtomicsThatMayNotBe) {
    struct Case {
        std::uint32_t stag;
        std::uint64_t to;
        unsigned op;
        Codes codes;
    };
    for (const Case c : {Case{0x1001, base, 0, {0, 1, 0}}, Case{foreign, base, 0, {0, 1, 3}},
                         Case{readable, base, 0, {0, 1, 2}}, Case{writable, base, 2, {0, 1, 2}},
                         Case{atomics, base + region_size - 4, 0, {0, 1, 1}},
                         Case{at_the_end, 0 - std::uint64_t{4}, 0, {0, 1, 4}},
                         Case{atomics, base + 4, 0, {0, 2, 7}}, Case{atomics, base, 1, {0, 2, 6}},
                         Case{atomics, base, 3, {0, 2, 6}}}) {
        Side other(settings(true, 2));
        add_regions(other);
        Buffer body(rdmap::AtomicRequest::size);
        rdmap::write(body.data(), rdmap::AtomicRequest{.stag = c.stag, .to = c.to, .operand = 1});
        body[3] = static_cast<std::byte>(c.op);
        other.stream.feed(framed(segment(untagged(Opcode::atomic_request), body)));
        ASSERT_EQ(other.upcalls.faults.size(), 1u);
        EXPECT_EQ(codes_of(other.upcalls.faults[0]), c.codes);
        EXPECT_FALSE(other.upcalls.faults[0].has_read);
        EXPECT_EQ(other.upcalls.faults[0].ddp_size, ddp::untagged_size);
        other.out();
        expect_memory_untouched();
    }
}
TEST_P(ReceiveChecks, AnAtomicThatMayBe) {
    atomic_request({.stag = atomics, .to = base + 8, .operand = 1});
    EXPECT_TRUE(side.upcalls.faults.empty());
    expect_memory_untouched();  // only when it is answered
    side.out();
    EXPECT_NE(memory[8], std::byte{0x55});
}

// Row 26.
TEST_P(ReceiveChecks, NothingIsHeardAfterThePeersLastWords) {
    side.upcalls.post(100);
    side.stream.feed(hex(vectors::term_mpa_crc));
    ASSERT_EQ(side.upcalls.last_words.size(), 1u);
    feed(untagged(Opcode::send), pattern(8));
    feed(tagged(Opcode::write, writable, base), pattern(8));
    side.stream.feed(hex(vectors::term_mpa_crc));
    EXPECT_TRUE(side.upcalls.arrivals.empty());
    EXPECT_TRUE(side.upcalls.faults.empty());
    EXPECT_EQ(side.upcalls.last_words.size(), 1u);
    expect_memory_untouched();
}
TEST_P(ReceiveChecks, LastWordsThatAreNoneMeanALoss) {
    for (const std::size_t length : {0, 3, 53, 100}) {
        Side other(settings(true, 2));
        other.stream.feed(framed(segment(untagged(Opcode::terminate), Buffer(length))));
        EXPECT_EQ(other.upcalls.losses, 1) << length;
        EXPECT_TRUE(other.upcalls.faults.empty());
    }
    Side cut_short(settings(true, 2));  // announces a header that is not there
    cut_short.stream.feed(framed(segment(untagged(Opcode::terminate), hex("1101c000001ec140"))));
    EXPECT_EQ(cut_short.upcalls.losses, 1);
}

}  // namespace
}  // namespace railyard::iwarp
