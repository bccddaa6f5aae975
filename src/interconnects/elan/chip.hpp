#pragma once
/// What the units of one adapter share: its memories and the ways to them, its microcode, its
/// contexts. And the moving of data between virtual memory and a packet, a block at a time.

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "interconnects/elan/context.hpp"
#include "interconnects/elan/journal.hpp"
#include "interconnects/elan/microcode.hpp"
#include "interconnects/elan/parcel.hpp"

namespace railyard::elan {

class Chip {
  public:
    Chip(sim::Engine& its_engine, const Parameters& its_parameters, elite::NodeId its_node);

    sim::Engine& engine;
    const Parameters& parameters;
    const elite::NodeId node;
    Frames frames;
    MemoryPath path;
    Cache cache;
    Mmu mmu;
    Microcode microcode;
    std::vector<std::unique_ptr<Context>> contexts;
    Journal* journal = nullptr;

    /// Null if there is none such, or it is closed.
    Context* context(ContextId id) const;
    void note(Step step, DmaId dma) {
        if (journal && step != Step::none)
            journal->lines.push_back({engine.now(), node, step, dma});
    }

    using Told = std::function<void(Verdict)>;
    /// Fetches from virtual memory; `into` must live until `done`. Both are told that a page was
    /// not there (later: it will be), or that nothing is mapped; without `checked` there is no
    /// `done`.
    struct Fetching {
        Told checked;        ///< all pages are known, and the memory has been asked
        Told done;           ///< all data are here
        bool first = false;  ///< of a stream
    };
    void fetch(Context& context, Address address, std::span<std::byte> into, Fetching fetching);
    /// Checks that all is mapped, tells so, and only then writes. `issued` runs when the memory has
    /// taken the last block over, `done` when it is in place. `from` must live until then.
    struct Writing {
        Told checked;  ///< if not `taken`, nothing has been or will be written
        sim::Action issued;
        sim::Action done;
    };
    void deliver(Context& context, Address address, std::span<const std::byte> from,
                 std::shared_ptr<Writing> writing);
    /// A word of the adapter's own memory, through its cache; null if it is not there.
    void touch(Context& context, Address address, std::function<void(std::byte*)> ready);

  private:
    struct Piece {
        Address address = 0;
        std::uint32_t size = 0;
        Mmu::Place place;
    };
    struct Move;
    static std::vector<Piece> cut(Address address, std::size_t size);
    void translate(const std::shared_ptr<Move>& move);
    Verdict fault(Context& context, Address address);
    bool still_there(const Context& context, const Piece& piece) const;
    void read_pieces(const std::shared_ptr<Move>& move);
    void write_pieces(const std::shared_ptr<Move>& move);
};

}  // namespace railyard::elan
