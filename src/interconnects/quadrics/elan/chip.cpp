#include "interconnects/quadrics/elan/chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace railyard::elan {

Chip::Chip(sim::Engine& its_engine, const Parameters& its_parameters, Pools& its_pools,
           elite::NodeId its_node)
    : engine(its_engine),
      parameters(its_parameters),
      pools(its_pools),
      node(its_node),
      frames(its_parameters.sdram_size),
      path(its_engine, its_parameters, its_node),
      cache(its_engine, path, its_parameters),
      mmu(cache, its_parameters.tlb_entries),
      microcode(its_engine, its_node) {}

void Chip::reset(Time until) {
    ++resets;
    back_at = std::max(back_at, until);
    mmu.forget_all();
    cache.forget_all();
    microcode.stall(back_at);
}

Context* Chip::context(ContextId id) const {
    if (id >= contexts.size() || !contexts[id] || !contexts[id]->open) return nullptr;
    return contexts[id].get();
}

/// System software binds the page that is missing; whoever came upon it tries again.
Verdict Chip::fault(Context& context, Address address) {
    const Page* const page = context.space.find(address);
    if (!page || page->state == Page::State::absent) return Verdict::bad_address;
    engine.schedule(engine.now() + parameters.host.trap,
                    [&context, address] { context.space.bind(address); });
    return Verdict::later;
}

/// Page by page.
void Chip::translate(const MoveHandle& move) {
    if (move->resets != resets) return move->mover->checked(move, Verdict::later);  // it was lost
    const ContextId context = move->context->id;
    while (move->translated < move->size) {
        const Address at = move->address + move->translated;
        const std::uint32_t size =
            std::min(move->size - move->translated, page_size - at % page_size);
        if (const auto found = mmu.look(context, at)) {
            if (found->length < size) return move->mover->checked(move, Verdict::bad_address);
            move->chunks.push_back({at, size, *found});
            move->translated += size;
        } else if (mmu.take_fault(context, at)) {
            return move->mover->checked(move, fault(*move->context, at));
        } else {
            return mmu.walk(context, move->context->space, at, move->access,
                            [this, move] { translate(move); });
        }
    }
    move->access == Access::read ? read_chunks(move) : write_chunks(move);
}

/// A page may go while its data are on the way: the old one is never reached (GV-3).
bool Chip::still_there(const Context& context, const Move::Chunk& chunk) const {
    const Page* const page = context.space.find(chunk.address);
    return page && page->state == Page::State::bound &&
           page->frame.physical == chunk.translation.physical - chunk.address % page_size;
}

namespace {

/// Blocks of 64 bytes from its beginning, the last of which may be shorter and takes as long.
MemoryPath::Blocks blocks_of(const Move& move, const Move::Chunk& chunk) {
    return {chunk.translation.home, Bytes(block_size), (chunk.size + block_size - 1) / block_size,
            Label({}, move.dma)};
}

/// Where its content is, if it has any.
std::byte* bytes_of(const Move& move, const Move::Chunk& chunk) {
    if (chunk.translation.bytes) return chunk.translation.bytes;
    return move.context->space.lent(chunk.address, chunk.size);
}

}  // namespace

void Chip::read_chunks(const MoveHandle& move) {
    if (move->chunks.empty()) {
        move->mover->checked(move, Verdict::taken);
        return move->mover->moved(move, Verdict::taken);
    }
    for (std::size_t i = 0; i < move->chunks.size(); ++i)
        path.read(blocks_of(*move, move->chunks[i]), move->first && i == 0,
                  [this, move, i] { chunk_read(move, i); });
    move->mover->checked(move, Verdict::taken);
}

void Chip::chunk_read(const MoveHandle& move, std::size_t index) {
    const Move::Chunk& chunk = move->chunks[index];
    std::byte* const into = move->bytes + (chunk.address - move->address);
    if (!still_there(*move->context, chunk)) {
        move->verdict = Verdict::later;
    } else if (const std::byte* const from = bytes_of(*move, chunk)) {
        std::memcpy(into, from, chunk.size);
        move->has_data = true;
    } else if (move->chunks.size() > 1) {
        std::memset(into, 0, chunk.size);  // the other may have content
    }
    if (++move->moved == move->chunks.size()) move->mover->moved(move, move->verdict);
}

void Chip::write_chunks(const MoveHandle& move) {
    move->mover->checked(move, Verdict::taken);
    if (move->chunks.empty()) {
        move->mover->issued(move);
        return move->mover->moved(move, Verdict::taken);
    }
    for (std::size_t i = 0; i < move->chunks.size(); ++i) {
        sim::Action issued;
        if (i + 1 == move->chunks.size()) issued = [move] { move->mover->issued(move); };
        path.write(blocks_of(*move, move->chunks[i]), std::move(issued),
                   [this, move, i] { chunk_written(move, i); });
    }
}

void Chip::chunk_written(const MoveHandle& move, std::size_t index) {
    const Move::Chunk& chunk = move->chunks[index];
    std::byte* const into = move->bytes ? bytes_of(*move, chunk) : nullptr;
    if (into && still_there(*move->context, chunk))
        std::memcpy(into, move->bytes + (chunk.address - move->address), chunk.size);
    if (++move->moved == move->chunks.size()) move->mover->moved(move, Verdict::taken);
}

void Chip::touch(Context& context, Address address, sim::Action ready) {
    if (const auto found = mmu.look(context.id, address)) {
        if (found->home != Home::sdram) return ready();
        return cache.access(found->physical, std::move(ready));
    }
    const auto kept = pools.touches.take();
    kept->context = &context;
    kept->address = address;
    kept->ready = std::move(ready);
    if (!mmu.take_fault(context.id, address))
        return mmu.walk(context.id, context.space, address, Access::write,
                        [this, kept] { touch_again(kept); });
    if (fault(context, address) == Verdict::bad_address) return kept->ready();
    engine.schedule(engine.now() + parameters.host.trap, [this, kept] { touch_again(kept); });
}

void Chip::touch_again(const Handle<Touch>& kept) {
    touch(*kept->context, kept->address, std::move(kept->ready));
}

std::byte* Chip::word(Context& context, Address address) const {
    const Page* const page = context.space.find(address);
    if (!page || page->state != Page::State::bound || page->frame.home != Home::sdram)
        return nullptr;
    return page->frame.bytes + address % page_size;
}

}  // namespace railyard::elan
