#pragma once
/// What packets need on their way through adapters, used again and again: those of one machine.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan/event.hpp"
#include "interconnects/quadrics/elan/mmu.hpp"
#include "interconnects/quadrics/elan/parcel.hpp"

namespace railyard::elan {

struct Move;
using MoveHandle = Handle<Move>;

/// Who has data moved.
class Mover {
  public:
    virtual ~Mover() = default;
    /// All is mapped, and memory is asked next; or a page was not there (later: it will be), or
    /// nothing is: then nothing is moved, and nothing more is heard.
    virtual void checked(const MoveHandle& move, Verdict verdict) = 0;
    /// Of a write: the memory has taken the last block over.
    virtual void issued(const MoveHandle& /*move*/) {}
    /// All data are in place. Of a read: or `later`, if a page went away meanwhile.
    virtual void moved(const MoveHandle& move, Verdict verdict) = 0;
};

/// Data between memory and a packet, from translation to the last block.
struct Move final : Pooled {
    Mover* mover = nullptr;
    Handle<Pooled> subject;  ///< what the mover knows it by; keeps the bytes
    Context* context = nullptr;
    Access access = Access::read;
    Address address = null_address;
    std::uint32_t size = 0;
    std::byte* bytes = nullptr;  ///< outside; a write only reads them. Null: nobody looks at them
    bool first = false;          ///< a read's: of a stream
    unsigned resets = 0;         ///< of the adapter, before it

    /// What of it lies in one page.
    struct Chunk {
        Address address = null_address;
        std::uint32_t size = 0;
        Mmu::Place place;
    };
    std::vector<Chunk> chunks;  ///< as far as it has been translated
    std::uint32_t translated = 0;
    std::size_t moved = 0;  ///< chunks
    bool has_data = false;  ///< a read's: some of it has content
    Verdict verdict = Verdict::taken;

  private:
    void clear() override {
        subject = nullptr;
        chunks.clear();
        translated = 0;
        moved = 0;
        first = has_data = false;
        verdict = Verdict::taken;
    }
};

/// A word that somebody waits for.
struct Touch final : Pooled {
    Context* context = nullptr;
    Address address = null_address;
    sim::Action ready;

  private:
    void clear() override { ready.reset(); }
};

/// A block that an event has copied.
struct Copying final : Pooled {
    Context* context = nullptr;
    Address event = null_address;
    Status status;
    BlockCopy block;
    Note note;
    std::vector<std::byte> bytes;

  private:
    void clear() override {}
};

/// A remote DMA in its adapter.
struct Dma final : Pooled {
    /// Whether it is a process' own, or what another's read asks for.
    enum class For : std::uint8_t { self, asker };

    Context* context = nullptr;  ///< of the process whose memory is read; of a read, that asks
    Descriptor descriptor;
    DmaId id = 0;
    For whom = For::self;
    std::uint32_t offset = 0;
    bool sent_last = false;
    unsigned in_flight = 0;  ///< packets that are being fetched or are on their way
    ParcelHandle held;       ///< the last one, fetched, until all others are there
    unsigned slice = 0;      ///< packets left
    bool fresh = true;       ///< its next fetch begins a stream
    bool finished = false;
    Verdict verdict = Verdict::taken;
    /// The number of a last packet that was lost on its way; the destination may have it.
    std::optional<std::uint64_t> lost_last;

  private:
    void clear() override {
        offset = in_flight = slice = 0;
        sent_last = finished = false;
        fresh = true;
        held = nullptr;
        verdict = Verdict::taken;
        lost_last.reset();
    }
};
using DmaHandle = Handle<Dma>;

/// A parcel at its destination.
struct Arrival final : Pooled {
    ParcelHandle parcel;
    elite::NodeId from = 0;
    bool from_here = false;    ///< it went no way
    elite::Delivery delivery;  ///< else
    Context* context = nullptr;
    unsigned resets = 0;      ///< of the adapter, before it
    std::uint64_t write = 0;  ///< its number, among writes
    bool looked_up = false;   ///< its event

  private:
    void clear() override {
        parcel = nullptr;
        context = nullptr;
        looked_up = false;
    }
};
using ArrivalHandle = Handle<Arrival>;

/// The engine keeps them for as long as events may name what is in them.
struct Pools {
    Pool<Parcel> parcels;
    Pool<Move> moves;
    Pool<Touch> touches;
    Pool<Copying> copies;
    Pool<Dma> dmas;
    Pool<Arrival> arrivals;

    Pools() = default;
    Pools(const Pools&) = delete;
    Pools& operator=(const Pools&) = delete;
    ~Pools() {
        // They hold each other's objects, and some may be under way still.
        parcels.close();
        moves.close();
        touches.close();
        copies.close();
        dmas.close();
        arrivals.close();
    }
};

}  // namespace railyard::elan
