#pragma once
/// What the units of one adapter share: its memories and the ways to them, its microcode, its
/// contexts. And the moving of data between virtual memory and a packet, in blocks.

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "interconnects/quadrics/elan/context.hpp"
#include "interconnects/quadrics/elan/memory_path.hpp"
#include "interconnects/quadrics/elan/microcode.hpp"
#include "interconnects/quadrics/elan/mmu.hpp"
#include "interconnects/quadrics/elan/parcel.hpp"

namespace railyard::elan {

/// A step of that DMA, in the trace.
inline Label label(Step step, DmaId dma) {
    return {numbered(step), dma};
}

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
    DmaId dma = 0;               ///< that it is of, for the trace
    unsigned resets = 0;         ///< of the adapter, before it

    /// What of it lies in one page.
    struct Chunk {
        Address address = null_address;
        std::uint32_t size = 0;
        Mmu::Translation translation;
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
        dma = 0;
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

/// What an event or a thread copies to memory.
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

/// What packets need on their way through the adapters of one machine, used again and again. The
/// engine keeps the pools for as long as events may name what is in them.
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

class Chip {
  public:
    Chip(sim::Engine& its_engine, const Parameters& its_parameters, Pools& its_pools,
         elite::NodeId its_node);

    sim::Engine& engine;
    const Parameters& parameters;
    Pools& pools;  ///< those of the machine
    const elite::NodeId node;
    Frames frames;
    MemoryPath path;
    Cache cache;
    Mmu mmu;
    Microcode microcode;
    std::vector<std::unique_ptr<Context>> contexts;
    Journal* journal = nullptr;

    /// What the units hold is lost, and nothing new begins before that time.
    void reset(Time until);
    bool is_away() const { return engine.now() < back_at; }
    unsigned resets = 0;
    Time back_at;  ///< from the last of them

    /// Null if there is none such, or it is closed.
    Context* context(ContextId id) const;
    /// Into the journal, if there is one.
    void note(Step step, DmaId dma) {
        if (journal && step != Step::none)
            journal->lines.push_back({engine.now(), node, step, dma});
    }

    /// Fetches from virtual memory or writes to it, as the move says; who asked hears of it.
    void start(const MoveHandle& move) {
        move->resets = resets;
        translate(move);
    }
    /// A word of the adapter's own memory, through its cache: `ready` runs when it can be used, or
    /// when it is known that there is none.
    void touch(Context& context, Address address, sim::Action ready);
    /// Where it is; null if that is not the adapter's own memory.
    std::byte* word(Context& context, Address address) const;

  private:
    void translate(const MoveHandle& move);
    Verdict fault(Context& context, Address address);
    bool still_there(const Context& context, const Move::Chunk& chunk) const;
    void read_chunks(const MoveHandle& move);
    void chunk_read(const MoveHandle& move, std::size_t index);
    void write_chunks(const MoveHandle& move);
    void chunk_written(const MoveHandle& move, std::size_t index);
    void touch_again(const Handle<Touch>& touch);
};

}  // namespace railyard::elan
