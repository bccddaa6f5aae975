/// A peer that means harm, over real sockets: whatever it sends, it is told off as the RFCs want
/// it, no memory changes, and other connections of the same Nic do not notice.

#include <malloc.h>
#include <sys/resource.h>

#include "interconnects/real/iwarp/nics.hpp"
#include "interconnects/real/iwarp/region.hpp"

namespace railyard::iwarp {
namespace {

using fabric::ConnectionState;
using rdmap::Opcode;
using namespace testing;

class Hostile : public ::testing::Test {
  protected:
    explicit Hostile(Settings settings = {}) : victim(host, settings), friendly(host, {}) {
        std::tie(client, server) = connect(friendly, victim);
        memory_before.assign(victim.region().span().begin(), victim.region().span().end());
    }
    void expect_unharmed() {
        expect_alive(victim, client, server);
        EXPECT_TRUE(std::ranges::equal(memory_before, victim.region().span()));
    }
    /// A stranger who knows the key, up to where he may send frames.
    struct Intruder {
        std::unique_ptr<Stranger> stranger;
        Station::End end;
    };
    Intruder let_in() {
        auto stranger = std::make_unique<Stranger>(victim.name());
        EXPECT_TRUE(stranger->say(stranger->request()));
        Station::End end = victim.accept();
        const std::size_t reply = mpa::startup_header_size + mpa::enhanced_size + Hello::size;
        stranger->hear_exactly(host, reply);
        return {std::move(stranger), std::move(end)};
    }
    static Buffer ready_message() {
        ddp::Header header;
        header.tagged = true;
        header.ulp_control = rdmap::to_byte(Opcode::write);
        return framed(segment(header, {}));
    }

    hosts::RealHost host{{.shares_core = true}};
    Station victim;
    Station friendly;
    Station::End client, server;
    Buffer memory_before;
};

TEST_F(Hostile, RandomBytesGetNoAnswer) {
    std::uint32_t state = 1;
    for (int turn = 0; turn < 50; ++turn) {
        Stranger stranger(victim.name());
        Buffer noise(1 + static_cast<std::size_t>(turn) * 7);
        for (std::byte& b : noise)
            b = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
        stranger.say(noise);
        stranger.finish();
        EXPECT_TRUE(stranger.hear(host).empty());
    }
    expect_unharmed();
}

TEST_F(Hostile, WhoDoesNotKnowTheKeyGetsNoAnswer) {
    Stranger stranger(victim.name());
    stranger.say(stranger.request(false));
    EXPECT_TRUE(stranger.hear(host).empty());
    EXPECT_EQ(victim.listener().poll(), nullptr);
    expect_unharmed();
}

TEST_F(Hostile, BytesAheadOfTheReplyEndTheAttempt) {
    Stranger stranger(victim.name());
    Buffer bytes = stranger.request();
    append(bytes, ready_message());
    stranger.say(bytes);
    EXPECT_TRUE(stranger.hear(host).empty());
    EXPECT_EQ(victim.listener().poll(), nullptr);
    expect_unharmed();
}

class SlowLoris : public Hostile {
  protected:
    static Settings hasty() {
        Settings settings;
        settings.handshake = Duration::ms(30);
        settings.most_half_open = 4;
        return settings;
    }
    SlowLoris() : Hostile(hasty()) {}
};

TEST_F(SlowLoris, IsClosedWhenItsTimeIsUp) {
    Stranger stranger(victim.name());
    const Buffer request = stranger.request();
    stranger.say(std::span(request).first(5));
    EXPECT_TRUE(stranger.hear(host).empty());
    expect_unharmed();
}

TEST_F(SlowLoris, ManyOfThemKeepNobodyOut) {
    std::vector<std::unique_ptr<Stranger>> crowd;
    for (int i = 0; i < 40; ++i) {
        crowd.push_back(std::make_unique<Stranger>(victim.name()));
        host.progress();
    }
    auto [mine, theirs] = connect(friendly, victim);
    expect_alive(victim, mine, theirs);
    expect_unharmed();
}

struct Wrong {
    std::string name;
    Buffer ulpdu;
    std::uint8_t layer, type, code;
};

Buffer untagged(Opcode opcode, std::uint32_t queue, std::uint32_t msn, std::uint32_t mo,
                std::size_t payload) {
    ddp::Header header;
    header.ulp_control = rdmap::to_byte(opcode);
    header.queue = queue;
    header.msn = msn;
    header.mo = mo;
    return segment(header, Buffer(payload, std::byte{0xee}));
}

Buffer tagged(Opcode opcode, std::uint32_t stag, std::uint64_t to, std::size_t payload) {
    ddp::Header header;
    header.tagged = true;
    header.ulp_control = rdmap::to_byte(opcode);
    header.stag = stag;
    header.to = to;
    return segment(header, Buffer(payload, std::byte{0xee}));
}

Buffer read_of(std::uint32_t stag, std::uint64_t to, std::uint32_t length) {
    Buffer body(rdmap::ReadRequest::size);
    rdmap::write(body.data(),
                 rdmap::ReadRequest{.length = length, .source_stag = stag, .source_to = to});
    ddp::Header header;
    header.ulp_control = rdmap::to_byte(Opcode::read_request);
    header.queue = 1;
    header.msn = 1;
    return segment(header, body);
}

/// One of every class of receive checks. `stag` is that of a region of the victim's.
std::vector<Wrong> everything_wrong(std::uint32_t stag, std::uint64_t end) {
    std::vector<Wrong> all;
    all.push_back({"short segment", Buffer(5, std::byte{0x41}), 1, 0, 0});
    Buffer version = untagged(Opcode::send, 0, 1, 0, 4);
    version[0] = std::byte{0x42};
    all.push_back({"DDP version", version, 1, 2, 6});
    Buffer rdmap_version = untagged(Opcode::send, 0, 1, 0, 4);
    rdmap_version[1] = std::byte{0x83};
    all.push_back({"RDMAP version", rdmap_version, 0, 2, 5});
    all.push_back({"unassigned opcode", untagged(static_cast<Opcode>(12), 0, 1, 0, 4), 0, 2, 6});
    all.push_back({"a tagged send", tagged(Opcode::send, stag, 0, 4), 0, 2, 6});
    all.push_back({"an answer to nothing", tagged(Opcode::read_response, stag, 0, 4), 0, 2, 6});
    all.push_back({"wrong queue", untagged(Opcode::send, 1, 1, 0, 4), 1, 2, 1});
    all.push_back({"wrong number", untagged(Opcode::send, 0, 2, 0, 4), 1, 2, 3});
    all.push_back({"begins late", untagged(Opcode::send, 0, 1, 4, 4), 1, 2, 4});
    all.push_back({"too long", untagged(Opcode::send, 0, 1, 0, 9), 1, 2, 5});
    all.push_back({"unknown tag", tagged(Opcode::write, stag + 1, 0, 4), 1, 1, 0});
    all.push_back({"write beyond the end", tagged(Opcode::write, stag, end - 2, 4), 1, 1, 1});
    all.push_back(
        {"write that wraps", tagged(Opcode::write, stag, ~std::uint64_t{} - 1, 4), 1, 1, 3});
    all.push_back({"read of an unknown tag", read_of(stag + 1, 0, 4), 0, 1, 0});
    all.push_back({"read beyond the end", read_of(stag, end, 4), 0, 1, 1});
    all.push_back(
        {"read of the wrong length", untagged(Opcode::read_request, 1, 1, 0, 27), 0, 2, 7});
    all.push_back(
        {"ends a tag that is none", untagged(Opcode::send_invalidate, 0, 1, 0, 4), 0, 2, 9});
    return all;
}

TEST_F(Hostile, EveryClassOfWrongSegmentsIsToldOff) {
    const fabric::RegionBlob blob = victim.region().export_blob();
    const RegionName region = region_name(blob);
    const std::uint64_t end = region.base + victim.region().size().count();
    for (const Wrong& wrong : everything_wrong(region.stag, end)) {
        SCOPED_TRACE(wrong.name);
        Intruder intruder = let_in();
        std::vector<std::byte> room(8);
        const auto receive = victim.nic().register_memory(room, fabric::Access::local);
        const fabric::Slice slice(*receive);
        ASSERT_TRUE(intruder.end.receives->post({1, std::span(&slice, 1)}).ok());
        Buffer bytes = ready_message();
        append(bytes, framed(wrong.ulpdu));
        intruder.stranger->say(bytes);
        ASSERT_TRUE(victim.wait_for(intruder.end, ConnectionState::failed));
        intruder.stranger->finish();
        const Buffer heard = intruder.stranger->hear(host);
        Side reader;
        reader.stream.feed(heard);
        ASSERT_EQ(reader.upcalls.last_words.size(), 1u);
        const Terminate& told = reader.upcalls.last_words[0];
        EXPECT_EQ(static_cast<int>(told.layer), wrong.layer);
        EXPECT_EQ(told.type, wrong.type);
        EXPECT_EQ(told.code, wrong.code);
        expect_unharmed();
    }
}

TEST_F(Hostile, AFrameWithAWrongCrcIsToldOff) {
    Intruder intruder = let_in();
    Buffer bytes = ready_message();
    Buffer frame = framed(untagged(Opcode::send, 0, 1, 0, 4));
    frame[22] ^= std::byte{1};
    append(bytes, frame);
    intruder.stranger->say(bytes);
    ASSERT_TRUE(victim.wait_for(intruder.end, ConnectionState::failed));
    intruder.stranger->finish();
    Side reader;
    reader.stream.feed(intruder.stranger->hear(host));
    ASSERT_EQ(reader.upcalls.last_words.size(), 1u);
    EXPECT_EQ(reader.upcalls.last_words[0], terminate(mpa::Fault::crc));
    expect_unharmed();
}

/// An exchange that is cut off after each of its bytes, by an end or by a reset.
TEST_F(Hostile, AnExchangeMayBreakOffAnywhere) {
    Buffer stream = ready_message();
    append(stream, framed(untagged(Opcode::send, 0, 1, 0, 4)));
    for (const bool hard : {false, true}) {
        Stranger measure(victim.name());
        const std::size_t length = measure.request().size();
        for (std::size_t cut = 0; cut < length; cut += 3) {
            Stranger stranger(victim.name());
            const Buffer request = stranger.request();
            stranger.say(std::span(request).first(cut));
            if (hard) {
                stranger.reset();
                host.progress();
            } else {
                stranger.finish();
                EXPECT_TRUE(stranger.hear(host).empty());
            }
        }
        for (std::size_t cut = 0; cut < stream.size(); ++cut) {
            Intruder intruder = let_in();
            intruder.stranger->say(std::span(stream).first(cut));
            if (hard) {
                intruder.stranger->reset();
            } else {
                intruder.stranger->finish();
            }
            ASSERT_TRUE(victim.wait_for(intruder.end, ConnectionState::failed)) << cut;
        }
        expect_unharmed();
    }
}

TEST_F(Hostile, MoreThanMayBeHeldIsNotRead) {
    // Sends that no receive is posted for: the socket fills, and nothing grows without end.
    Intruder intruder = let_in();
    intruder.stranger->say(ready_message());
    ASSERT_TRUE(victim.wait_for(intruder.end, ConnectionState::connected));
    Descriptor socket = intruder.stranger->take();
    const Buffer frame = framed(untagged(Opcode::send, 0, 1, 0, 4096));
    std::size_t said = 0;
    int refusals = 0;
    while (refusals < 200 && said < (256u << 20)) {
        const ssize_t n =
            ::send(socket.get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) said += static_cast<std::size_t>(n);
        refusals = n > 0 ? 0 : refusals + 1;
        host.progress();
    }
    EXPECT_LT(said, 256u << 20);
    expect_unharmed();
}

/// A peer that is always ahead of the receives by a little makes us hold a little, for ever.
TEST_F(Hostile, WhoIsAlwaysAheadDoesNotMakeUsHoldMoreAndMore) {
    Intruder intruder = let_in();
    intruder.stranger->say(ready_message());
    ASSERT_TRUE(victim.wait_for(intruder.end, ConnectionState::connected));
    std::vector<std::byte> room(4096);
    const auto memory = victim.nic().register_memory(room, fabric::Access::local);
    const fabric::Slice slice(*memory);
    std::uint32_t said = 0;
    const auto say = [&] {
        intruder.stranger->say(framed(untagged(Opcode::send, 0, ++said, 0, room.size())));
    };
    say();
    [[maybe_unused]] const auto before = mallinfo2();
    for (std::uint64_t i = 0; i < 8000; ++i) {
        say();
        host.progress();
        ASSERT_TRUE(intruder.end.receives->post({i, std::span(&slice, 1)}).ok());
        fabric::Completion done;
        ASSERT_TRUE(
            host.wait_until([&] { return intruder.end.received->poll(done); }, victim.until()));
        ASSERT_TRUE(done.status.ok());
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const auto after = mallinfo2();
    const std::size_t bound = 4 << 20;  // of 32 MiB that went through
    EXPECT_LT(after.uordblks + after.hblkhd, before.uordblks + before.hblkhd + bound);
#endif
}

/// Who sleeps is not woken again and again by a call for which there is no descriptor.
TEST_F(Hostile, WithoutDescriptorsTheNicRests) {
    Stranger stranger(victim.name());
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{3, before.rlim_max};  // those that every process has
    setrlimit(RLIMIT_NOFILE, &none);
    host.progress();
    pollfd sleeper{dynamic_cast<hosts::Source&>(victim.nic()).descriptor(), POLLIN, 0};
    EXPECT_EQ(::poll(&sleeper, 1, 0), 0);
    setrlimit(RLIMIT_NOFILE, &before);
    stranger.say(stranger.request());
    EXPECT_NE(victim.accept().queue_pair, nullptr);
    expect_unharmed();
}

}  // namespace
}  // namespace railyard::iwarp
