#pragma once
/// The unit that sets events and does what they ask for when they fire: block copies, further DMAs
/// and events, threads and processes woken.

#include <functional>

#include "interconnects/quadrics/elan/chip.hpp"

namespace railyard::elan {

class Events final : public Sending {
  public:
    /// What firing may start elsewhere in the adapter.
    struct Starts {
        std::function<void(Context&, Address descriptor)> dma;
        std::function<void(const ParcelHandle&)> send;
        std::function<void(Thread&)> wake;
    };
    Events(Chip& chip, Starts starts) : chip_(chip), starts_(std::move(starts)) {}

    /// By a thread of the microcode, when it comes to that. An address that is no event is a
    /// trouble of the context's.
    void set(Role by, Context& context, Address event, Status status = {}, Note note = {});
    /// The first half of it: the event is looked up, and `then` is called when it can be set.
    void look(Role by, Context& context, Address event, Note note, sim::Action then);
    /// The second half.
    void apply(Context& context, Address event, Status status, Note note);
    /// It may fire again; if it has been set often enough meanwhile, it does so now.
    void arm(Context& context, Address event);
    /// An event of this or of another process of the job.
    void set_anywhere(Role by, Context& context, Vpid vpid, Address event, Status status = {});
    /// The packet that sets an event of another process.
    ParcelHandle parcel_for(Context& context, Vpid vpid, Address event);
    /// A process blocks on it: it is to be interrupted now, if it has fired, or when it does.
    void interrupt(Context& context, Address event);

  private:
    void settled(const ParcelHandle& parcel, Verdict verdict) override;
    void fire_if_due(Context& context, Address event, EventState& state, Note note);
    void copy(Context& context, Address event, const EventState& state, Note note);
    static void tell_listener(EventState& state, Status status);
    void block_read(const Handle<Copying>& copying);
    void wake_host(Context& context, Address event);

    Chip& chip_;
    Starts starts_;
};

}  // namespace railyard::elan
