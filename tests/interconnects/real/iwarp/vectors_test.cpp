// Frames whose bytes are known, made and understood.

#include "interconnects/real/iwarp/vectors.hpp"

#include <gtest/gtest.h>

#include "interconnects/real/iwarp/handshake.hpp"
#include "interconnects/real/iwarp/support.hpp"

namespace railyard::iwarp {
namespace {

using namespace testing;

std::string written(const mpa::StartupFrame& frame) {
    Buffer bytes(mpa::longest_startup);
    bytes.resize(frame.write(bytes.data()));
    return to_hex(bytes);
}

mpa::StartupFrame understood(std::string_view text, bool reply) {
    mpa::StartupReader reader(reply);
    const Buffer bytes = hex(text);
    EXPECT_EQ(reader.feed(bytes), bytes.size());
    EXPECT_TRUE(reader.complete());
    return reader.frame();
}

TEST(Vectors, StartupOfRevisionOne) {
    mpa::StartupFrame frame{.revision = 1};
    EXPECT_EQ(written(frame), vectors::mpa_req_rev1);
    frame.reply = true;
    EXPECT_EQ(written(frame), vectors::mpa_rep_rev1);
    frame.reject = true;
    EXPECT_EQ(written(frame), vectors::mpa_rep_rev1_reject);

    const mpa::StartupFrame request = understood(vectors::mpa_req_rev1, false);
    EXPECT_TRUE(request.crc);
    EXPECT_FALSE(request.markers);
    EXPECT_EQ(request.revision, 1);
    EXPECT_FALSE(request.enhanced);
    EXPECT_FALSE(understood(vectors::mpa_rep_rev1, true).reject);
    EXPECT_TRUE(understood(vectors::mpa_rep_rev1_reject, true).reject);
}

TEST(Vectors, StartupOfRevisionTwo) {
    mpa::StartupFrame frame{.enhanced = mpa::Enhanced{.ird = 16, .ord = 16}};
    EXPECT_EQ(written(frame), vectors::mpa_req_rev2);
    frame.reply = true;
    EXPECT_EQ(written(frame), vectors::mpa_rep_rev2);
    EXPECT_EQ(understood(vectors::mpa_req_rev2, false).enhanced, frame.enhanced);
    EXPECT_EQ(understood(vectors::mpa_rep_rev2, true).enhanced, frame.enhanced);
}

TEST(Vectors, StartupOfPeers) {
    mpa::StartupFrame frame{
        .enhanced = mpa::Enhanced{
            .peer_to_peer = true, .rtr = {.write = true, .read = true}, .ird = 16, .ord = 16}};
    frame.set_private_data(text_bytes("PDATA"));
    EXPECT_EQ(written(frame), vectors::mpa_req_rev2_p2p);
    const mpa::StartupFrame request = understood(vectors::mpa_req_rev2_p2p, false);
    EXPECT_EQ(request.enhanced, frame.enhanced);
    EXPECT_EQ(to_hex(request.private_data()), to_hex(text_bytes("PDATA")));

    frame.reply = true;
    frame.enhanced->rtr.read = false;
    frame.set_private_data({});
    EXPECT_EQ(written(frame), vectors::mpa_rep_rev2_p2p);
    EXPECT_EQ(understood(vectors::mpa_rep_rev2_p2p, true).enhanced, frame.enhanced);
}

// What is sent.

Place place_of(Buffer& bytes) {
    return {bytes.data(), bytes.size(), Lease()};
}

Message a_send(Buffer& bytes, Place& place, SendFlags flags = {}) {
    place = place_of(bytes);
    return send_message({&place, 1}, bytes.size(), flags);
}

TEST(Vectors, SendsAreMade) {
    Side side;
    Place place;
    Buffer hello = text_bytes("hello");
    EXPECT_EQ(to_hex(side.send(a_send(hello, place))), vectors::send_hello);
    EXPECT_EQ(to_hex(side.send(send_message({}, 0))), vectors::send_zero);
    side.stream.set_ulpdu(ddp::untagged_size + 8);
    Buffer letters = text_bytes("ABCDEFGHIJ");
    EXPECT_EQ(to_hex(side.send(a_send(letters, place))),
              std::string(vectors::send_seg1of2) + vectors::send_seg2of2);
    Buffer inv = text_bytes("inv!");
    EXPECT_EQ(to_hex(side.send(a_send(inv, place, {.invalidates = true, .stag = 0x11223344}))),
              vectors::send_inv);
    Buffer se = text_bytes("se");
    EXPECT_EQ(to_hex(side.send(a_send(se, place, {.solicited = true}))), vectors::send_se);
    Buffer x = text_bytes("x");
    EXPECT_EQ(to_hex(side.send(
                  a_send(x, place, {.solicited = true, .invalidates = true, .stag = 0x11223344}))),
              vectors::send_se_inv);
    EXPECT_EQ(to_hex(side.send(immediate_message(0xcafef00d))), vectors::imm_data);
    EXPECT_EQ(to_hex(side.send(immediate_message(0xcafef00d, true))), vectors::imm_data_se);
}

const rdmap::ReadRequest known_read{.sink_stag = 0x00045601,
                                    .sink_to = 0x0000111122223000,
                                    .length = 4096,
                                    .source_stag = 0x00012301,
                                    .source_to = 0x0000aaaabbbb0000};
const rdmap::AtomicRequest known_add{.op = rdmap::AtomicOp::fetch_add,
                                     .id = 7,
                                     .stag = 0x00012301,
                                     .to = 0x0000aaaabbbb0040,
                                     .operand = 5};
const rdmap::AtomicRequest known_swap{.op = rdmap::AtomicOp::compare_swap,
                                      .id = 8,
                                      .stag = 0x00012301,
                                      .to = 0x0000aaaabbbb0040,
                                      .operand = 9,
                                      .operand_mask = ~0ull,
                                      .compare = 5};

TEST(Vectors, WritesAndRequestsAreMade) {
    Side side;
    Buffer numbers;
    for (int i = 0; i < 16; ++i)
        numbers.push_back(static_cast<std::byte>(i));
    const Place place = place_of(numbers);
    EXPECT_EQ(to_hex(side.send(write_message(0x00012301, 0x0000aaaabbbb0010, {&place, 1}, 16))),
              vectors::write16);
    EXPECT_EQ(to_hex(side.send(write_message(1, 0, {}, 0))), vectors::write_zero_rtr);
    EXPECT_EQ(to_hex(side.send(read_message(known_read))), vectors::read_req);
    EXPECT_EQ(to_hex(side.send(atomic_message(known_add))), vectors::atomic_fetchadd);
    EXPECT_EQ(to_hex(side.send(atomic_message(known_swap))), vectors::atomic_cmpswap);
}

TEST(Vectors, AnswersAreMade) {
    Side side;
    alignas(8) std::array<std::byte, 128> memory{};
    for (std::size_t i = 0; i < 10; ++i)
        memory[i] = static_cast<std::byte>('0' + i);
    const std::uint64_t answer = 42;
    std::memcpy(&memory[64], &answer, 8);
    side.add_region(0x00012301,
                    {.memory = memory, .base = 0x0000aaaabbbb0000, .access = fabric::Access::all});
    Side asker;
    rdmap::ReadRequest ten = known_read;
    ten.length = 10;
    const Buffer request = asker.send(read_message(ten));
    side.stream.feed(request);
    EXPECT_EQ(to_hex(side.out()), vectors::read_resp);
    side.stream.feed(hex(vectors::atomic_fetchadd));  // MSN 2, as it happens
    EXPECT_EQ(to_hex(side.out()), vectors::atomic_resp);
    std::uint64_t now = 0;
    std::memcpy(&now, &memory[64], 8);
    EXPECT_EQ(now, 47u);
    side.stream.feed(hex(vectors::atomic_cmpswap));  // 47 is not 5
    side.out();
    std::memcpy(&now, &memory[64], 8);
    EXPECT_EQ(now, 47u);
    EXPECT_TRUE(side.upcalls.faults.empty());
}

TEST(Vectors, TerminatesAreMade) {
    const auto terminate_bytes = [](const Terminate& why) {
        Side side;
        side.stream.terminate(why);
        return to_hex(side.out());
    };
    EXPECT_EQ(terminate_bytes(terminate(mpa::Fault::crc)), vectors::term_mpa_crc);
    EXPECT_EQ(terminate_bytes(terminate(rdmap::OperationError::opcode)),
              vectors::term_rdmap_op_opcode);

    // The same by asking for what is not there.
    Side side;
    side.stream.feed(hex(vectors::read_req));
    EXPECT_EQ(to_hex(side.out()), vectors::term_rdmap_prot_stag_readreq);
    Side other;
    std::array<std::byte, 31> memory{};  // one too few
    other.add_region(0x00012301,
                     {.memory = memory, .base = 0x0000aaaabbbb0000, .access = fabric::Access::all});
    other.stream.feed(hex(vectors::write16));
    EXPECT_EQ(to_hex(other.out()), vectors::term_ddp_tagged_bounds);
}

// What is received.

TEST(Vectors, SendsAreUnderstood) {
    Side side;
    for (int i = 0; i < 8; ++i)
        side.upcalls.post(16);
    std::array<std::byte, 8> memory{};
    int owner = 0;
    const Registration region{
        .memory = memory, .invalidation = Invalidation::by_its_domain, .owner = &owner};
    side.add_region(0x11223344, region);
    for (const char* frame : {vectors::send_hello, vectors::send_zero, vectors::send_seg1of2,
                              vectors::send_seg2of2, vectors::send_inv, vectors::send_se})
        side.stream.feed(hex(frame));
    EXPECT_EQ(side.tags.size(), 0u);
    side.add_region(0x11223344, region);
    for (const char* frame : {vectors::send_se_inv, vectors::imm_data, vectors::imm_data_se})
        side.stream.feed(hex(frame));

    ASSERT_TRUE(side.upcalls.faults.empty()) << side.upcalls.faults[0].text();
    const auto& arrivals = side.upcalls.arrivals;
    ASSERT_EQ(arrivals.size(), 8u);
    const char* const texts[] = {"hello", "", "ABCDEFGHIJ", "inv!", "se", "x", "", ""};
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(side.upcalls.message(i), text_bytes(texts[i])) << i;
        EXPECT_EQ(arrivals[i].solicited, i == 4 || i == 5 || i == 7) << i;
        EXPECT_EQ(arrivals[i].invalidated, i == 3 || i == 5 ? &owner : nullptr) << i;
        EXPECT_EQ(arrivals[i].has_immediate, i >= 6) << i;
        EXPECT_EQ(arrivals[i].immediate, i >= 6 ? 0xcafef00d : 0) << i;
    }
}

TEST(Vectors, WritesAreUnderstood) {
    Side side;
    Buffer memory(64);
    side.add_region(0x00012301,
                    {.memory = memory, .base = 0x0000aaaabbbb0000, .access = fabric::Access::all});
    side.stream.feed(hex(vectors::write_zero_rtr));
    side.stream.feed(hex(vectors::write16));
    EXPECT_EQ(side.upcalls.writes, 2);
    for (std::size_t i = 0; i < 64; ++i)
        EXPECT_EQ(memory[i], static_cast<std::byte>(i >= 16 && i < 32 ? i - 16 : 0)) << i;
}

TEST(Vectors, RequestsAreUnderstood) {
    Side side;
    Buffer memory(4096);
    side.add_region(0x00012301,
                    {.memory = memory, .base = 0x0000aaaabbbb0000, .access = fabric::Access::all});
    side.stream.feed(hex(vectors::read_req));
    ASSERT_EQ(side.stream.inbound().size(), 1u);
    EXPECT_EQ(side.stream.inbound().front().read, known_read);
    side.out();
    side.stream.feed(hex(vectors::atomic_fetchadd));
    ASSERT_EQ(side.stream.inbound().size(), 1u);
    EXPECT_EQ(side.stream.inbound().front().operation, known_add);
    side.out();
    side.stream.feed(hex(vectors::atomic_cmpswap));
    ASSERT_EQ(side.stream.inbound().size(), 1u);
    EXPECT_EQ(side.stream.inbound().front().operation, known_swap);
}

TEST(Vectors, AnswersAreUnderstood) {
    Side side;
    Buffer sink(10);
    const Place place = place_of(sink);
    side.out();
    ASSERT_TRUE(side.stream.begin_request(read_message(known_read), {.sink_stag = 0x00045601,
                                                                     .sink_to = 0x0000111122223000,
                                                                     .length = 10,
                                                                     .sink = {&place, 1},
                                                                     .cookie = 1}));
    side.out();
    ASSERT_TRUE(side.stream.begin_request(atomic_message(known_add),
                                          {.atomic = true, .id = 7, .cookie = 2}));
    side.out();
    side.stream.feed(hex(vectors::read_resp));
    EXPECT_EQ(sink, text_bytes("0123456789"));
    side.stream.feed(hex(vectors::atomic_resp));
    const std::vector<std::pair<std::uint64_t, std::uint64_t>> expected = {{1, 0}, {2, 42}};
    EXPECT_EQ(side.upcalls.answers, expected);
}

TEST(Vectors, TerminatesAreUnderstood) {
    const auto understood_as = [](const char* frame) {
        Side side;
        side.stream.feed(hex(frame));
        EXPECT_TRUE(side.upcalls.faults.empty());
        EXPECT_EQ(side.upcalls.last_words.size(), 1u);
        return side.upcalls.last_words.at(0);
    };
    EXPECT_EQ(understood_as(vectors::term_mpa_crc), terminate(mpa::Fault::crc));
    EXPECT_EQ(understood_as(vectors::term_rdmap_op_opcode),
              terminate(rdmap::OperationError::opcode));
    const Terminate bounds = understood_as(vectors::term_ddp_tagged_bounds);
    EXPECT_EQ(bounds.text(), "DDP: out of the region's bounds (1/1/01)");
    EXPECT_EQ(bounds.segment_length, 30);
    EXPECT_EQ(ddp::read(bounds.ddp.data()).to, 0x0000aaaabbbb0010u);
    EXPECT_FALSE(bounds.has_read);
    const Terminate stag = understood_as(vectors::term_rdmap_prot_stag_readreq);
    EXPECT_EQ(stag.text(), "RDMAP: invalid STag (0/1/00)");
    EXPECT_EQ(stag.ddp_size, ddp::untagged_size);
    ASSERT_TRUE(stag.has_read);
    EXPECT_EQ(stag.read, known_read);
}

}  // namespace
}  // namespace railyard::iwarp
