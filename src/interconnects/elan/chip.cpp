#include "interconnects/elan/chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace railyard::elan {

Microcode::Microcode(sim::Engine& engine, std::uint32_t node) : processor_(engine) {
    if (sim::Trace* const trace = engine.trace())
        for (std::size_t i = 0; i < lanes_.size(); ++i)
            lanes_[i] = trace->lane(fmt::format("node {}", node), role_names[i]);
}

Chip::Chip(sim::Engine& its_engine, const Parameters& its_parameters, elite::NodeId its_node)
    : engine(its_engine),
      parameters(its_parameters),
      node(its_node),
      frames(its_parameters.sdram_size),
      path(its_engine, its_parameters, its_node),
      cache(its_engine, path, its_parameters),
      mmu(cache, its_parameters.tlb_entries),
      microcode(its_engine, its_node) {}

Context* Chip::context(ContextId id) const {
    if (id >= contexts.size() || !contexts[id]->open) return nullptr;
    return contexts[id].get();
}

/// Data between memory and a packet, from translation to the last block.
struct Chip::Move {
    Context& context;
    Access access;
    std::vector<Piece> pieces;
    std::byte* into = nullptr;
    const std::byte* from = nullptr;
    std::size_t translated = 0;
    std::size_t moved = 0;
    bool first = false;
    Verdict verdict = Verdict::taken;
    Told checked = {};
    Told done = {};
    std::shared_ptr<Writing> writing = {};
};

/// Blocks of 64 bytes from its beginning, none of which crosses into another page.
std::vector<Chip::Piece> Chip::cut(Address address, std::size_t size) {
    std::vector<Piece> pieces;
    for (std::size_t done = 0; done < size;) {
        const auto at = static_cast<Address>(address + done);
        const std::size_t room = page_size - at % page_size;
        const auto n =
            static_cast<std::uint32_t>(std::min({std::size_t{block_size}, room, size - done}));
        pieces.push_back({at, n, {}});
        done += n;
    }
    return pieces;
}

/// System software binds the page that is missing; whoever came upon it tries again.
Verdict Chip::fault(Context& context, Address address) {
    const Page* const page = context.space.find(address);
    if (!page || page->state == Page::State::absent) return Verdict::bad_address;
    engine.schedule(engine.now() + parameters.host.trap,
                    [&context, address] { context.space.bind(address); });
    return Verdict::later;
}

void Chip::translate(const std::shared_ptr<Move>& move) {
    Context& context = move->context;
    while (move->translated < move->pieces.size()) {
        Piece& piece = move->pieces[move->translated];
        if (const auto place = mmu.look(context.id, piece.address)) {
            if (place->length < piece.size) return move->checked(Verdict::bad_address);
            piece.place = *place;
            ++move->translated;
        } else if (mmu.take_fault(context.id, piece.address)) {
            return move->checked(fault(context, piece.address));
        } else {
            mmu.walk(context.id, context.space, piece.address, move->access,
                     [this, move] { translate(move); });
            return;
        }
    }
    move->access == Access::read ? read_pieces(move) : write_pieces(move);
}

/// A page may go while its data are on the way: the old one is never reached (GV-3).
bool Chip::still_there(const Context& context, const Piece& piece) const {
    const Page* const page = context.space.find(piece.address);
    return page && page->state == Page::State::bound &&
           page->frame.physical == piece.place.physical - piece.address % page_size;
}

void Chip::fetch(Context& context, Address address, std::span<std::byte> into, Fetching fetching) {
    auto move = std::make_shared<Move>(Move{context, Access::read, cut(address, into.size())});
    move->into = into.data();
    move->first = fetching.first;
    move->checked = std::move(fetching.checked);
    move->done = std::move(fetching.done);
    translate(move);
}

void Chip::read_pieces(const std::shared_ptr<Move>& move) {
    if (move->pieces.empty()) {
        move->checked(Verdict::taken);
        return move->done(Verdict::taken);
    }
    const Address start = move->pieces.front().address;
    for (std::size_t i = 0; i < move->pieces.size(); ++i) {
        const Piece& piece = move->pieces[i];
        path.read(
            piece.place.home, Bytes(block_size), move->first && i == 0, [this, move, i, start] {
                const Piece& read = move->pieces[i];
                if (!still_there(move->context, read))
                    move->verdict = Verdict::later;
                else if (read.place.bytes)
                    std::memcpy(move->into + (read.address - start), read.place.bytes, read.size);
                if (++move->moved == move->pieces.size()) move->done(move->verdict);
            });
    }
    move->checked(Verdict::taken);
}

void Chip::deliver(Context& context, Address address, std::span<const std::byte> from,
                   std::shared_ptr<Writing> writing) {
    auto move = std::make_shared<Move>(Move{context, Access::write, cut(address, from.size())});
    move->from = from.data();
    move->checked = writing->checked;
    move->writing = std::move(writing);
    translate(move);
}

void Chip::write_pieces(const std::shared_ptr<Move>& move) {
    move->checked(Verdict::taken);
    if (move->pieces.empty()) {
        if (move->writing->issued) move->writing->issued();
        return move->writing->done();
    }
    const Address start = move->pieces.front().address;
    for (std::size_t i = 0; i < move->pieces.size(); ++i) {
        const bool last = i + 1 == move->pieces.size();
        path.write(move->pieces[i].place.home, Bytes(block_size),
                   last ? std::move(move->writing->issued) : sim::Action(), [this, move, i, start] {
                       const Piece& written = move->pieces[i];
                       if (written.place.bytes && still_there(move->context, written))
                           std::memcpy(written.place.bytes, move->from + (written.address - start),
                                       written.size);
                       if (++move->moved == move->pieces.size()) move->writing->done();
                   });
    }
}

void Chip::touch(Context& context, Address address, std::function<void(std::byte*)> ready) {
    if (const auto place = mmu.look(context.id, address)) {
        if (place->home != Home::sdram) return ready(nullptr);
        cache.access(place->physical,
                     [bytes = place->bytes, ready = std::move(ready)] { ready(bytes); });
        return;
    }
    const bool faulted = mmu.take_fault(context.id, address).has_value();
    if (faulted && fault(context, address) == Verdict::bad_address) return ready(nullptr);
    auto again = std::make_shared<std::function<void()>>(
        [this, &context, address, ready = std::move(ready)] { touch(context, address, ready); });
    if (faulted)
        engine.schedule(engine.now() + parameters.host.trap, [again] { (*again)(); });
    else
        mmu.walk(context.id, context.space, address, Access::write, [again] { (*again)(); });
}

}  // namespace railyard::elan
