#pragma once
/// What the kernel knows of peers, where a provider lives on TCP: whether it still hears of them,
/// and whether somebody listens where they are. libfabric does not tell, and a peer that computes
/// answers nothing, but its kernel does.

#include <sys/socket.h>

#include <cstddef>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "base/descriptor.hpp"
#include "interconnects/real/ofi/module/device.hpp"
#include "railyard/base/time.hpp"

namespace railyard::ofi {

/// An address of TCP, as providers write it.
class TcpAddress {
  public:
    /// Nothing if these bytes are none.
    static std::optional<TcpAddress> from_bytes(std::span<const std::byte> bytes);
    /// Of a socket: its own end, or the other.
    static std::optional<TcpAddress> of(int socket,
                                        int (*which)(int, sockaddr*, socklen_t*) noexcept);

    /// The same place. Without a host: on all of them.
    bool is_at(const TcpAddress& other) const;
    friend bool operator<(const TcpAddress& a, const TcpAddress& b) {
        return std::memcmp(&a.storage_, &b.storage_, sizeof a.storage_) < 0;
    }
    const sockaddr* raw() const { return reinterpret_cast<const sockaddr*>(&storage_); }
    socklen_t size() const { return size_; }

  private:
    /// Host and port, and nothing else. False if it is no such address.
    bool strip();

    sockaddr_storage storage_{};
    socklen_t size_ = 0;
};

/// The connections that a provider has made for one Nic. It owns them; who is dead is cut off, of
/// which the provider then tells as if the peer had gone.
class Sockets {
  public:
    Sockets(const Device& device, Duration patience);

    /// Whether the provider makes any.
    bool is_on_tcp() const { return own_.has_value(); }
    bool is_watching() const { return watching_; }
    /// A connection is to come: to there, or from somebody.
    void expect(std::span<const std::byte> where);
    void expect() { watching_ = is_on_tcp(); }
    void tick(Time now);
    Time next_timer() const { return is_watching() ? next_look_ : Time::never(); }

  private:
    void look(Time now);
    bool is_ours(int socket) const;
    void check(int socket, Time now);

    std::optional<TcpAddress> own_;  ///< none: the provider is not on TCP
    Duration patience_;
    std::set<TcpAddress> peers_;
    struct Watched {
        Time since;
        Time unacknowledged;  ///< seen to have sent what is not, since then
    };
    std::map<int, Watched> watched_;  ///< by descriptor
    Time next_look_{};
    bool watching_ = false;
};

/// Asks the kernel of a peer's host whether anybody listens where the peer was, again and again.
class ListenerTest {
  public:
    explicit ListenerTest(std::span<const std::byte> where)
        : where_(TcpAddress::from_bytes(where)) {}

    /// Whether nobody does. It takes several answers, or that none comes for so long.
    bool is_gone(Time now, Duration patience);

  private:
    void ask(Time now);

    std::optional<TcpAddress> where_;
    Descriptor socket_;
    Time asked_ = Time::never();  ///< what has not been answered yet
    Time next_ = Time{};
    unsigned refusals_ = 0;
};

}  // namespace railyard::ofi
