#pragma once
/// Connections between two ranks: a Bundle has any number of them, each on a port of its own, over
/// one memory and one pair of completion queues on either side; a Pair is a bundle of one.
///
/// Everything that can be prepared is prepared here, so that a measured loop neither allocates nor
/// decides.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "experiments/user/peer.hpp"
#include "launch/job/rank.hpp"
#include "railyard/nic.hpp"

namespace railyard::experiments {

class Bundle {
  public:
    struct Options {
        Bytes buffer{};  ///< of what is sent from, and of what the peer may reach
        Memory memory = Memory::nic;
        unsigned sends = 128;  ///< requests outstanding, of each connection
        /// Kept posted, for all connections together; for each, where they cannot share them.
        unsigned receives = 4;
        int peer = -1;                   ///< the other rank; unset: the other of 0 and 1
        std::vector<unsigned> ports{0};  ///< the port of each connection
        fabric::Home local_home = fabric::Home::host;  ///< of what the Nic allocates
        fabric::Home target_home = fabric::Home::host;
        const Buffer* target = nullptr;  ///< what the peer may reach, if it is shared with others
    };
    /// Opens and connects; the peer does the same, with as many ports. `tag` is unique in the job.
    /// Throws Error.
    Bundle(job::Rank& rank, std::string_view tag, const Options& options)
        : Bundle(rank, tag, options,
                 rank.nic().traits().shared_receives ? fabric::ReceiveQueue::Sharing::shared
                                                     : fabric::ReceiveQueue::Sharing::own) {}

    std::size_t connections() const { return queue_pairs_.size(); }
    fabric::Host& host() { return host_; }
    const fabric::Traits& traits() const { return nic_.traits(); }
    /// Of the two, the one with the lower number.
    bool first() const { return first_; }

    /// What this side sends from and reads into.
    const fabric::Region& local() const { return local_.region(); }
    /// What the peer writes into and reads from, and where all receives lie.
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

    /// Posts receives of the whole target anew, for messages that have come.
    void post_again(std::span<const fabric::Completion> received);
    /// Takes messages that have come, and says which in `out`: all but meet()'s, and those are the
    /// ones without an immediate value. Their receives are not posted again.
    std::size_t poll_received(std::span<fabric::Completion> out);
    /// The connection on which it came.
    static std::size_t connection_of(const fabric::Completion& completion);

    /// Waits, spinning, for `ready()`.
    template <class Ready>
    void wait(Ready&& ready) {
        patience_.wait(ready);
    }

    /// An empty message each way on the first connection, with a posted receive on either side. The
    /// peer's may come while this side still waits for something else.
    void meet();

  protected:
    Bundle(job::Rank& rank, std::string_view tag, const Options& options,
           fabric::ReceiveQueue::Sharing sharing);

    /// Posts `n` receives of the whole target for one connection, or for all that share them.
    void post_receives(std::size_t connection, unsigned n);
    /// Posts all, waiting for room if there is none.
    void submit(fabric::QueuePair& queue_pair, std::span<const fabric::WorkRequest> requests) {
        const auto posted = queue_pair.post(requests);
        if (posted.count != requests.size()) [[unlikely]]
            submit_rest(queue_pair, requests.subspan(posted.count));
    }
    static void check(std::span<const fabric::Completion> completions) {
        for (const fabric::Completion& completion : completions)
            if (!completion.status.ok()) [[unlikely]]
                fail(completion);
    }

    job::Rank& rank_;
    fabric::Nic& nic_;
    fabric::Host& host_;
    int peer_;
    bool first_;
    Patience patience_;

    // In the order in which they depend on each other: queue pairs go first.
    Buffer local_;
    std::unique_ptr<Buffer> own_target_;
    const Buffer* target_;
    std::unique_ptr<fabric::RemoteRegion> peer_target_;
    std::unique_ptr<fabric::CompletionQueue> sends_;
    std::unique_ptr<fabric::CompletionQueue> receives_;
    std::vector<std::unique_ptr<fabric::ReceiveQueue>> receive_queues_;  ///< one, or one each
    std::vector<std::unique_ptr<fabric::QueuePair>> queue_pairs_;

    std::array<fabric::Completion, 16> completions_;
    unsigned quiet_interval_ = 1;  ///< of so many quiet requests on a connection one is signalled

  private:
    void connect(std::string_view tag);
    void submit_rest(fabric::QueuePair& queue_pair, std::span<const fabric::WorkRequest> rest);
    [[noreturn]] static void fail(const fabric::Completion& completion);
    std::size_t poll_fresh(std::span<fabric::Completion> out);

    std::array<fabric::Slice, 1> receive_slices_;
    fabric::ReceiveRequest receive_request_;
    std::uint64_t greetings_ = 0;            ///< of the peer's meet(), not answered yet
    std::vector<fabric::Completion> early_;  ///< messages that came before it
    std::uint64_t tally_ = 0;
    std::uint64_t outstanding_ = 0;  ///< completions asked for and not taken
    std::vector<unsigned> quiet_;    ///< of each connection, posted since the last signalled one
};

/// A bundle of one connection. Everything on it comes in order, so messages and completions need
/// not be told apart: they are counted.
class Pair : Bundle {
  public:
    using Bundle::Options;
    Pair(job::Rank& rank, std::string_view tag, const Options& options)
        : Bundle(rank, tag, options, fabric::ReceiveQueue::Sharing::own) {}

    using Bundle::first;
    using Bundle::host;
    using Bundle::local;
    using Bundle::peer_target;
    using Bundle::target;
    using Bundle::traits;
    using Bundle::wait;

    /// Posts all, waiting for room if there is none.
    void post(std::span<const fabric::WorkRequest> requests) {
        submit(*queue_pairs_.front(), requests);
    }
    void post(const fabric::WorkRequest& request) { post(std::span(&request, 1)); }
    /// Posts one request unsignalled, but for one in a while, so that the send queue drains.
    void post_quietly(fabric::WorkRequest& request);
    /// Waits for the completions that post_quietly() still has coming.
    void settle();

    /// Posts `n` receives of the whole target.
    void post_receives(unsigned n = 1) { Bundle::post_receives(0, n); }

    void wait_sent(unsigned n = 1) { wait_completions(*sends_, n); }
    void wait_received(unsigned n = 1) { wait_completions(*receives_, n); }
    /// The same, asleep until something arrives.
    void sleep_until_received();
    /// Waits until the peer has written `value` into the byte at `last`.
    void wait_arrived(const std::byte* last, std::byte value) {
        wait([=] { return fabric::arrived(last, value); });
    }
    /// Takes what has completed, up to `most`, without waiting. The number taken.
    unsigned poll_sent(std::uint64_t most) { return poll(*sends_, most); }
    unsigned poll_received(std::uint64_t most) { return poll(*receives_, most); }

    /// An empty message each way, with one of the posted receives on either side: the fabric's own
    /// barrier, which leaves both sides awake.
    void meet();
    /// An empty message to the peer, for a receive that it has posted.
    void notify();
    /// Call it last: neither side takes its queue pair away while the other still uses it.
    void part() { rank_.bootstrap().fence(); }

  private:
    unsigned poll(fabric::CompletionQueue& queue, std::uint64_t most);
    void wait_completions(fabric::CompletionQueue& queue, unsigned n);

    unsigned quiet_posted_ = 0;  ///< since the last that was signalled
    bool signalled_pending_ = false;
};

inline unsigned Pair::poll(fabric::CompletionQueue& queue, std::uint64_t most) {
    unsigned total = 0;
    while (total < most) {
        // No more than are wanted: the rest belong to the next step.
        const auto room = std::span(completions_)
                              .first(std::min<std::uint64_t>(most - total, completions_.size()));
        const std::size_t n = queue.poll(room);
        check(room.first(n));
        total += static_cast<unsigned>(n);
        // To the last: nothing would call again for what is left behind.
        if (n < room.size()) break;
    }
    return total;
}

inline void Pair::wait_completions(fabric::CompletionQueue& queue, unsigned n) {
    while (n > 0) {
        unsigned taken = 0;
        wait([&] { return (taken = poll(queue, n)) > 0; });
        n -= taken;
    }
}

inline void Pair::post_quietly(fabric::WorkRequest& request) {
    if (++quiet_posted_ < quiet_interval_) [[likely]] {
        request.flags = fabric::Flags::unsignalled;
        post(request);
        return;
    }
    // The completion asked for last time is long there; looking for the new one can wait as well.
    if (signalled_pending_) wait_sent();
    quiet_posted_ = 0;
    signalled_pending_ = true;
    request.flags = fabric::Flags::none;
    post(request);
}

}  // namespace railyard::experiments
