#pragma once
/// Peer-to-peer connecting over TCP, which knows only client and server: both sides may ask, in any
/// order or at once, and one of the two TCP connections becomes theirs. A machine without sockets,
/// one for each discriminator and peer.
///
/// Where both asks are under way, the lesser one (Ask's order) wins: its sender refuses the other,
/// as a collision, and the other's sender accepts it, and gives its own up. Both decide alone and
/// come to the same, whatever arrives first.

#include <cstdint>

#include "interconnects/real/iwarp/hello.hpp"

namespace railyard::iwarp {

class Meeting {
  public:
    enum class State : std::uint8_t {
        idle,
        held,       ///< the peer has asked, this side has not
        asking,     ///< this side has asked
        yielding,   ///< its ask was refused because the peer's own goes first: that is on its way
        connected,  ///< see by_own_ask()
        failed,
    };
    /// What the owner of the sockets is to do.
    enum class Step : std::uint8_t {
        nothing,
        connect,        ///< open a TCP connection and ask
        hold_theirs,    ///< keep the peer's request unanswered
        accept_theirs,  ///< answer it with yes; an own ask is given up: close its connection
        refuse_theirs,  ///< answer it with no, Hello::Refusal::collision
    };

    explicit Meeting(const Ask& ours) : ours_(ours) {}

    State state() const { return state_; }
    /// Once connected: whose request it was that was accepted.
    bool by_own_ask() const { return by_own_ask_; }
    const Ask& ours() const { return ours_; }

    /// The user wants the connection.
    Step want();
    /// The peer's request has come in.
    Step asked(const Ask& theirs);
    /// The peer has closed a request that is held: it gave up.
    void withdrawn();
    /// The answer to the own ask.
    void accepted();
    void refused(Hello::Refusal why);

  private:
    Step connect_by(bool own);

    Ask ours_;
    State state_ = State::idle;
    bool by_own_ask_ = false;
};

}  // namespace railyard::iwarp
