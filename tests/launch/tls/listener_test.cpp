// Two who know the secret, and others who do not, over the loopback.

#include "launch/tls/listener.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <future>

#include "launch/tls/link.hpp"
#include "railyard/base/error.hpp"

namespace railyard::tls {
namespace {

using ::testing::HasSubstr;

Listener::Options here() {
    Listener::Options options;
    options.where = {"127.0.0.1", 0};
    return options;
}

/// A connection of somebody who says nothing by himself.
Descriptor connection(std::uint16_t port) {
    const SocketAddress where = resolve({"127.0.0.1", port}).front();
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

class TlsListener : public ::testing::Test {
  protected:
    std::future<Link> caller(const Listener& listener, const Secret& secret,
                             Duration patience = Duration::s(10)) const {
        return std::async(std::launch::async, [port = listener.port(), secret, patience] {
            return connect({"127.0.0.1:" + std::to_string(port)}, secret, Duration::s(5), patience);
        });
    }
    /// The next who comes in.
    Link await() {
        const std::size_t before = accepted_.size();
        turn_until([&] { return accepted_.size() > before; });
        if (accepted_.size() == before) throw Error("nobody came");
        return std::move(accepted_.back());
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
    std::string received(Link& link) {
        std::string all;
        link.attach(reactor_, [&] {
            link.receive([&](std::uint32_t, const std::string& payload) { all += payload; });
        });
        turn_until([&] { return !all.empty(); });
        link.detach();
        return all;
    }
    Listener::Take take() {
        return [this](Link link) { accepted_.push_back(std::move(link)); };
    }

    Reactor reactor_;
    std::vector<Link> accepted_;
    const Secret secret_ = Secret::make();
};

TEST_F(TlsListener, TheTwoTalkBothWays) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, secret_);
    Link accepted = await();
    Link calling_end = calling.get();
    accepted.send(1, "from accepted");
    calling_end.send(1, "from calling_end");
    EXPECT_EQ(received(calling_end), "from accepted");
    EXPECT_EQ(received(accepted), "from calling_end");
    EXPECT_EQ(listener.refused(), 0u);
}

TEST_F(TlsListener, WhoeverHangsUpIsMissed) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, secret_);
    Link accepted = await();
    {
        Link calling_end = calling.get();
        calling_end.send(1, "last words");
    }
    std::string said;
    bool alive = true;
    while (alive)
        alive = accepted.receive([&](std::uint32_t, const std::string& text) { said += text; });
    EXPECT_EQ(said, "last words");
    EXPECT_EQ(accepted.why(), "the connection was closed");
    accepted.send(1, "nobody hears this");
    EXPECT_EQ(accepted.backlog(), 0u);
}

TEST_F(TlsListener, WhoeverDoesNotKnowTheSecretIsRefused) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, Secret::make(), Duration::ms(200));
    turn_until([&] {
        return calling.wait_for(std::chrono::milliseconds(0)) == std::future_status::ready;
    });
    EXPECT_TRUE(accepted_.empty());
    try {
        calling.get();
        ADD_FAILURE() << "somebody let it in";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("does not know the secret"));
    }
    EXPECT_GT(listener.refused(), 0u);
}

TEST_F(TlsListener, ThoseWithoutTheSecretKeepNobodyOut) {
    Listener listener(reactor_, secret_, here(), take());
    std::vector<Descriptor> others;
    for (int i = 0; i < 100; ++i)
        others.push_back(connection(listener.port()));
    auto calling = caller(listener, secret_);
    Link accepted = await();
    Link calling_end = calling.get();
    calling_end.send(1, "in spite of them");
    EXPECT_EQ(received(accepted), "in spite of them");
    EXPECT_GE(listener.refused(), 80u);
}

TEST_F(TlsListener, PatienceWithTheSilentEnds) {
    Listener::Options options = here();
    options.patience = Duration::ms(50);
    Listener listener(reactor_, secret_, options, take());
    const Descriptor silent = connection(listener.port());
    turn_until([&] { return is_sent_away(silent.get()); });
    EXPECT_TRUE(accepted_.empty());
    EXPECT_EQ(listener.refused(), 1u);
}

TEST_F(TlsListener, WhoeverTalksOfOtherThingsIsRefusedAtOnce) {
    Listener::Options options = here();
    options.patience = Duration::s(100);
    Listener listener(reactor_, secret_, options, take());
    const Descriptor other = connection(listener.port());
    ::send(other.get(), "GET / HTTP/1.1\r\n", 16, 0);
    turn_until([&] { return is_sent_away(other.get()); });
    EXPECT_TRUE(accepted_.empty());
    EXPECT_EQ(listener.refused(), 1u);
}

/// The reactor sleeps, though somebody waits for whom there is no descriptor; and lets it in when
/// there is one again.
TEST_F(TlsListener, WithoutDescriptorsItPauses) {
    Listener::Options options = here();
    options.patience = Duration::ms(50);
    Listener listener(reactor_, secret_, options, take());
    const Descriptor calling_end = connection(listener.port());
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
    EXPECT_EQ(listener.refused(), 0u);
    setrlimit(RLIMIT_NOFILE, &before);
    turn_until([&] { return is_sent_away(calling_end.get()); });
    EXPECT_EQ(listener.refused(), 1u) << "it was let in, and said nothing";
}

TEST_F(TlsListener, MuchIsKeptUntilTheOtherReads) {
    Listener listener(reactor_, secret_, here(), take());
    auto calling = caller(listener, secret_);
    Link accepted = await();
    Link calling_end = calling.get();
    const std::string much(1 << 20, 'm');
    for (int i = 0; i < 16; ++i)
        accepted.send(1, much);
    EXPECT_GT(accepted.backlog(), 0u);
    std::size_t got = 0;
    while (got < 16 * much.size()) {
        calling_end.receive([&](std::uint32_t, const std::string& text) { got += text.size(); });
        accepted.receive([](std::uint32_t, const std::string&) {});
    }
    EXPECT_EQ(accepted.backlog(), 0u);
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
}  // namespace railyard::tls
