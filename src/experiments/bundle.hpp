#pragma once
/// Any number of connections between two ranks, each on a port of its own, over one memory and one
/// pair of completion queues on either side: what striping and many connections are measured on.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/buffer.hpp"
#include "experiments/experiment.hpp"
#include "experiments/patience.hpp"
#include "launch/job/rank.hpp"
#include "railyard/nic.hpp"

namespace railyard::experiments {

class Bundle {
  public:
    struct Options {
        int peer = 1;
        std::vector<unsigned> ports{0};  ///< the port of each connection
        Bytes buffer;                    ///< of what is sent from, and of what the peer may reach
        Memory memory = Memory::nic;
        unsigned sends = 64;             ///< requests outstanding, of each connection
        unsigned receives = 4;           ///< kept posted, for all connections together
        const Buffer* target = nullptr;  ///< what the peer may reach, if it is shared with others
    };
    /// Opens and connects; the peer does the same, with as many ports. `tag` is unique in the job.
    /// Throws Error.
    Bundle(job::Rank& rank, std::string_view tag, const Options& options);

    std::size_t connections() const { return queue_pairs_.size(); }
    fabric::Host& host() { return host_; }
    const fabric::Traits& traits() const { return nic_.traits(); }
    /// Of the two, the one with the lower number.
    bool first() const { return first_; }

    const fabric::Region& local() const { return local_.region(); }
    const fabric::Region& target() const { return target_->region(); }
    const fabric::RemoteRegion& peer_target() const { return *peer_target_; }

    // The steps. Each throws Error when the fabric reports a failure or the peer falls silent.

    /// Posts all on one connection, waiting for room if there is none.
    void post(std::size_t connection, std::span<const fabric::WorkRequest> requests);
    void post(std::size_t connection, const fabric::WorkRequest& request) {
        post(connection, std::span(&request, 1));
    }
    /// Posts unsignalled, but for one in a while, so that the send queue drains.
    void post_quietly(std::size_t connection, fabric::WorkRequest& request);
    /// Takes the completions that are there, of all connections, and says how many.
    unsigned poll_sent();
    /// The sum of the ids of all requests whose completions were taken: ids may be bytes.
    std::uint64_t tally() const { return tally_; }
    /// Waits for all that were asked for.
    void settle();

    void post_receives(unsigned n = 1);
    /// Takes messages that have come, and says which in `out`: all but meet()'s, and those are the
    /// ones without an immediate value. Their receives are not posted again.
    std::size_t poll_received(std::span<fabric::Completion> out);
    /// The connection on which it came.
    static std::size_t connection_of(const fabric::Completion& completion);

    template <class Ready>
    void wait(Ready&& ready) {
        patience_.wait(ready);
    }

    /// An empty message each way on the first connection, with a posted receive on either side. The
    /// peer's may come while this side still waits for something else.
    void meet();

  private:
    void connect(job::Rank& rank, std::string_view tag, int peer);
    void check(std::span<const fabric::Completion> completions) const;
    std::size_t poll_fresh(std::span<fabric::Completion> out);

    fabric::Nic& nic_;
    fabric::Host& host_;
    bool first_;
    Patience patience_;

    // In the order in which they depend on each other: queue pairs go first.
    Buffer local_;
    std::unique_ptr<Buffer> own_target_;
    const Buffer* target_;
    std::unique_ptr<fabric::RemoteRegion> peer_target_;
    std::unique_ptr<fabric::CompletionQueue> sends_;
    std::unique_ptr<fabric::CompletionQueue> receives_;
    std::unique_ptr<fabric::ReceiveQueue> receive_queue_;
    std::vector<std::unique_ptr<fabric::QueuePair>> queue_pairs_;

    std::array<fabric::Slice, 1> receive_slices_;
    std::array<fabric::Completion, 16> completions_;
    unsigned depth_;
    std::uint64_t greetings_ = 0;            ///< of the peer's meet(), not answered yet
    std::vector<fabric::Completion> early_;  ///< messages that came before it
    std::uint64_t tally_ = 0;
    std::uint64_t outstanding_ = 0;  ///< completions asked for and not taken
    std::vector<unsigned> quiet_;    ///< of each connection, posted since the last signalled one
};

}  // namespace railyard::experiments
