#pragma once
/// Which sockets of a Nic have something: one epoll descriptor, which is also what a sleeping rank
/// sleeps on.

#include <sys/epoll.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/descriptor.hpp"

namespace railyard::iwarp {

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
