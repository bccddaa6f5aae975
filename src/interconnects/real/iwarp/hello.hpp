#pragma once
/// Our own part of MPA's private data, by which Nics of ours know each other, and what two of them
/// do that connect to each other at the same time.

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace railyard::iwarp {

/// One attempt to connect: the Nic that makes it, and a random number, so that a Nic that connects
/// to itself tells its two ends apart. Ordered, so that of two attempts one goes first.
struct Ask {
    std::array<std::byte, 16> nic{};
    std::uint64_t nonce = 0;
    friend auto operator<=>(const Ask&, const Ask&) = default;
};

/// What our Nics put in front of the user's private data: what the request is for, and who asks.
/// Private data that do not begin so come from somebody else's implementation.
struct Hello {
    enum class Kind : std::uint8_t { client = 1, peer = 2 };
    /// In a rejection: why.
    enum class Refusal : std::uint8_t { none = 0, by_user = 1, nobody_listens = 2, collision = 3 };

    Kind kind = Kind::client;
    Refusal refusal = Refusal::none;
    std::uint16_t port = 0;    ///< where the asker itself listens
    std::uint64_t target = 0;  ///< the service, or the discriminator
    Ask ask{};
    /// Who knows this number was told by the Nic, or by somebody it trusts: others are refused
    /// without an answer. Part of the Nic's address.
    std::uint64_t key = 0;
    /// How long the other side is to let a message of ours wait for a receive; 0: for ever.
    std::uint32_t patience_ms = 0;

    /// With the user's 196 bytes and the enhanced data it stays below 256, which others want.
    static constexpr std::size_t size = 52;
    void write(std::byte* to) const;
    /// Nothing if `data` do not begin with one.
    static std::optional<Hello> read_from(std::span<const std::byte> data);

    friend bool operator==(const Hello&, const Hello&) = default;
};

/// Peer-to-peer connecting over TCP, which knows only client and server: both sides may ask, in any
/// order or at once, and one of the two TCP connections becomes theirs. A machine without sockets,
/// one for each discriminator and peer.
///
/// Where both asks are under way, the lesser one (Ask's order) wins: its sender refuses the other,
/// as a collision, and the other's sender accepts it, and gives its own up. Both decide alone and
/// come to the same, whatever arrives first.
class SimultaneousOpen {
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

    explicit SimultaneousOpen(const Ask& ours) : ours_(ours) {}

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
