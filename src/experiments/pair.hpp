#pragma once
/// Two ranks that measure what is between them: a connected queue pair, memory on either side that
/// the other may reach, and the few steps of which every procedure is made.
///
/// Ranks 0 and 1 take part, unless a peer is named. Everything that can be prepared is prepared
/// here, so that a measured loop neither allocates nor decides.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"
#include "launch/job/rank.hpp"
#include "railyard/nic.hpp"

namespace railyard::experiments {

class Pair {
  public:
    struct Options {
        Bytes buffer;  ///< of `local` and of `target`, each
        Memory memory = Memory::nic;
        unsigned sends = 128;   ///< requests outstanding
        unsigned receives = 4;  ///< receives kept posted
        int peer = -1;          ///< the other rank; unset: the other of 0 and 1
        fabric::Home local_home = fabric::Home::host;  ///< of what the Nic allocates
        fabric::Home target_home = fabric::Home::host;
    };
    /// Opens, exchanges names and connects. `tag` is unique in the job. Throws Error.
    Pair(job::Rank& rank, std::string_view tag, const Options& options);

    /// Of the two, the one with the lower number.
    bool first() const { return first_; }
    fabric::Host& host() { return host_; }
    const fabric::Traits& traits() const { return nic_.traits(); }

    /// What this side sends from and reads into.
    const fabric::Region& local() const { return *local_; }
    /// What the peer writes into and reads from, and where all receives lie.
    const fabric::Region& target() const { return *target_; }
    const fabric::RemoteRegion& peer_target() const { return *peer_target_; }

    // The steps. Each throws Error when the fabric reports a failure or the peer falls silent.

    /// Posts all, waiting for room if there is none.
    void post(std::span<const fabric::WorkRequest> requests) {
        const auto posted = queue_pair_->post(requests);
        if (posted.count != requests.size()) [[unlikely]]
            post_rest(requests.subspan(posted.count));
    }
    void post(const fabric::WorkRequest& request) { post(std::span(&request, 1)); }
    /// Posts one request unsignalled, but for one in a while, so that the send queue drains.
    void post_quietly(fabric::WorkRequest& request);
    /// Waits for the completions that post_quietly() still has coming.
    void settle();

    /// Posts `n` receives of the whole target.
    void post_receives(unsigned n = 1);
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

    /// Waits, spinning, for `ready()`.
    template <class Ready>
    void wait(Ready&& ready) {
        if (!host_.wait_until(ready, deadline_, fabric::Wait::spin)) [[unlikely]]
            wait_longer([&] { return ready(); });
    }

    /// An empty message each way, with one of the posted receives on either side: the fabric's own
    /// barrier, which leaves both sides awake.
    void meet();
    /// An empty message to the peer, for a receive that it has posted.
    void notify();
    /// Call it last: neither side takes its queue pair away while the other still uses it.
    void part() { rank_.bootstrap().fence(); }

  private:
    /// A peer that says nothing for that long is taken for lost. Real time only. It is long, since
    /// the passive side of a measurement hears nothing until the end.
    static constexpr Duration patience = Duration::s(300);

    void make_queues(const Options& options);
    void connect(std::string_view tag);
    std::unique_ptr<fabric::Region> make_region(const Options& options, unsigned which,
                                                fabric::Access access);

    void post_rest(std::span<const fabric::WorkRequest> rest);
    unsigned poll(fabric::CompletionQueue& queue, std::uint64_t most);
    void wait_completions(fabric::CompletionQueue& queue, unsigned n);

    template <class Ready>
    void wait_longer(Ready&& ready) {
        deadline_ = host_.now() + patience;
        if (!host_.wait_until(ready, deadline_, fabric::Wait::spin)) fail_silent();
    }
    /// Looks at the first `n` of completions_.
    void check(std::size_t n) const;
    [[noreturn]] static void fail(const fabric::Completion& completion);
    [[noreturn]] static void fail_silent();

    struct Free {
        void operator()(std::byte* p) const { std::free(p); }
    };

    job::Rank& rank_;
    fabric::Nic& nic_;
    fabric::Host& host_;
    int peer_;
    bool first_;
    Time deadline_ = Time::never();

    // In the order in which they depend on each other: the queue pair goes first.
    std::array<std::unique_ptr<std::byte, Free>, 2> user_memory_;
    std::unique_ptr<fabric::Region> local_;
    std::unique_ptr<fabric::Region> target_;
    std::unique_ptr<fabric::RemoteRegion> peer_target_;
    std::unique_ptr<fabric::CompletionQueue> sends_;
    std::unique_ptr<fabric::CompletionQueue> receives_;
    std::unique_ptr<fabric::ReceiveQueue> receive_queue_;
    std::unique_ptr<fabric::QueuePair> queue_pair_;

    std::array<fabric::Slice, 1> receive_slices_;
    fabric::ReceiveRequest receive_request_;
    std::array<fabric::Completion, 16> completions_;
    unsigned quiet_interval_ = 1;  ///< every how manieth quiet request is signalled
    unsigned quiet_posted_ = 0;    ///< since the last that was
    bool signalled_pending_ = false;
};

inline unsigned Pair::poll(fabric::CompletionQueue& queue, std::uint64_t most) {
    unsigned total = 0;
    while (total < most) {
        // No more than are wanted: the rest belong to the next step.
        const auto room = std::span(completions_)
                              .first(std::min<std::uint64_t>(most - total, completions_.size()));
        const std::size_t n = queue.poll(room);
        check(n);
        total += static_cast<unsigned>(n);
        // To the last: nothing would call again for what is left behind.
        if (n < room.size()) break;
    }
    return total;
}

inline void Pair::check(std::size_t n) const {
    for (std::size_t i = 0; i < n; ++i)
        if (!completions_[i].status.ok()) [[unlikely]]
            fail(completions_[i]);
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
