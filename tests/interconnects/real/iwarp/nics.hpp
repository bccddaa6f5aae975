#pragma once
/// Two Nics of one rank with real sockets between them, and a raw socket that plays a peer: for
/// tests of what a peer, or the network, can do to us.

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <memory>
#include <optional>
#include <vector>

#include "base/descriptor.hpp"
#include "hosts/real_host.hpp"
#include "interconnects/real/iwarp/connection.hpp"
#include "interconnects/real/iwarp/fabric.hpp"
#include "interconnects/real/iwarp/names.hpp"
#include "interconnects/real/iwarp/support.hpp"
#include "railyard/nic.hpp"

namespace railyard::iwarp::testing {

/// How long a test waits for something that must come.
inline constexpr Duration patience = Duration::s(20);

/// A Nic with a listener, and all that one queue pair needs.
class Station {
  public:
    Station(hosts::RealHost& host, const Settings& settings, std::size_t memory = 4096)
        : host_(host), fabric_(iwarp::open(settings)), nic_(fabric_->adapter(0).open(host)) {
        queue_ = nic_->create_completion_queue(64);
        region_ = nic_->allocate(Bytes(memory), fabric::Access::all);
        listener_ = nic_->listen(service);
    }
    static constexpr fabric::Service service = 1;

    struct End {
        End() = default;
        End(End&&) = default;
        End& operator=(End&& other) {
            queue_pair.reset();  // before the queues that it uses
            sent = std::move(other.sent);
            received = std::move(other.received);
            receives = std::move(other.receives);
            queue_pair = std::move(other.queue_pair);
            return *this;
        }

        std::unique_ptr<fabric::CompletionQueue> sent;
        std::unique_ptr<fabric::CompletionQueue> received;
        std::unique_ptr<fabric::ReceiveQueue> receives;
        std::unique_ptr<fabric::QueuePair> queue_pair;
    };
    End make_end(std::uint32_t depth = 64) {
        End end;
        end.sent = nic_->create_completion_queue(depth);
        end.received = nic_->create_completion_queue(depth);
        end.receives = nic_->create_receive_queue(depth);
        fabric::QueuePairOptions options;
        options.send_completions = end.sent.get();
        options.receive_completions = end.received.get();
        options.receives = end.receives.get();
        options.send_depth = depth;
        end.queue_pair = nic_->create_queue_pair(options);
        return end;
    }
    /// Accepts the next client.
    End accept() {
        std::unique_ptr<fabric::ConnectionRequest> request;
        EXPECT_TRUE(
            host_.wait_until([&] { return (request = listener_->poll()) != nullptr; }, until()));
        End end = make_end();
        EXPECT_TRUE(request && end.queue_pair->accept(*request, {}).ok());
        return end;
    }
    Time until() { return host_.now() + patience; }
    bool wait_for(End& end, fabric::ConnectionState state) {
        return host_.wait_until([&] { return end.queue_pair->state() == state; }, until());
    }

    fabric::Nic& nic() { return *nic_; }
    fabric::Listener& listener() { return *listener_; }
    const fabric::Region& region() const { return *region_; }
    NicName name() const { return *NicName::from_address(nic_->address()); }
    hosts::RealHost& host() { return host_; }

  private:
    hosts::RealHost& host_;
    std::unique_ptr<fabric::Fabric> fabric_;
    std::unique_ptr<fabric::Nic> nic_;
    std::unique_ptr<fabric::CompletionQueue> queue_;
    std::unique_ptr<fabric::Region> region_;
    std::unique_ptr<fabric::Listener> listener_;
};

/// Connects `from` to `to` and gives both ends; `via`: a port that leads there, 0 for its own.
inline std::pair<Station::End, Station::End> connect(Station& from, Station& to,
                                                     std::uint16_t via = 0) {
    NicName name = to.name();
    if (via != 0) name.at.port = via;
    Station::End client = from.make_end();
    EXPECT_TRUE(
        client.queue_pair->connect(name.address(), Station::service, {}, from.until()).ok());
    Station::End server = to.accept();
    EXPECT_TRUE(from.wait_for(client, fabric::ConnectionState::connected));
    EXPECT_TRUE(to.wait_for(server, fabric::ConnectionState::connected));
    return {std::move(client), std::move(server)};
}

/// One message each way arrives.
inline void expect_alive(Station& station, Station::End& a, Station::End& b) {
    for (auto [from, to] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
        ASSERT_TRUE(to->receives->post({7, {}}).ok());
        ASSERT_TRUE(from->queue_pair->post(fabric::WorkRequest{}).ok());
        fabric::Completion done;
        ASSERT_TRUE(
            station.host().wait_until([&] { return to->received->poll(done); }, station.until()));
        EXPECT_TRUE(done.status.ok()) << done.status.name();
        ASSERT_TRUE(
            station.host().wait_until([&] { return from->sent->poll(done); }, station.until()));
    }
}

/// A TCP socket that says what a test wants it to say to a Nic.
class Stranger {
  public:
    explicit Stranger(const NicName& to) : to_(to) {
        socket_ =
            Descriptor(::socket(to.at.v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const SocketAddress::Raw raw = to.at.raw();
        EXPECT_EQ(::connect(socket_.get(), raw.get(), raw.size), 0);
        const int one = 1;
        setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    }
    bool say(std::span<const std::byte> bytes) {
        return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(bytes.size());
    }
    /// What a well-meaning client says first.
    Buffer request(bool right_key = true) const {
        Hello hello;
        hello.target = Station::service;
        hello.key = right_key ? to_.key() : to_.key() + 1;
        mpa::Initiator initiator(mpa::Wishes{}, private_data(hello, {}));
        const auto bytes = initiator.output().unsent();
        return {bytes.begin(), bytes.end()};
    }
    /// All that comes until the other side ends, while the Nic works.
    Buffer hear(hosts::RealHost& host) {
        Buffer heard;
        bool ended = false;
        EXPECT_TRUE(host.wait_until(
            [&] {
                host.progress();
                std::byte bytes[4096];
                const ssize_t n = ::recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
                if (n > 0) heard.insert(heard.end(), bytes, bytes + n);
                return ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
            },
            host.now() + patience))
            << "the Nic did not close";
        return heard;
    }
    /// Exactly `n` bytes.
    Buffer hear_exactly(hosts::RealHost& host, std::size_t n) {
        Buffer heard;
        host.wait_until(
            [&] {
                host.progress();
                std::byte byte;
                while (heard.size() < n && ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) == 1)
                    heard.push_back(byte);
                return heard.size() == n;
            },
            host.now() + patience);
        EXPECT_EQ(heard.size(), n);
        return heard;
    }
    /// What is there now, at most `most` bytes.
    Buffer hear_now(std::size_t most) {
        Buffer heard(most);
        const ssize_t n =
            most > 0 ? ::recv(socket_.get(), heard.data(), most, MSG_DONTWAIT) : ssize_t{0};
        heard.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
        return heard;
    }
    void finish() { shutdown(socket_.get(), SHUT_WR); }
    /// Ends with a reset.
    void reset() {
        const linger hard{1, 0};
        setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        socket_.reset();
    }
    Descriptor take() { return std::move(socket_); }

  private:
    NicName to_;
    Descriptor socket_;
};

}  // namespace railyard::iwarp::testing
