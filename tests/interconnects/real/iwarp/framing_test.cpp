// Frames in the byte stream: made, found and checked, however the stream is cut.

#include <gtest/gtest.h>

#include "interconnects/real/iwarp/framing.hpp"
#include "interconnects/real/iwarp/support.hpp"
#include "interconnects/real/iwarp/vectors.hpp"

namespace railyard::iwarp::mpa {
namespace {

using namespace railyard::iwarp::testing;

TEST(MpaSizes, FitTheSegment) {
    EXPECT_EQ(ulpdu_for_segment(1448, false), 1442u);
    EXPECT_EQ(ulpdu_for_segment(1448, true), 1430u);
    EXPECT_EQ(ulpdu_for_segment(1460, false), 1454u);
    EXPECT_EQ(ulpdu_for_segment(1451, false), 1442u);
    EXPECT_EQ(ulpdu_for_segment(100, false), 128u);
    EXPECT_EQ(ulpdu_for_segment(0, true), 128u);
    EXPECT_EQ(ulpdu_for_segment(65483, false), 64768u);
    for (const std::size_t n : {1, 2, 3, 4, 5, 64768})
        EXPECT_EQ((length_size + n + pad_of(n)) % 4, 0u);
}

/// Keeps the ULPDUs, each in a buffer of its own.
class Collector : public Consumer {
  public:
    Verdict begin(std::span<const std::byte> head, std::size_t length, Cursor& payload) override {
        ++begins;
        if (hold) return Verdict::wait;
        ulpdu.assign(length, std::byte{0xee});
        std::copy(head.begin(), head.end(), ulpdu.begin());
        half = (length - head.size()) / 2;
        places[0] = {ulpdu.data() + head.size(), half, lease};
        places[1] = {ulpdu.data() + head.size() + half, length - head.size() - half, lease};
        payload = Cursor(places);
        return Verdict::go;
    }
    Verdict end() override {
        whole.push_back(ulpdu);
        return Verdict::go;
    }
    void place_lost() override { ++lost; }
    void broken(Fault fault) override { faults.push_back(fault); }

    Buffer ulpdu;
    std::size_t half = 0;
    std::array<Place, 2> places;
    Lease lease;
    bool hold = false;
    int begins = 0;
    int lost = 0;
    std::vector<Buffer> whole;
    std::vector<Fault> faults;
};

/// Frames of these sizes, as one stream.
Buffer make_stream(Framing framing, const std::vector<Buffer>& ulpdus) {
    auto storage = std::make_unique<Outbox::Storage>();
    Outbox out(*storage);
    Framer framer(framing);
    Buffer stream;
    for (Buffer ulpdu : ulpdus) {
        const std::size_t head = std::min<std::size_t>(ulpdu.size(), 14);
        const std::size_t cut = (ulpdu.size() - head) / 3;
        const std::array<Place, 2> places = {
            Place{ulpdu.data() + head, cut, Lease()},
            Place{ulpdu.data() + head + cut, ulpdu.size() - head - cut, Lease()}};
        Cursor payload(places);
        EXPECT_TRUE(framer.frame(out, std::span(ulpdu).first(head), payload, ulpdu.size() - head));
        EXPECT_TRUE(payload.at_end());
        append(stream, drain(out));
    }
    return stream;
}

/// A ULPDU whose first byte says how long its header is.
Buffer ulpdu_of(std::size_t size, bool tagged, unsigned seed) {
    Buffer bytes = pattern(size, seed);
    if (size > 0) bytes[0] = tagged ? std::byte{0xc1} : std::byte{0x41};
    return bytes;
}

std::vector<Buffer> found(Framing framing, const Buffer& stream, std::size_t piece) {
    StagingPool pool;
    Collector collector;
    Deframer deframer(framing, pool, collector);
    for (std::size_t at = 0; at < stream.size(); at += std::min(piece, stream.size() - at)) {
        const std::size_t n = std::min(piece, stream.size() - at);
        EXPECT_EQ(deframer.feed(std::span(stream).subspan(at, n)), n);
    }
    EXPECT_TRUE(collector.faults.empty());
    EXPECT_TRUE(deframer.at_boundary());
    EXPECT_EQ(deframer.frames(), collector.whole.size());
    return collector.whole;
}

constexpr Framing all_framings[] = {{true, false}, {false, false}, {true, true}, {false, true}};

TEST(Mpa, StreamMayBeCutAnywhere) {
    std::vector<Buffer> ulpdus;
    for (const std::size_t size : {14, 18, 19, 20, 21, 22, 46, 70, 600})
        ulpdus.push_back(ulpdu_of(size, size % 2 == 0, static_cast<unsigned>(size)));
    for (const Framing framing : all_framings) {
        const Buffer stream = make_stream(framing, ulpdus);
        for (const std::size_t piece : {1, 2, 3, 5, 17, 512, 100000})
            EXPECT_EQ(found(framing, stream, piece), ulpdus)
                << framing.crc << framing.markers << " " << piece;
        for (std::size_t cut = 1; cut < stream.size(); ++cut) {
            StagingPool pool;
            Collector collector;
            Deframer deframer(framing, pool, collector);
            deframer.feed(std::span(stream).first(cut));
            deframer.feed(std::span(stream).subspan(cut));
            ASSERT_EQ(collector.whole, ulpdus) << framing.crc << framing.markers << " " << cut;
        }
    }
}

TEST(Mpa, ShortUlpdusAreFrames) {  // that they are no segments is for DDP to say
    for (const Framing framing : all_framings)
        for (std::size_t size = 0; size < 20; ++size) {
            const std::vector<Buffer> ulpdus = {ulpdu_of(size, true, 1), ulpdu_of(30, true, 2)};
            EXPECT_EQ(found(framing, make_stream(framing, ulpdus), 1), ulpdus);
            EXPECT_EQ(found(framing, make_stream(framing, ulpdus), 1000), ulpdus);
        }
}

TEST(Mpa, MarkersMayFallAnywhere) {
    // Two frames that come one word later each time: every place of a Marker relative to both.
    for (const bool crc : {true, false})
        for (std::size_t first = 2; first <= 2 + 520; first += 4) {
            const std::vector<Buffer> ulpdus = {ulpdu_of(first, true, 3), ulpdu_of(40, false, 4),
                                                ulpdu_of(1100, true, 5), ulpdu_of(17, true, 6)};
            const Buffer stream = make_stream({crc, true}, ulpdus);
            ASSERT_EQ(found({crc, true}, stream, stream.size()), ulpdus) << first;
            ASSERT_EQ(found({crc, true}, stream, 1), ulpdus) << first;
            for (std::size_t at = 0; at < stream.size(); at += marker_interval) {
                ASSERT_EQ(load16(stream.data() + at), 0);
                ASSERT_EQ(load16(stream.data() + at + 2) % 4, 0);
            }
        }
}

TEST(Mpa, LongestUlpdusFit) {
    for (const Framing framing : all_framings) {
        const std::vector<Buffer> ulpdus = {ulpdu_of(most_ulpdu, true, 7),
                                            ulpdu_of(65535, false, 8), ulpdu_of(100, true, 9)};
        EXPECT_EQ(found(framing, make_stream(framing, ulpdus), 4096), ulpdus);
    }
}

TEST(Mpa, KnowsTheExamplesOfTheRfc) {
    // RFC 5044, figures 5 and 6: a Marker before the length field, and one inside.
    Buffer ulpdu(42);
    ulpdu[0] = std::byte{0x41};
    ulpdu[1] = std::byte{0x43};
    ulpdu[13] = std::byte{1};
    EXPECT_EQ(to_hex(make_stream({true, true}, {ulpdu})), vectors::rfc5044_fig5);
    EXPECT_EQ(found({true, true}, hex(vectors::rfc5044_fig5), 1000), std::vector<Buffer>(1, ulpdu));

    // Figure 6 begins where 492 bytes have been sent before it.
    const Buffer before = ulpdu_of(492 - 4 - 2 - 4, false, 1);
    ulpdu[13] = std::byte{2};
    const Buffer stream = make_stream({true, true}, {before, ulpdu});
    ASSERT_EQ(stream.size(), 492u + 52);
    EXPECT_EQ(to_hex(std::span(stream).subspan(492)), vectors::rfc5044_fig6);
}

TEST(Mpa, AMarkerBetweenFramesIsTheNextOnes) {
    Buffer first(18 + 484);
    first[0] = std::byte{0x41};
    first[1] = std::byte{0x43};
    first[13] = std::byte{1};
    Buffer second(20);
    second[0] = std::byte{0x41};
    second[1] = std::byte{0x43};
    second[13] = std::byte{2};
    second[18] = std::byte{'o'};
    second[19] = std::byte{'k'};
    const Buffer stream = make_stream({true, true}, {first, second});
    EXPECT_EQ(to_hex(std::span(stream).subspan(512)), vectors::marker_between);
    EXPECT_EQ(found({true, true}, stream, 7), (std::vector{first, second}));
}

TEST(Mpa, EveryFlippedBitIsFound) {
    for (const bool markers : {false, true}) {
        const Buffer stream = make_stream({true, markers}, {ulpdu_of(45, true, 1)});
        for (std::size_t bit = 0; bit < 8 * stream.size(); ++bit) {
            Buffer damaged = stream;
            damaged[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
            damaged.resize(damaged.size() + 70000);  // it may be a longer length
            StagingPool pool;
            Collector collector;
            Deframer deframer({true, markers}, pool, collector);
            EXPECT_EQ(deframer.feed(damaged), damaged.size());
            ASSERT_EQ(collector.faults, std::vector{Fault::crc}) << bit;
            ASSERT_EQ(collector.begins, 0) << bit;
            EXPECT_TRUE(deframer.stopped());
        }
    }
}

TEST(Mpa, AWrongMarkerIsFound) {
    const std::vector<Buffer> ulpdus = {ulpdu_of(1300, true, 1)};
    for (const bool crc : {true, false})
        for (const std::size_t marker : {0, 512, 1024}) {
            Buffer stream = make_stream({crc, true}, ulpdus);
            store16(stream.data() + marker + 2,
                    static_cast<std::uint16_t>(load16(stream.data() + marker + 2) + 4));
            store_crc(stream.data() + stream.size() - 4,
                      crc32c(std::span(stream).first(stream.size() - 4)));
            StagingPool pool;
            Collector collector;
            Deframer deframer({crc, true}, pool, collector);
            deframer.feed(stream);
            EXPECT_EQ(collector.faults, std::vector{Fault::marker});
            EXPECT_EQ(collector.begins, 0);
            // Its lowest two bits and its first half mean nothing.
            store16(stream.data() + marker, 0xffff);
            store16(stream.data() + marker + 2,
                    static_cast<std::uint16_t>(load16(stream.data() + marker + 2) - 4 + 3));
            store_crc(stream.data() + stream.size() - 4,
                      crc32c(std::span(stream).first(stream.size() - 4)));
            EXPECT_EQ(found({crc, true}, stream, 99), ulpdus);
        }
}

TEST(Mpa, WithoutCrcTheFieldIsIgnored) {
    Buffer stream = make_stream({false, false}, {ulpdu_of(45, true, 1)});
    store32(stream.data() + stream.size() - 4, 0x12345678);
    EXPECT_EQ(found({false, false}, stream, 1000).size(), 1u);
}

TEST(Mpa, MarkersAreNotSentUnasked) {
    const Buffer stream = make_stream({true, false}, {ulpdu_of(1400, true, 1)});
    EXPECT_EQ(stream.size(), frame_size(1400));
    EXPECT_EQ(load16(stream.data()), 1400);
}

// Reads a stream as a socket would be read: what direct() asks for goes straight there.
std::size_t read_directly(Deframer& deframer, std::span<const std::byte> stream, std::size_t most) {
    std::size_t straight = 0;
    while (!stream.empty()) {
        std::array<iovec, 4> vectors;
        const std::size_t count = deframer.direct(vectors);
        std::size_t filled = 0;
        const std::size_t arriving = std::min(most, stream.size());
        for (std::size_t i = 0; i < count && filled < arriving; ++i) {
            const std::size_t n = std::min(vectors[i].iov_len, arriving - filled);
            std::memcpy(vectors[i].iov_base, stream.data() + filled, n);
            filled += n;
        }
        deframer.direct_filled(filled);
        EXPECT_EQ(deframer.feed(stream.subspan(filled, arriving - filled)), arriving - filled);
        straight += filled;
        stream = stream.subspan(arriving);
    }
    return straight;
}

TEST(Mpa, BytesMayGoStraightToTheirPlace) {
    const std::vector<Buffer> ulpdus = {ulpdu_of(5000, true, 1), ulpdu_of(20, false, 2),
                                        ulpdu_of(9000, true, 3)};
    for (const Framing framing : all_framings) {
        const Buffer stream = make_stream(framing, ulpdus);
        for (const std::size_t most : {1, 100, 1448, 4000, 100000}) {
            StagingPool pool;
            Collector collector;
            Deframer deframer(framing, pool, collector);
            const std::size_t straight = read_directly(deframer, stream, most);
            EXPECT_EQ(collector.whole, ulpdus) << framing.crc << framing.markers << " " << most;
            if (most == 1) {
                EXPECT_GT(straight, 13000u);
            }
        }
    }
}

TEST(Mpa, StagesOnlyWhileAFrameIsIncomplete) {
    StagingPool pool;
    Collector collector;
    Deframer deframer({true, false}, pool, collector);
    const Buffer stream = make_stream({true, false}, {ulpdu_of(100, true, 1)});
    deframer.feed(stream);  // whole: no staging
    EXPECT_EQ(pool.spare(), 0u);
    deframer.feed(std::span(stream).first(50));
    deframer.feed(std::span(stream).subspan(50));
    EXPECT_EQ(pool.spare(), 1u);  // was lent, and is back
    EXPECT_EQ(collector.whole.size(), 2u);
}

TEST(Mpa, WaitsForItsConsumer) {
    const std::vector<Buffer> ulpdus = {ulpdu_of(100, true, 1), ulpdu_of(101, false, 2)};
    for (const Framing framing : all_framings)
        for (const std::size_t piece : {1, 9, 1000}) {
            const Buffer stream = make_stream(framing, ulpdus);
            StagingPool pool;
            Collector collector;
            collector.hold = true;
            Deframer deframer(framing, pool, collector);
            std::span<const std::byte> rest(stream);
            while (!deframer.waiting()) {
                const std::size_t used = deframer.feed(rest.first(std::min(piece, rest.size())));
                rest = rest.subspan(used);
                ASSERT_FALSE(rest.empty());
            }
            const int asked = collector.begins;
            EXPECT_EQ(deframer.feed(rest), 0u);
            EXPECT_TRUE(deframer.waiting());
            EXPECT_EQ(collector.begins, asked + 1);
            std::array<iovec, 1> none;
            EXPECT_EQ(deframer.direct(none), 0u);
            collector.hold = false;
            EXPECT_EQ(deframer.feed(rest), rest.size());
            EXPECT_EQ(collector.whole, ulpdus);
        }
}

TEST(Mpa, StopsPlacingWhenMemoryIsGone) {
    const Buffer stream = make_stream({false, false}, {ulpdu_of(200, true, 1)});
    for (const bool directly : {false, true}) {
        std::uint64_t generation = 1;
        StagingPool pool;
        Collector collector;
        collector.lease = Lease(generation);
        Deframer deframer({false, false}, pool, collector);
        deframer.feed(std::span(stream).first(100));
        const Buffer before = collector.ulpdu;
        ++generation;
        std::array<iovec, 2> vectors;
        if (directly) {
            EXPECT_EQ(deframer.direct(vectors), 0u);
        }
        deframer.feed(std::span(stream).subspan(100));
        EXPECT_EQ(collector.lost, 1);
        EXPECT_EQ(collector.ulpdu, before);
        EXPECT_TRUE(collector.whole.empty());
        EXPECT_TRUE(deframer.stopped());
    }
}

}  // namespace
}  // namespace railyard::iwarp::mpa
