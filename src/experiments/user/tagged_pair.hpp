#pragma once
/// Two ranks and what they do through their tagged ports, where the adapter matches: ranks 0 and 1,
/// one buffer each way, and the procedures of ping-pong, crossing and windows.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "experiments/core/sampling.hpp"
#include "experiments/user/peer.hpp"
#include "experiments/user/procedures.hpp"
#include "launch/job/rank.hpp"
#include "railyard/tagged_port.hpp"

namespace railyard::experiments {

class TaggedPair {
  public:
    /// `buffer`: the largest message. `tag` is unique in the job. Throws Error where the Nic has no
    /// such port.
    TaggedPair(job::Rank& rank, std::string_view tag, Bytes buffer);

    bool first() const { return first_; }
    fabric::Host& host() { return host_; }

    // Each returns samples of interest on rank 0; both ranks call them alike.

    /// Half of each round trip, in us.
    std::vector<double> ping_pong(Bytes size, const Sampling& sampling);
    /// Both send at once, then wait for the peer's message: each iteration, in us.
    std::vector<double> cross(Bytes size, const Sampling& sampling);
    /// So many messages to a small reply: MB/s, of both directions together if both sides send.
    std::vector<double> windows(Bytes size, unsigned window, Ways ways, const Sampling& sampling);

  private:
    enum Kind : std::uint8_t { message, reply };

    /// Posts receives, but no more than the measurement has still to come: none may be left behind.
    void expect(Bytes size, unsigned n);
    void expect_one(Kind kind, Bytes size);
    void send(Kind kind, Bytes size);
    void wait_received(Kind kind, unsigned n = 1);
    /// Until none of these is under way.
    void wait_sent(Kind kind);
    void poll();
    template <class Call>
    void insist(Call call);

    fabric::Host& host_;
    fabric::TaggedPort& port_;
    bool first_;
    Patience patience_;
    Pages out_;
    Pages in_;
    fabric::MatchBits bits_;
    fabric::TaggedPeer peer_;
    std::array<fabric::TaggedCompletion, 16> completions_;
    std::array<std::uint64_t, 2> received_{};  ///< by Kind; not yet waited for
    std::array<std::uint64_t, 2> sending_{};   ///< by Kind
    std::uint64_t to_come_ = 0;                ///< messages that no receive has been posted for
};

}  // namespace railyard::experiments
