#pragma once
/// Windows of RDMA writes over the rails (ports) between two ranks, cut into parts or whole, as
/// liu04pcie has them.
///
/// Messages above a threshold that may use several rails are cut into equal parts, one a rail, each
/// followed on its rail by a control message; the receiver polls its completion queue until all
/// parts are in, in whatever order (MP-1, MP-2, MP-3). All other messages go whole over the first
/// rail, and a window is found by its last byte.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "experiments/user/bundle.hpp"

namespace railyard::experiments {

class Striped {
  public:
    static constexpr Bytes threshold{8192};

    /// `rails`: the connections of the bundle that this side sends on. Its buffers hold two
    /// messages; it keeps receives_for() of them posted.
    /// Followed: every message has a completion, so that the course of a window can be seen.
    Striped(Bundle& bundle, Bytes size, unsigned window, std::vector<std::size_t> rails,
            bool followed = false);
    Striped(const Striped&) = delete;  // requests point into this object
    Striped& operator=(const Striped&) = delete;

    static unsigned receives_for(unsigned window, std::size_t rails);
    static unsigned sends_for(unsigned window) { return 2 * window + 8; }

    bool cut() const { return cut_; }

    /// Of this side's messages, as far as their completions were taken.
    Bytes finished() const { return Bytes(bundle_.tally() - before_); }
    /// If followed: called from now on, while this side waits, whenever some have finished.
    void follow(std::function<void()> on_finished) { on_finished_ = std::move(on_finished); }

    void send();         ///< one window
    void await();        ///< until all of the peer's next window is here
    void reply();        ///< a small message
    void await_reply();  ///< and until this side's window is finished

    /// How many parts have come over each connection of the bundle, so far.
    const std::vector<std::uint64_t>& parts() const { return parts_; }

  private:
    void make_parts();
    void make_whole();
    void sign(std::vector<fabric::WorkRequest>& requests, Bytes message) const;
    void look_at_sends();
    bool window_is_in() const;
    void reap();

    Bundle& bundle_;
    Bytes size_;
    unsigned window_;
    std::vector<std::size_t> rails_;
    bool followed_;
    bool cut_;
    bool watched_;
    std::vector<fabric::Slice>
        slices_;  ///< cut: a part each; whole: all messages but the last, last
    std::vector<std::vector<fabric::WorkRequest>> requests_;  ///< a window, for each rail used
    fabric::WorkRequest control_;
    fabric::WorkRequest reply_;
    std::uint64_t before_;  ///< the bundle's tally when this object was made
    std::function<void()> on_finished_;
    Stamp sent_;
    Stamp seen_;
    std::uint64_t windows_in_ = 0;
    std::vector<std::uint64_t> parts_;
    std::uint64_t replies_ = 0;
    std::uint64_t replies_taken_ = 0;
};

}  // namespace railyard::experiments
