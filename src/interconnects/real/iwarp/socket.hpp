#pragma once
/// TCP sockets as iWARP uses them: addresses of both families, listening in a range of ports,
/// connecting without waiting, and the options that every connection gets; and which sockets of a
/// Nic have something: one epoll descriptor, which is also what a sleeping rank sleeps on.

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/descriptor.hpp"
#include "interconnects/real/iwarp/fabric.hpp"
#include "railyard/base/time.hpp"

namespace railyard::iwarp {

/// An address and port of either family.
struct SocketAddress {
    bool v6 = false;
    std::uint16_t port = 0;
    std::uint32_t scope = 0;              ///< v6, link-local: which interface
    std::array<std::byte, 16> address{};  ///< v4: the first four

    struct Raw {
        sockaddr_storage storage{};
        socklen_t size = 0;
        const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
    };
    Raw raw() const;
    static SocketAddress from_raw(const sockaddr_storage& storage);
    std::string text() const;  ///< "[::1]:4791"
    friend bool operator==(const SocketAddress&, const SocketAddress&) = default;
};

/// What Settings::address stands for on this host, without a port. Throws UsageError.
SocketAddress find_address(const std::string& wish);

/// Listens at `at`, whose port it sets. Throws Error.
Descriptor listen_at(SocketAddress& at, PortRange ports);

/// Begins to connect, from the address of `from`. Nothing if it failed on the spot.
Descriptor begin_connect(const SocketAddress& from, const SocketAddress& to);

/// The next connection of a listening socket; nothing if none waits. `failed` says that one does
/// but there are no descriptors left.
Descriptor accept_next(int listener, SocketAddress& from, bool& failed);

/// No delay, and the kernel looks whether the other host is alive.
void set_options(int socket, Duration patience);

/// Whether the other host has acknowledged everything, and how long ago it last did.
struct Acknowledged {
    bool all = true;
    Duration silence;
};
Acknowledged acknowledged(int socket);

/// The size of a TCP segment on this connection.
std::size_t segment_size(int socket);

/// Lets this process have as many descriptors as it may: a connection needs one.
void raise_descriptor_limit();

/// Somebody who has a socket.
class Watcher {
  public:
    virtual ~Watcher() = default;
    /// `events` as epoll has them. It may end itself, and others, meanwhile.
    virtual void ready(std::uint32_t events) = 0;
};

class Events {
  public:
    /// Throws Error.
    Events();

    int descriptor() const { return epoll_.get(); }
    /// Tells `watcher` once whenever something changes for the better: it then reads, or writes,
    /// until there is no more to be had. Closing the socket ends it. False if the kernel cannot.
    bool add_edge(int socket, Watcher& watcher) {
        return set(EPOLL_CTL_ADD, socket, watcher, edge);
    }
    /// The same for a socket that another had: what there is now is told anew.
    void hand_over(int socket, Watcher& watcher) { set(EPOLL_CTL_MOD, socket, watcher, edge); }
    /// Tells nobody of it any more.
    void remove(int socket) { epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, socket, nullptr); }
    /// Tells it as long as there is something to be read.
    bool add_level(int socket, Watcher& watcher) {
        return set(EPOLL_CTL_ADD, socket, watcher, EPOLLIN);
    }
    /// It is about to end: what this round still has for it is dropped.
    void forget(const Watcher& watcher);

    /// Tells all who have something; true if there were any.
    bool serve();

  private:
    static constexpr std::uint32_t edge = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
    bool set(int operation, int socket, Watcher& watcher, std::uint32_t events);

    Descriptor epoll_;
    std::array<epoll_event, 64> round_;
    std::size_t next_ = 0;
    std::size_t count_ = 0;
};

}  // namespace railyard::iwarp
