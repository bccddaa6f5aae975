#pragma once
/// A tagged port as contract tests use it: peers by rank, and completions looked for by what they
/// must be.

#include <deque>
#include <vector>

#include "fabric/buffer.hpp"
#include "fabric/team.hpp"

namespace railyard::contract {

inline constexpr fabric::MatchBits every_bit = ~fabric::MatchBits{0};
inline constexpr int anybody = -1;

/// Runs where there are tagged ports.
class TaggedContract : public Contract {
  protected:
    void SetUp() override {
        if (!traits().tagged) GTEST_SKIP() << traits().name << " has no tagged ports";
    }
};

/// Sizes on both sides of any switch between protocols.
inline constexpr std::size_t tagged_sizes[] = {0,    1,      8,      64,     287,     288,    1000,
                                               4096, 16'384, 16'385, 33'000, 100'000, 1 << 20};
/// Small enough to be sent at once, and large enough never to be.
inline constexpr std::size_t surely_eager = 64;
inline constexpr std::size_t surely_large = 300'000;

class Tagged {
  public:
    using Data = std::vector<std::byte>;

    /// On the rank's own Nic.
    explicit Tagged(Team& team);
    /// On another one; `addresses` are those of all ranks, in order.
    Tagged(Team& team, fabric::Nic& nic, const std::vector<fabric::Address>& addresses);

    fabric::TaggedPort& port() { return *port_; }
    fabric::TaggedPeer peer(int rank) const {
        return rank == anybody ? fabric::any_peer : peers_.at(static_cast<std::size_t>(rank));
    }

    void send(std::uint64_t id, int to, fabric::MatchBits bits, std::span<const std::byte> data,
              bool synchronous = false, Where where = Where::current());
    void receive(std::uint64_t id, int from, fabric::MatchBits bits, std::span<std::byte> buffer,
                 fabric::MatchBits mask = every_bit, Where where = Where::current());

    /// The next completion of a send, or of a receive.
    fabric::TaggedCompletion next_sent(Where where = Where::current()) {
        return next(sent_, "the completion of a tagged send", where);
    }
    fabric::TaggedCompletion next_received(Where where = Where::current()) {
        return next(received_, "the completion of a tagged receive", where);
    }
    /// The next one is that.
    void expect_sent(std::uint64_t id, Status status = {}, Where where = Where::current());
    void expect_received(std::uint64_t id, int from, fabric::MatchBits bits, std::size_t length,
                         Status status = {}, Where where = Where::current());
    /// Lets that time pass, in which nothing completes.
    void expect_nothing(Duration duration, Where where = Where::current());
    /// Waits until a message is there, and leaves it.
    fabric::TaggedCompletion await_probe(int from, fabric::MatchBits bits,
                                         fabric::MatchBits mask = every_bit,
                                         Where where = Where::current());

  private:
    bool gather();
    fabric::TaggedCompletion next(std::deque<fabric::TaggedCompletion>& queue,
                                  std::string_view what, Where where);

    Team& team_;
    fabric::TaggedPort* port_;
    std::vector<fabric::TaggedPeer> peers_;
    std::deque<fabric::TaggedCompletion> sent_;
    std::deque<fabric::TaggedCompletion> received_;
};

/// The bytes that `rank` sends in `round`.
Tagged::Data tagged_data(std::size_t size, int rank, std::uint64_t round);

}  // namespace railyard::contract
