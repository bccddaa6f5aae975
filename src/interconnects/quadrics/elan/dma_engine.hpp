#pragma once
/// The DMA engine: takes descriptors by priority, cuts what they name into packets of up to five
/// blocks, and gives way to others after a slice (EL-5).

#include <array>
#include <cstdint>
#include <deque>

#include "interconnects/quadrics/elan/events.hpp"
#include "interconnects/quadrics/elan/sender.hpp"

namespace railyard::elan {

class DmaEngine final : public Sending, private Mover {
  public:
    using For = Dma::For;

    DmaEngine(Chip& chip, Sender& sender, Events& events)
        : chip_(chip), sender_(sender), events_(events) {}

    /// The context is that of the process whose memory the data come from; of a read, that of the
    /// process that asks.
    DmaHandle make(Context& context, const Descriptor& descriptor, DmaId id, For whom = For::self);
    void enqueue(const DmaHandle& dma);
    void enqueue(Context& context, const Descriptor& descriptor, DmaId id, For whom = For::self) {
        enqueue(make(context, descriptor, id, whom));
    }
    DmaId next_id() { return (DmaId{chip_.node} << 32) + ++ids_; }
    std::uint64_t packets() const { return packets_; }

  private:
    void settled(const ParcelHandle& parcel, Verdict verdict) override;
    void checked(const MoveHandle& move, Verdict verdict) override;
    void moved(const MoveHandle& move, Verdict verdict) override;

    void pump();
    bool start_next();
    bool gives_way() const;
    bool has_waiting(elite::Priority at_least) const;
    void put_back(const DmaHandle& dma, bool in_front);
    void next_packet(const DmaHandle& dma);
    void fetch(const ParcelHandle& parcel, bool first);
    void asked(const ParcelHandle& parcel, Verdict verdict);
    void fetch_again(const ParcelHandle& parcel);
    void asked_again(const ParcelHandle& parcel, Verdict verdict);
    void leave(const ParcelHandle& parcel);
    void ask_remote(const DmaHandle& dma);
    void finish(const DmaHandle& dma);
    void tell_asker(const DmaHandle& dma, Status status);
    ParcelHandle parcel_of(const DmaHandle& dma);
    static DmaHandle dma_of(const Parcel& parcel) {
        return DmaHandle(static_cast<Dma*>(parcel.owner.get()));
    }

    Chip& chip_;
    Sender& sender_;
    Events& events_;
    std::array<std::deque<DmaHandle>, 2> queues_;  ///< by priority
    DmaHandle current_;
    bool busy_ = false;  ///< loading a descriptor or asking for data
    unsigned buffers_used_ = 0;
    std::uint8_t channel_ = 0;
    std::uint32_t ids_ = 0;
    std::uint64_t packets_ = 0;
};

}  // namespace railyard::elan
