#pragma once
/// A bad network: takes connections at a port of its own, passes them on to another, and does to
/// the bytes on their way what TCP and cables may do. A thread of its own.

#include <linux/filter.h>

#include <atomic>
#include <thread>

#include "interconnects/real/iwarp/nics.hpp"

namespace railyard::iwarp::testing {

class Relay {
  public:
    enum class Mood : std::uint8_t {
        plain,
        splits,     ///< into pieces of 1 to 7 bytes
        coalesces,  ///< waits until much has come
        delays,     ///< each piece by a moment
        stalls,     ///< now and then for longer
        silent,     ///< passes nothing on any more, and closes nothing
        dead,       ///< nor is anything acknowledged: as if the host, or the cable, were gone
        resets,     ///< ends all connections the hard way
    };

    explicit Relay(std::uint16_t to) : to_(to) {
        SocketAddress at;
        at.address = {std::byte{127}, std::byte{0}, std::byte{0}, std::byte{1}};
        listening_ = listen_at(at, {});
        port_ = at.port;
        thread_ = std::thread([this] { run(); });
    }
    ~Relay() {
        ending_.store(true);
        thread_.join();
    }
    std::uint16_t port() const { return port_; }
    void set(Mood mood) { mood_.store(mood); }
    bool is_deaf() const { return deaf_.load(); }

  private:
    struct Way {
        int from, to;
        Buffer waiting;
        unsigned rounds = 0;
    };

    void run() {
        while (!ending_.load()) {
            SocketAddress from;
            bool failed = false;
            if (Descriptor one = accept_next(listening_.get(), from, failed)) add(std::move(one));
            bool moved = false;
            const Mood mood = mood_.load();
            if (mood == Mood::resets) reset_all();
            if (deaf_ != (mood == Mood::dead)) set_deaf(mood == Mood::dead);
            for (Way& way : ways_)
                if (mood != Mood::silent && mood != Mood::dead) moved |= move(way, mood);
            if (!moved) std::this_thread::sleep_for(std::chrono::microseconds(50));
        }
    }
    void add(Descriptor one) {
        SocketAddress there;
        there.address = {std::byte{127}, std::byte{0}, std::byte{0}, std::byte{1}};
        there.port = to_;
        Descriptor two = begin_connect(there, there);
        for (const auto* end : {&one, &two}) {
            const int yes = 1;
            setsockopt(end->get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
        }
        ways_.push_back({one.get(), two.get(), {}});
        ways_.push_back({two.get(), one.get(), {}});
        sockets_.push_back(std::move(one));
        sockets_.push_back(std::move(two));
    }
    bool move(Way& way, Mood mood) {
        constexpr std::size_t most_waiting = 1 << 20;
        std::byte bytes[16384];
        ssize_t n = 0;
        if (way.waiting.size() < most_waiting)
            n = ::recv(way.from, bytes, sizeof bytes, MSG_DONTWAIT);
        if (n > 0) way.waiting.insert(way.waiting.end(), bytes, bytes + n);
        ++way.rounds;
        if (mood == Mood::coalesces && way.waiting.size() < 30'000 && way.rounds % 8 != 0)
            return n > 0;
        if (mood == Mood::delays) std::this_thread::sleep_for(std::chrono::microseconds(200));
        if (mood == Mood::stalls && way.rounds % 64 == 0)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::size_t piece = way.waiting.size();
        if (mood == Mood::splits) piece = std::min<std::size_t>(piece, 1 + way.rounds % 7);
        const ssize_t sent =
            piece == 0 ? 0 : ::send(way.to, way.waiting.data(), piece, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0) way.waiting.erase(way.waiting.begin(), way.waiting.begin() + sent);
        if (n == 0 && way.waiting.empty()) shutdown(way.to, SHUT_WR);
        return n > 0 || sent > 0;
    }
    /// The kernel drops what comes for these sockets before TCP sees it.
    void set_deaf(bool deaf) {
        sock_filter nothing{BPF_RET | BPF_K, 0, 0, 0};
        const sock_fprog filter{1, &nothing};
        for (const Descriptor& socket : sockets_)
            EXPECT_EQ(
                setsockopt(socket.get(), SOL_SOCKET, deaf ? SO_ATTACH_FILTER : SO_DETACH_FILTER,
                           &filter, sizeof filter),
                0);
        deaf_ = deaf;
    }
    void reset_all() {
        const linger hard{1, 0};
        for (Descriptor& socket : sockets_)
            setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        ways_.clear();
        sockets_.clear();
    }

    std::uint16_t to_;
    std::uint16_t port_ = 0;
    Descriptor listening_;
    std::atomic<Mood> mood_{Mood::plain};
    std::atomic<bool> ending_{false};
    std::atomic<bool> deaf_{false};
    std::vector<Descriptor> sockets_;
    std::vector<Way> ways_;
    std::thread thread_;
};

}  // namespace railyard::iwarp::testing
