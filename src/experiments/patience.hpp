#pragma once
/// How a rank of an experiment waits: spinning, and not for ever. A peer that says nothing for a
/// long while is taken for lost, so that a measurement ends with a word and not with a hang.

#include "railyard/base/time.hpp"
#include "railyard/host.hpp"
#include "railyard/traits.hpp"

namespace railyard::experiments {

class Patience {
  public:
    /// In virtual time nobody is late: there the engine tells of a wait that cannot end.
    Patience(fabric::Host& host, const fabric::Traits& traits)
        : host_(host),
          deadline_(traits.clock == fabric::Clock::real ? host.now() + length : Time::never()) {}

    /// Of connections asked for now.
    Time deadline() const { return deadline_; }

    /// Waits for `ready()`. Throws Error when the peer has fallen silent.
    template <class Ready>
    void wait(Ready&& ready) {
        if (!host_.wait_until(ready, deadline_, fabric::Wait::spin)) [[unlikely]]
            wait_longer([&] { return ready(); });
    }

  private:
    /// Long, since the passive side of a measurement hears nothing until the end.
    static constexpr Duration length = Duration::s(300);

    // The deadline is far in the past after long work that needed no waiting: one more chance.
    template <class Ready>
    void wait_longer(Ready&& ready) {
        deadline_ = host_.now() + length;
        if (!host_.wait_until(ready, deadline_, fabric::Wait::spin)) fail();
    }
    [[noreturn]] static void fail();

    fabric::Host& host_;
    Time deadline_;
};

}  // namespace railyard::experiments
