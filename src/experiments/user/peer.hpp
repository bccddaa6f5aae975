#pragma once
/// How a rank of an experiment finds its peer, connects to it, and waits for it.

#include <string_view>

#include "railyard/base/time.hpp"
#include "railyard/connection.hpp"
#include "railyard/host.hpp"
#include "railyard/memory.hpp"
#include "railyard/queue_pair.hpp"
#include "railyard/traits.hpp"

namespace railyard::experiments {

/// Waits with a limit: a peer that is silent for a long while is taken for lost, so that a
/// measurement ends with an error and does not hang.
class Patience {
  public:
    /// In virtual time nobody is late: there the engine reports a wait that cannot end.
    Patience(fabric::Host& host, const fabric::Traits& traits)
        : host_(host),
          deadline_(traits.clock == fabric::Clock::real ? host.now() + length : Time::never()) {}

    /// Of connections asked for now.
    Time deadline() const { return deadline_; }

    /// Waits for `ready()`. Throws Error when the peer has been silent for too long.
    template <class Ready>
    void wait(Ready&& ready, fabric::Wait how = fabric::Wait::spin) {
        if (!host_.wait_until(ready, deadline_, how)) [[unlikely]]
            wait_longer([&] { return ready(); }, how);
    }

  private:
    /// Long, since the passive side of a measurement hears nothing until the end.
    static constexpr Duration length = Duration::s(300);

    // The deadline is far in the past after long work that needed no waiting: one more chance.
    template <class Ready>
    void wait_longer(Ready&& ready, fabric::Wait how) {
        deadline_ = host_.now() + length;
        if (!host_.wait_until(ready, deadline_, how)) fail();
    }
    [[noreturn]] static void fail();

    fabric::Host& host_;
    Time deadline_;
};

/// Everything that one side must know of the other; both put it into the job's bootstrap.
struct Card {
    fabric::Address address;
    fabric::RegionBlob target;
};

/// Both sides derive the same number from the same tag.
fabric::Discriminator discriminator_of(std::string_view tag);

/// Asks for the connection; the peer does the same.
void ask(fabric::QueuePair& queue_pair, const fabric::Address& to,
         fabric::Discriminator discriminator, const Patience& patience);
/// Waits until it is there. Both throw Error.
void await_connected(fabric::QueuePair& queue_pair, Patience& patience);

}  // namespace railyard::experiments
