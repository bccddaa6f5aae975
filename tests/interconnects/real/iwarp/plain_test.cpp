/// A peer that is not ours, over a real socket: it knows nothing but the RFCs. Its frames are made
/// by hand, and what it gets is looked at byte by byte, so this stands in for the siw and the
/// hardware that are not here.

#include "interconnects/real/iwarp/names.hpp"

#include "interconnects/real/iwarp/plain_peer.hpp"

namespace railyard::iwarp {
namespace {

using fabric::ConnectionState;
using namespace testing;

/// How a start-up may go: revision, enhanced data of the request and of the reply, who is ready.
struct Way {
    std::string name;
    std::uint8_t revision;
    std::optional<std::uint32_t> enhanced;  ///< of the peer's frame
    Ready ready;

    friend void PrintTo(const Way& way, std::ostream* out) { *out << way.name; }
};
const std::vector<Way> ways{
    {"revision_1", 1, {}, Ready::unasked},
    {"revision_2_without_more", 2, {}, Ready::unasked},
    {"revision_2", 2, 0x00080008, Ready::unasked},
    {"ready_by_write", 2, 0x80088008, Ready::by_write},
    {"ready_by_read", 2, 0x80084008, Ready::by_read},
};

Settings welcoming(bool crc = true) {
    Settings settings;
    settings.plain_service = Station::service;
    settings.crc = crc;
    return settings;
}

/// A Nic, its end of a connection, and the peer.
class Plain : public ::testing::Test {
  protected:
    fabric::Completion next(fabric::CompletionQueue& queue) {
        fabric::Completion done;
        EXPECT_TRUE(host.wait_until([&] { return queue.poll(done); }, station.until()));
        return done;
    }
    void post(fabric::Op op, const fabric::RemoteRegion* remote, std::size_t at, std::size_t n) {
        const fabric::Slice slice(station.region(), Bytes(at), Bytes(n));
        fabric::WorkRequest work;
        work.op = op;
        work.local = std::span(&slice, 1);
        work.remote = {remote, Bytes(4)};
        ASSERT_TRUE(end.queue_pair->post(work).ok());
    }
    void post_receive() {
        const fabric::Slice slice(station.region(), Bytes(2048), Bytes(64));
        ASSERT_TRUE(end.receives->post({7, std::span(&slice, 1)}).ok());
    }
    std::string received_text(const fabric::Completion& done) {
        const auto at = station.region().span().subspan(2048, done.length.count());
        return {reinterpret_cast<const char*>(at.data()), at.size()};
    }

    void exchange(PlainPeer& peer, const TaggedBuffer& ours);

    hosts::RealHost host{{.shares_core = true}};
    Station station{host, welcoming()};
    Station::End end;
};

/// Sends, Writes and Reads, both ways.
void Plain::exchange(PlainPeer& peer, const TaggedBuffer& ours) {
    post_receive();
    peer.send("hello");
    const fabric::Completion hello = next(*end.received);
    EXPECT_TRUE(hello.status.ok());
    EXPECT_EQ(received_text(hello), "hello");

    std::ranges::copy(text_bytes("world"), station.region().span().begin());
    post(fabric::Op::send, nullptr, 0, 5);
    EXPECT_EQ(to_hex(peer.hear_frame()),
              "00174143"
              "00000000"
              "00000000"
              "00000001"
              "00000000"
              "776f726c64");
    EXPECT_TRUE(next(*end.sent).status.ok());

    // The peer into our memory, and out of it.
    peer.write(ours.stag, ours.offset + 100, "written");
    post_receive();
    peer.send("look");
    EXPECT_EQ(received_text(next(*end.received)), "look");
    const auto written = station.region().span().subspan(100, 7);
    EXPECT_TRUE(std::ranges::equal(written, text_bytes("written")));
    peer.read(0x777, 0x1000, 7, ours.stag, ours.offset + 100);
    EXPECT_EQ(to_hex(peer.hear_frame()),
              "0015c142"
              "00000777"
              "0000000000001000" +
                  to_hex(text_bytes("written")));

    // We into the peer's, and out of it.
    const TaggedBuffer theirs{0xabcd01, 0xaaaabbbb0000, 4096};
    const auto remote = station.nic().import_region(plain_region(theirs, fabric::Access::all));
    post(fabric::Op::rdma_write, remote.get(), 0, 5);
    EXPECT_EQ(to_hex(peer.hear_frame()),
              "0013c140"
              "00abcd01"
              "0000aaaabbbb0004"
              "776f726c64");
    EXPECT_TRUE(next(*end.sent).status.ok());
    post(fabric::Op::rdma_read, remote.get(), 200, 6);
    const Buffer asked = peer.hear_frame();
    ASSERT_EQ(asked.size(), 2u + 46u);
    const rdmap::ReadRequest request = rdmap::read_read_request(asked.data() + 20);
    EXPECT_EQ(request.length, 6u);
    EXPECT_EQ(request.source_stag, 0xabcd01u);
    EXPECT_EQ(request.source_to, 0xaaaabbbb0004u);
    EXPECT_NE(request.sink_stag, 0u);
    peer.answer(request, "answer");
    EXPECT_TRUE(next(*end.sent).status.ok());
    EXPECT_TRUE(std::ranges::equal(station.region().span().subspan(200, 6), text_bytes("answer")));
}

class PlainWays : public Plain, public ::testing::WithParamInterface<Way> {};
class PlainCaller : public PlainWays {};
class PlainAnswerer : public PlainWays {};

// IW-1: MPA starts on a TCP connection that stands, and then it is the queue pair's.
TEST_P(PlainCaller, ConnectsToAListener) {
    PlainPeer peer(host, PlainPeer::connected_to(station.name().at));
    peer.say(startup("Req", 0x40, GetParam().revision, GetParam().enhanced, "who I am"));
    std::unique_ptr<fabric::ConnectionRequest> request;
    ASSERT_TRUE(host.wait_until([&] { return (request = station.listener().poll()) != nullptr; },
                                station.until()));
    EXPECT_EQ(request->private_data().text(), "who I am");
    end = station.make_end();
    ASSERT_TRUE(end.queue_pair->accept(*request, fabric::PrivateData("welcome")).ok());
    // Only what the peer offered, and as many Reads as it serves and asks for.
    EXPECT_EQ(
        to_hex(peer.hear_exactly(
            startup("Rep", 0x40, GetParam().revision, GetParam().enhanced, "welcome").size())),
        to_hex(startup("Rep", 0x40, GetParam().revision, GetParam().enhanced, "welcome")));

    if (GetParam().ready != Ready::unasked) {
        EXPECT_EQ(end.queue_pair->state(), ConnectionState::connecting);
        peer.say_ready(GetParam().ready);
    }
    ASSERT_TRUE(station.wait_for(end, ConnectionState::connected));
    exchange(peer, tagged_buffer(station.region().export_blob()));

    peer.finish();
    EXPECT_TRUE(station.wait_for(end, ConnectionState::failed));
}

TEST_P(PlainAnswerer, IsConnectedTo) {
    PlainListener listener;
    end = station.make_end();
    ASSERT_TRUE(end.queue_pair
                    ->connect(plain_address("127.0.0.1", listener.port()), 0,
                              fabric::PrivateData("it is me"), station.until())
                    .ok());
    PlainPeer peer(host, listener.accept(host));
    const Buffer asked = startup("Req", 0x40, 2, 0x8010c010, "it is me");
    EXPECT_EQ(to_hex(peer.hear_exactly(asked.size())), to_hex(asked));
    if (!GetParam().enhanced) {  // it does not know revision 2, and hangs up
        peer = PlainPeer(host, {});
        peer = PlainPeer(host, listener.accept(host));
        const Buffer simple = startup("Req", 0x40, 1, {}, "it is me");
        EXPECT_EQ(to_hex(peer.hear_exactly(simple.size())), to_hex(simple));
    }
    peer.say(startup("Rep", 0x40, GetParam().enhanced ? 2 : 1, GetParam().enhanced, "I am here"));
    ASSERT_TRUE(station.wait_for(end, ConnectionState::connected));
    EXPECT_EQ(end.queue_pair->peer_data().text(), "I am here");
    peer.expect_ready(GetParam().ready);
    exchange(peer, tagged_buffer(station.region().export_blob()));
}

/// We ask which message makes the peer ready, so an answer that has room for it says so.
std::vector<Way> ways_to_answer() {
    std::vector<Way> answers = ways;
    std::erase_if(answers,
                  [](const Way& way) { return way.enhanced && way.ready == Ready::unasked; });
    return answers;
}
std::string name_of(const ::testing::TestParamInfo<Way>& way) {
    return way.param.name;
}
INSTANTIATE_TEST_SUITE_P(All, PlainCaller, ::testing::ValuesIn(ways), name_of);
INSTANTIATE_TEST_SUITE_P(All, PlainAnswerer, ::testing::ValuesIn(ways_to_answer()), name_of);

/// Who is connected to speaks second, whatever is posted.
TEST_F(Plain, IsNotSpokenToFirst) {
    PlainPeer peer(host, PlainPeer::connected_to(station.name().at));
    peer.say(startup("Req", 0x40, 1, {}, ""));
    end = station.accept();
    peer.hear_exactly(startup("Rep", 0x40, 1, {}, "").size());
    ASSERT_TRUE(station.wait_for(end, ConnectionState::connected));
    post(fabric::Op::send, nullptr, 0, 5);
    for (int i = 0; i < 1000; ++i)
        host.progress();
    EXPECT_FALSE(peer.has_heard_more());
    post_receive();
    peer.send("now");
    EXPECT_EQ(received_text(next(*end.received)), "now");
    EXPECT_EQ(peer.hear_frame().size(), 2u + 18u + 5u);
}

/// It serves no Reads: what would need one is refused here, and does not wait for ever.
TEST_F(Plain, IsNotAskedForReadsThatItDoesNotServe) {
    for (const bool read : {true, false}) {
        PlainPeer peer(host, PlainPeer::connected_to(station.name().at));
        peer.say(startup("Req", 0x40, 2, 0x00000000, ""));
        end = station.accept();
        peer.hear_exactly(startup("Rep", 0x40, 2, 0, "").size());
        const auto remote =
            station.nic().import_region(plain_region({1, 0, 4096}, fabric::Access::all));
        fabric::WorkRequest work;
        work.op = read ? fabric::Op::rdma_read : fabric::Op::rdma_write;
        work.remote = {remote.get(), Bytes()};
        if (!read) work.flags = fabric::Flags::remote_completion;
        ASSERT_TRUE(end.queue_pair->post(work).ok());
        EXPECT_EQ(next(*end.sent).status, Status(Code::unsupported));
    }
}

TEST_F(Plain, IsRejectedWithTheReason) {
    PlainPeer peer(host, PlainPeer::connected_to(station.name().at));
    peer.say(startup("Req", 0x40, 1, {}, ""));
    std::unique_ptr<fabric::ConnectionRequest> request;
    ASSERT_TRUE(host.wait_until([&] { return (request = station.listener().poll()) != nullptr; },
                                station.until()));
    request->reject(fabric::PrivateData("not today"));
    const Buffer reply = startup("Rep", 0x60, 1, {}, "not today");
    EXPECT_EQ(to_hex(peer.hear_exactly(reply.size())), to_hex(reply));
}

TEST_F(Plain, MayReject) {
    PlainListener listener;
    end = station.make_end();
    ASSERT_TRUE(
        end.queue_pair->connect(plain_address("127.0.0.1", listener.port()), 0, {}, station.until())
            .ok());
    PlainPeer peer(host, listener.accept(host));
    peer.hear_exactly(24);
    peer.say(startup("Rep", 0x60, 2, 0x80108010, "go away"));
    ASSERT_TRUE(station.wait_for(end, ConnectionState::failed));
    EXPECT_EQ(end.queue_pair->reason(), Status(Code::refused));
    EXPECT_EQ(end.queue_pair->peer_data().text(), "go away");
}

/// RFC 6581: who was accepted with less than it needs says so by a Terminate.
TEST_F(Plain, IsToldWhyItsAnswerWillNotDo) {
    struct Case {
        std::uint32_t enhanced;
        std::uint8_t code;
    };
    for (const Case& wrong : {Case{0x80108000 | 17, 0x06}, Case{0xc0100010, 0x07}}) {
        PlainListener listener;
        end = station.make_end();
        ASSERT_TRUE(
            end.queue_pair
                ->connect(plain_address("127.0.0.1", listener.port()), 0, {}, station.until())
                .ok());
        PlainPeer peer(host, listener.accept(host));
        peer.hear_exactly(24);
        peer.say(startup("Rep", 0x40, 2, wrong.enhanced, ""));
        ASSERT_TRUE(station.wait_for(end, ConnectionState::failed));
        const Buffer heard = peer.hear_frame();
        ASSERT_EQ(heard.size(), 2u + 18u + 4u);
        EXPECT_EQ(to_hex(std::span(heard).subspan(20, 2)), wrong.code == 6 ? "2006" : "2007");
    }
}

TEST(PlainPeers, GetNoAnswerUnlessTheyAreWanted) {
    hosts::RealHost host({.shares_core = true});
    Station station(host, {});
    Stranger stranger(station.name());
    stranger.say(startup("Req", 0x40, 1, {}, "anything"));
    EXPECT_TRUE(stranger.hear(host).empty());
    EXPECT_EQ(station.listener().poll(), nullptr);
}

TEST(PlainPeers, WaitForAListenerOnlyUpToALimit) {
    hosts::RealHost host({.shares_core = true});
    Settings settings = welcoming();
    settings.most_half_open = 3;
    Station station(host, settings);
    const auto call = [&] {
        auto peer = std::make_unique<PlainPeer>(host, PlainPeer::connected_to(station.name().at));
        peer->say(startup("Req", 0x40, 1, {}, ""));
        return peer;
    };
    std::vector<std::unique_ptr<PlainPeer>> crowd;
    for (int i = 0; i < 3; ++i)
        crowd.push_back(call());
    for (int i = 0; i < 100; ++i)
        host.progress();
    const Buffer no = startup("Rep", 0x60, 1, {}, "");
    EXPECT_EQ(to_hex(call()->hear_exactly(no.size())), to_hex(no));
    crowd.clear();  // who has gone makes room
    for (int i = 0; i < 100; ++i)
        host.progress();
    const auto last = call();
    EXPECT_TRUE(
        host.wait_until([&] { return station.listener().poll() != nullptr; }, station.until()));
}

TEST(PlainPeers, AreNoPeersToMeet) {
    hosts::RealHost host({.shares_core = true});
    Station station(host, {});
    PlainListener listener;
    Station::End end = station.make_end();
    ASSERT_TRUE(
        end.queue_pair
            ->connect_peer(plain_address("127.0.0.1", listener.port()), 1, {}, station.until())
            .ok());
    EXPECT_TRUE(station.wait_for(end, ConnectionState::failed));
    EXPECT_EQ(end.queue_pair->reason(), Status(Code::refused));
}

}  // namespace
}  // namespace railyard::iwarp
