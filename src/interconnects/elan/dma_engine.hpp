#pragma once
/// The DMA engine: takes descriptors by priority, cuts what they name into packets of up to five
/// blocks, and gives way to others after a slice (EL-5).

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>

#include "interconnects/elan/events.hpp"
#include "interconnects/elan/sender.hpp"

namespace railyard::elan {

class DmaEngine final : public Sending {
  public:
    DmaEngine(Chip& chip, Sender& sender, Events& events)
        : chip_(chip), sender_(sender), events_(events) {}

    /// Whether it is a process' own, or what another's read asks for.
    enum class For : std::uint8_t { self, asker };
    /// The context is that of the process whose memory the data come from; of a read, that of the
    /// process that asks.
    void enqueue(Context& context, const Descriptor& descriptor, DmaId id, For whom = For::self);
    DmaId next_id() { return (DmaId{chip_.node} << 32) + ++ids_; }
    std::uint64_t packets() const { return packets_; }

  private:
    struct Dma {
        Context& context;
        Descriptor descriptor;
        DmaId id = 0;
        For whom = For::self;
        std::uint32_t offset = 0;
        bool sent_last = false;
        unsigned in_flight = 0;             ///< packets that are being fetched or are on their way
        std::shared_ptr<Parcel> held = {};  ///< the last one, fetched, until all others are there
        unsigned slice = 0;                 ///< packets left
        bool fresh = true;                  ///< its next fetch begins a stream
        bool finished = false;
        Verdict verdict = Verdict::taken;
        /// The number of a last packet that was lost on its way; the destination may have it.
        std::optional<std::uint64_t> lost_last = {};
    };
    using DmaPointer = std::shared_ptr<Dma>;

    void settled(const std::shared_ptr<Parcel>& parcel, Verdict verdict) override;
    void pump();
    bool start_next();
    bool gives_way() const;
    bool has_waiting(elite::Priority at_least) const;
    void put_back(const DmaPointer& dma, bool in_front);
    void next_packet(const DmaPointer& dma);
    void fetch(const DmaPointer& dma, const std::shared_ptr<Parcel>& parcel);
    void asked(const DmaPointer& dma, const std::shared_ptr<Parcel>& parcel, Verdict verdict);
    void fetched(const DmaPointer& dma, const std::shared_ptr<Parcel>& parcel, Verdict verdict);
    void fetch_again(const DmaPointer& dma, const std::shared_ptr<Parcel>& parcel);
    void leave(const std::shared_ptr<Parcel>& parcel);
    void ask_remote(const DmaPointer& dma);
    void finish(const DmaPointer& dma);
    void tell_asker(const DmaPointer& dma, Status status);
    Address source_of(const Dma& dma, const Parcel& parcel) const;
    std::shared_ptr<Parcel> parcel_of(const DmaPointer& dma) const;

    Chip& chip_;
    Sender& sender_;
    Events& events_;
    std::array<std::deque<DmaPointer>, 2> queues_;  ///< by priority
    DmaPointer current_;
    bool busy_ = false;  ///< loading a descriptor or asking for data
    unsigned buffers_used_ = 0;
    std::uint8_t channel_ = 0;
    std::uint32_t ids_ = 0;
    std::uint64_t packets_ = 0;
};

}  // namespace railyard::elan
