#pragma once
/// Where a switch keeps what comes in over one link: so many bytes, in order. Whoever sends over
/// the link needs credit for a packet first, and gets it back, the link's latency later, when the
/// packet has left the switch. What is behind a packet that cannot leave waits, wherever it is to
/// go: that is how many who send to one hold up others (head-of-line blocking).
///
/// An adapter keeps what comes in the same way until its host's bus has taken it, but in no order:
/// what can go to memory goes.
///
/// Nothing here is an event unless somebody waits: credit that has come back is counted when it is
/// next asked for.

#include <deque>

#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "sim/action.hpp"
#include "sim/engine.hpp"

namespace railyard::model {

class InputBuffer {
  public:
    /// `credit`: until the sender hears that a packet has left.
    InputBuffer(sim::Engine& engine, Bytes size, Duration credit)
        : engine_(engine), size_(size), credit_(credit) {}

    // At the sender.

    /// Is there credit for a packet of that size, and nobody who waits for some?
    bool has_credit(Bytes packet);
    /// `go` runs, in the name of that node, as soon as there is; it takes it.
    void wait_for_credit(sim::Engine::Node node, Bytes packet, sim::Action go);
    /// A packet begins to cross the link then.
    void take(Bytes packet, Time begin);

    // At the switch.

    /// Has all that came before left the buffer?
    bool is_clear() const;
    /// `go` runs, in the name of that node, when all before it has left.
    void wait_behind(sim::Engine::Node node, sim::Action go);
    /// The first packet stays until it leaves.
    void hold() { held_ = true; }
    /// The first packet is on the next link, and all of it has left by `end`.
    void leave(Bytes packet, Time end);
    /// A fault has taken a packet that came in now.
    void lose(Bytes packet) { give_back(packet, engine_.now() + credit_); }

    // At an adapter.

    /// All of a packet is in memory by `end`, or nowhere any more.
    void take_out(Bytes packet, Time end) { give_back(packet, end + credit_); }

    /// All that is known of the future is that much later.
    void shift(Duration by);

  private:
    struct Credit {
        Time at;
        Bytes size;
    };
    struct Waiting {
        sim::Engine::Node node;
        Bytes size;
        sim::Action go;
    };
    void count_until(Time time);
    void give_back(Bytes packet, Time at);
    void set_alarm();
    void hand_out();
    void next();

    sim::Engine& engine_;
    const Bytes size_;
    const Duration credit_;
    Bytes taken_;
    std::deque<Credit> returning_;  ///< in order of time
    std::deque<Waiting> senders_;   ///< who wait for credit
    bool alarm_ = false;            ///< an event will hand it out
    bool held_ = false;
    Time busy_until_;             ///< the last packet leaves
    std::deque<Waiting> behind_;  ///< packets that are in it, but for the first
};

}  // namespace railyard::model
