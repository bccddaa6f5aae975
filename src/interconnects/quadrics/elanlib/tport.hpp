#pragma once
/// Tports: tagged messages between the processes of a job. A send or a receive is started, and
/// waited for by a second call (TP-1). Matching is the adapter's work.

#include <cstdint>

#include "interconnects/quadrics/elanlib/async_tport.hpp"

namespace railyard::elanlib {

enum class Delivery : std::uint8_t {
    asynchronous,  ///< to the receiver's buffer, or to the system's if no receive is posted (TP-4)
    synchronous,   ///< no data leave before the receiver has asked for them (TP-3)
};

class Tport final : private AsyncTport::Host {
  public:
    using Request = AsyncTport::Request;

    /// Every process of the job makes one, with the same number, before any sends.
    explicit Tport(elan3::Process& process, std::uint32_t number = 0)
        : process_(process),
          port_(process.machine(), process.job(), process.self(), number, *this) {}

    /// The memory is the port's until the wait is over.
    Request start_send(Vpid to, Tag tag, Address from, std::uint32_t size,
                       Delivery delivery = Delivery::asynchronous);
    Request start_receive(const Selector& selector, Address to, std::uint32_t size) {
        return port_.receive(selector, to, size);
    }
    Outcome wait(Request request);
    bool test(Request request);
    /// Takes a receive back; false if it has been matched: then it is to be waited for.
    bool cancel(Request receive) { return port_.is_known(receive) && port_.cancel(receive); }
    /// Asks for a send back, which is to be waited for: flushed, if nobody has matched it.
    void withdraw(Request send) {
        if (port_.is_known(send)) port_.withdraw(send);
    }
    /// Null unless such a message is there, and no receive that was started before gets it.
    const Envelope* probe(const Selector& selector) const { return port_.probe(selector); }

    Status send(Vpid to, Tag tag, Address from, std::uint32_t size,
                Delivery delivery = Delivery::asynchronous) {
        return wait(start_send(to, tag, from, size, delivery)).status;
    }
    Outcome receive(const Selector& selector, Address to, std::uint32_t size) {
        return wait(start_receive(selector, to, size));
    }

    const Matcher& matcher() const { return port_.matcher(); }

  private:
    void work(Duration work) override { process_.spend(work); }
    void copy(Request, Bytes size) override;
    void ended(Request) override {}  // the block that has come wakes the process

    elan3::Process& process_;
    AsyncTport port_;
};

}  // namespace railyard::elanlib
