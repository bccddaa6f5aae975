// Two who know the secret, and strangers between them, over the loopback.

#include "launch/channel/listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <future>

#include "launch/channel/channel.hpp"
#include "railyard/base/error.hpp"

namespace railyard::channel {
namespace {

using ::testing::HasSubstr;

Listener::Options here() {
    Listener::Options options;
    options.where = {"127.0.0.1", 0};
    return options;
}

/// A connection of somebody who says nothing by himself.
Descriptor stranger(std::uint16_t port) {
    const Endpoint where = resolve({"127.0.0.1", port}).front();
    Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where.address), where.length))
        throw system_error("connect");
    return socket;
}

/// Whether the other side has hung up, soon.
bool is_sent_away(int socket) {
    char buffer[256];
    for (;;) {
        pollfd wait{socket, POLLIN, 0};
        if (::poll(&wait, 1, 0) != 1) return false;
        if (::recv(socket, buffer, sizeof buffer, 0) <= 0) return true;
    }
}

class ChannelListener : public ::testing::Test {
  protected:
    std::future<Channel> caller(const Listener& listener, const Secret& secret,
                                Duration patience = Duration::s(10)) const {
        return std::async(std::launch::async, [port = listener.port(), secret, patience] {
            return connect({"127.0.0.1:" + std::to_string(port)}, secret, Duration::s(5), patience);
        });
    }
    /// The next who comes in.
    Channel await() {
        const std::size_t before = guests_.size();
        turn_until([&] { return guests_.size() > before; });
        if (guests_.size() == before) throw Error("nobody came");
        return std::move(guests_.back());
    }
    /// Looks again and again, until it is so, or has taken too long.
    template <class Done>
    void turn_until(const Done& done) {
        bool is_late = false;
        const auto timer = reactor_.after(Duration::s(20), [&] { is_late = true; });
        for (Reactor::Timer look; !done() && !is_late; reactor_.turn())
            look = reactor_.after(Duration::ms(2), [] {});
        EXPECT_FALSE(is_late);
    }
    std::string received(Channel& channel) {
        std::string all;
        channel.attach(reactor_, [&] {
            channel.receive([&](std::uint32_t, const std::string& payload) { all += payload; });
        });
        turn_until([&] { return !all.empty(); });
        channel.detach();
        return all;
    }
    Listener::Take take() {
        return [this](Channel channel) { guests_.push_back(std::move(channel)); };
    }

    Reactor reactor_;
    std::vector<Channel> guests_;
    const Secret secret_ = Secret::make();
};

TEST_F(ChannelListener, TheTwoTalkBothWays) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, secret_);
    Channel inside = await();
    Channel outside = calling.get();
    inside.send(1, "from inside");
    outside.send(1, "from outside");
    EXPECT_EQ(received(outside), "from inside");
    EXPECT_EQ(received(inside), "from outside");
    EXPECT_EQ(listener.strangers(), 0u);
}

TEST_F(ChannelListener, WhoeverHangsUpIsMissed) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, secret_);
    Channel inside = await();
    {
        Channel outside = calling.get();
        outside.send(1, "last words");
    }
    std::string said;
    bool alive = true;
    while (alive)
        alive = inside.receive([&](std::uint32_t, const std::string& text) { said += text; });
    EXPECT_EQ(said, "last words");
    EXPECT_EQ(inside.why(), "the connection was closed");
    inside.send(1, "nobody hears this");
    EXPECT_EQ(inside.backlog(), 0u);
}

TEST_F(ChannelListener, WhoeverDoesNotKnowTheSecretStaysOutside) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, Secret::make(), Duration::ms(200));
    turn_until([&] {
        return calling.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready;
    });
    EXPECT_TRUE(guests_.empty());
    try {
        calling.get();
        ADD_FAILURE() << "somebody let it in";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("does not know the secret"));
    }
    EXPECT_GT(listener.strangers(), 0u);
}

TEST_F(ChannelListener, StrangersKeepNobodyOut) {
    Listener listener(reactor_, secret_, here(), take());
    std::vector<Descriptor> strangers;
    for (int i = 0; i < 100; ++i)
        strangers.push_back(stranger(listener.port()));
    auto calling = caller(listener, secret_);
    Channel inside = await();
    Channel outside = calling.get();
    outside.send(1, "in spite of them");
    EXPECT_EQ(received(inside), "in spite of them");
    EXPECT_GE(listener.strangers(), 80u);
}

TEST_F(ChannelListener, PatienceWithTheSilentEnds) {
    Listener::Options options = here();
    options.patience = Duration::ms(50);
    Listener listener(reactor_, secret_, options, take());
    const Descriptor silent = stranger(listener.port());
    turn_until([&] { return is_sent_away(silent.get()); });
    EXPECT_TRUE(guests_.empty());
    EXPECT_EQ(listener.strangers(), 1u);
}

TEST_F(ChannelListener, WhoeverTalksOfOtherThingsIsSentAwayAtOnce) {
    Listener::Options options = here();
    options.patience = Duration::s(100);
    Listener listener(reactor_, secret_, options, take());
    const Descriptor other = stranger(listener.port());
    ::send(other.get(), "GET / HTTP/1.1\r\n", 16, 0);
    turn_until([&] { return is_sent_away(other.get()); });
    EXPECT_TRUE(guests_.empty());
    EXPECT_EQ(listener.strangers(), 1u);
}

/// The reactor sleeps, though somebody waits for whom there is no descriptor; and lets it in when
/// there is one again.
TEST_F(ChannelListener, WithoutDescriptorsItRests) {
    Listener::Options options = here();
    options.patience = Duration::ms(50);
    Listener listener(reactor_, secret_, options, take());
    const Descriptor outside = stranger(listener.port());
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit none{3, before.rlim_max};  // those that every process has
    setrlimit(RLIMIT_NOFILE, &none);
    reactor_.turn();  // finds no room
    bool is_late = false;
    const auto timer = reactor_.after(Duration::ms(50), [&] { is_late = true; });
    int turns = 0;
    for (; !is_late; ++turns)
        reactor_.turn();
    EXPECT_EQ(turns, 1) << "it would be woken at once, and again";
    EXPECT_EQ(listener.strangers(), 0u);
    setrlimit(RLIMIT_NOFILE, &before);
    turn_until([&] { return is_sent_away(outside.get()); });
    EXPECT_EQ(listener.strangers(), 1u) << "it was let in, and said nothing";
}

TEST_F(ChannelListener, MuchIsKeptUntilTheOtherReads) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, secret_);
    Channel inside = await();
    Channel outside = calling.get();
    const std::string much(1 << 20, 'm');
    for (int i = 0; i < 16; ++i)
        inside.send(1, much);
    EXPECT_GT(inside.backlog(), 0u);
    std::size_t got = 0;
    while (got < 16 * much.size()) {
        outside.receive([&](std::uint32_t, const std::string& text) { got += text.size(); });
        inside.receive([](std::uint32_t, const std::string&) {});
    }
    EXPECT_EQ(inside.backlog(), 0u);
}

TEST(Connect, SaysWhyNobodyWasReached) {
    std::uint16_t port = 0;
    {
        const auto closed = listen_at({"127.0.0.1", 0});
        port = port_of(closed.front().get());
    }
    try {
        connect({"127.0.0.1:" + std::to_string(port)}, Secret::make(), Duration::s(5),
                Duration::ms(100));
        ADD_FAILURE() << "nobody is there";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("127.0.0.1:" + std::to_string(port)));
        EXPECT_THAT(error.what(), HasSubstr("refused"));
    }
}

}  // namespace
}  // namespace railyard::channel
