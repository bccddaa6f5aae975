#pragma once
/// What a rank of an experiment needs for its peer: memory for the messages, the byte by which a
/// receiver that watches memory learns of their arrival, how the two connect, and how one waits for
/// the other.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "experiments/core/experiment.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/connection.hpp"
#include "railyard/host.hpp"
#include "railyard/memory.hpp"
#include "railyard/nic.hpp"
#include "railyard/queue_pair.hpp"
#include "railyard/traits.hpp"

namespace railyard::experiments {

struct FreePages {
    void operator()(std::byte* p) const { std::free(p); }
};
/// A process' own memory: whole pages, at least one, zeroed.
using Pages = std::unique_ptr<std::byte, FreePages>;
/// For `size` bytes. Throws Error.
Pages make_pages(Bytes size);

/// Registered memory: allocated by the Nic, on the host or on the adapter, or the user's own.
class Buffer {
  public:
    /// Whole pages, at least one: nothing else shares their cache lines, and an empty message has
    /// an address too. Zeroed, so that no page is first touched while the clock runs. Throws Error.
    Buffer(fabric::Nic& nic, Bytes size, fabric::Access access, Memory memory,
           fabric::Home home = fabric::Home::host);

    const fabric::Region& region() const { return *region_; }

  private:
    Pages user_memory_;
    std::unique_ptr<fabric::Region> region_;
};

/// From one message's place to the next: they share no cache line.
inline Bytes stride_of(Bytes size) {
    return (size + Bytes(127)) / 128 * 128;
}

/// The last byte of a message. It changes with every message, so that a stale value cannot end the
/// wait: it runs through 1 … 255 and again, and is never 0, which is what buffers hold before.
class Stamp {
  public:
    std::byte next() {
        value_ = value_ == 255 ? std::uint8_t{1} : static_cast<std::uint8_t>(value_ + 1);
        return std::byte{value_};
    }

  private:
    std::uint8_t value_ = 0;
};

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
