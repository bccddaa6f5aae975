#pragma once
/// A connection between two processes that have recognised each other: messages both ways, over
/// TLS. Nothing here blocks; what cannot be sent yet is kept.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "base/frames.hpp"
#include "base/reactor.hpp"
#include "launch/tls/session.hpp"
#include "railyard/base/time.hpp"

namespace railyard::tls {

/// The longest payload of a message. Whoever announces more is cut off before it is waited for.
inline constexpr std::size_t longest_message = 4 << 20;

class Link {
  public:
    using Reader = BasicFrameReader<std::uint32_t>;

    /// The session is open; `early` is what the other has said in it by now. Throws Error.
    Link(Descriptor socket, Session session, std::string early = {});

    /// Calls `ready` when there is something to do here, until the link is lost: call receive()
    /// then. In place of whoever was called before. The reactor outlives the link.
    void attach(Reactor& reactor, const Reactor::Call& ready);
    void detach();

    /// Never waits. Once the link is lost it does nothing. Throws UsageError if it is too long.
    void send(std::uint32_t kind, std::string_view payload);
    /// Hands over what has come, and sends on what had to wait. False: the other is gone, and why()
    /// says how; messages that came before were handed over.
    bool receive(const Reader::Take& take);
    const std::string& why() const { return why_; }

    /// The address of this host on the way to the other, as a number.
    std::string own_address() const;

    /// How much has not been handed to the system yet.
    std::size_t backlog() const { return output_.size(); }
    /// Waits until there is none, or until that time has passed.
    void drain(Duration patience);

  private:
    void push();
    bool lose(std::string why);

    Descriptor socket_;
    Reactor::Watch watch_;
    Reactor::Timer soon_;  ///< for what has come before anybody watched
    Session session_;
    Reader reader_{longest_message};
    std::string early_;
    std::string output_;
    std::string why_;  ///< empty: all is well
};

/// Calls whoever listens at one of the addresses ("host:port"): tries all, in order and again,
/// until one of them belongs to somebody who knows the secret. Throws Error, which says what came
/// of the last try at each; at once if all are there and none knows it.
Link connect(const std::vector<std::string>& addresses, const Secret& secret, Duration heartbeat,
             Duration patience);

/// A connection whose other end is silent, or takes nothing that was sent, for so long is lost.
/// What is sent goes at once.
void watch_over(int socket, Duration heartbeat);

}  // namespace railyard::tls
