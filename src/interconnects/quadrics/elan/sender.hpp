#pragma once
/// Gets parcels through: into the network as packets, again after a fault, and by another way when
/// that has not helped (FA-6, FA-7). When the tables know no way any more, each parcel tries all
/// ways anew, some rounds and ever longer: what broke may have been mended since. What a
/// destination cannot take yet is sent again after a while.

#include <cstdint>
#include <functional>
#include <optional>

#include "interconnects/quadrics/elan/chip.hpp"
#include "interconnects/quadrics/elan/serials.hpp"
#include "interconnects/quadrics/elite/network.hpp"

namespace railyard::elan {

class Sender {
  public:
    /// Where a parcel goes whose destination is on this node.
    using Loopback = std::function<void(const ParcelHandle&)>;

    Sender(Chip& chip, elite::Network& network, Loopback loopback)
        : chip_(chip), network_(network), loopback_(std::move(loopback)) {}

    /// Its sender hears of it once, never within this call.
    void send(const ParcelHandle& parcel);
    /// Likewise, under the number of a parcel that has just been settled as unreachable: a
    /// destination that has taken that one takes no notice of this one.
    void send_instead(const ParcelHandle& parcel, std::uint64_t serial);
    /// What the network has told (elite::Adapter::settled).
    void settled(elite::PacketId id, const elite::Outcome& outcome);
    /// What the own inputter says of a parcel that went no way.
    void settled_here(const ParcelHandle& parcel);

    /// Parts that were avoided may be tried again.
    void forget_faults();

    ParcelHandle under_way(std::uint64_t serial) const { return unsettled_.find(serial); }
    std::uint64_t retries() const { return retries_; }
    std::uint64_t ways_changed() const { return ways_changed_; }

  private:
    void try_now(const ParcelHandle& parcel);
    std::optional<elite::Route> route(const Parcel& parcel);
    bool is_here(const Parcel& parcel) const;
    void avoid(Parcel& parcel, elite::Part part);
    unsigned retries_of(const Parcel& parcel) const;
    Duration delay_of(const Parcel& parcel) const;
    void told(const ParcelHandle& parcel, Verdict verdict);
    void failed(const ParcelHandle& parcel, const elite::Fault& fault);
    void end(const ParcelHandle& parcel, Verdict verdict);
    void tell_unreachable(const Parcel& parcel) const;
    Bytes wire_size(const Parcel& parcel) const;

    Chip& chip_;
    elite::Network& network_;
    Loopback loopback_;
    ParcelWindow unsettled_;
    std::uint64_t retries_ = 0;
    std::uint64_t ways_changed_ = 0;
};

}  // namespace railyard::elan
