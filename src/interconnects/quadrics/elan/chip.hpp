#pragma once
/// What the units of one adapter share: its memories and the ways to them, its microcode, its
/// contexts. And the moving of data between virtual memory and a packet, in blocks.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/quadrics/elan/context.hpp"
#include "interconnects/quadrics/elan/journal.hpp"
#include "interconnects/quadrics/elan/microcode.hpp"
#include "interconnects/quadrics/elan/pools.hpp"

namespace railyard::elan {

class Chip final : private Mover {
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
    void note(Step step, DmaId dma) {
        if (journal && step != Step::none)
            journal->lines.push_back({engine.now(), node, step, dma});
    }

    /// Fetches from virtual memory or writes to it, as the move says; who asked hears of it.
    void start(const MoveHandle& move) {
        move->resets = resets;
        translate(move);
    }
    /// Writes so many bytes that nobody looks at; `done` runs when they would be in place, and
    /// never if nothing is mapped there.
    void write(Context& context, Address address, std::uint32_t size, sim::Action done);
    /// A word of the adapter's own memory, through its cache: `ready` runs when it can be used, or
    /// when it is known that there is none.
    void touch(Context& context, Address address, sim::Action ready);
    /// Where it is; null if that is not the adapter's own memory.
    std::byte* word(Context& context, Address address) const;

  private:
    void checked(const MoveHandle& move, Verdict verdict) override;
    void moved(const MoveHandle& move, Verdict verdict) override;
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
