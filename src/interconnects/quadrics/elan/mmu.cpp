#include "interconnects/quadrics/elan/mmu.hpp"

#include <algorithm>
#include <utility>

namespace railyard::elan {

void Cache::access(std::uint64_t physical, sim::Action ready) {
    const std::uint64_t number = physical / line;
    ++accesses_;
    if (lines_.empty()) lines_.resize(lines_of_set);
    for (Line& candidate : lines_[number % lines_of_set]) {
        if (candidate.number != number) continue;
        candidate.used = accesses_;
        ++hits_;
        engine_.schedule(engine_.now() + hit_time, std::move(ready));
        return;
    }
    auto& waiting = filling_[number];
    waiting.push_back(std::move(ready));
    if (waiting.size() > 1) return;
    ++fills_;
    path_.fill(fill_time_, [this, number] { filled(number); });
}

void Cache::filled(std::uint64_t number) {
    auto& candidates = lines_[number % lines_of_set];
    const auto older = [](const Line& a, const Line& b) { return a.used < b.used; };
    *std::min_element(candidates.begin(), candidates.end(), older) = {number, accesses_};
    auto waiting = filling_.extract(number);
    for (sim::Action& ready : waiting.mapped())
        engine_.schedule(engine_.now() + hit_time, std::move(ready));
}

namespace {

// Where a context's tables lie in the SDRAM, above all that is allocated: a root of one page, and
// behind it a page for each of its 1,024 parts.
constexpr std::uint64_t tables = 0x0C00'0000;
constexpr std::uint64_t tables_of_context = 0x0040'0000;

std::uint64_t root_word(ContextId context, Address address) {
    return tables + context % 8 * tables_of_context + (address >> 22) * 4;
}
std::uint64_t leaf_word(ContextId context, Address address) {
    return tables + context % 8 * tables_of_context + page_size + (address >> 12) * 4 % 0x003f'0000;
}

}  // namespace

std::optional<Mmu::Translation> Mmu::look(ContextId context, Address address) {
    const std::uint32_t page = address / page_size;
    const auto is_it = [&](const Entry& entry) {
        return entry.page == page && entry.context == context;
    };
    if (last_ >= buffer_.size() || !is_it(buffer_[last_])) {
        const auto place = std::find_if(buffer_.begin(), buffer_.end(), is_it);
        if (place == buffer_.end()) return {};
        last_ = static_cast<std::size_t>(place - buffer_.begin());
    }
    Entry* const found = &buffer_[last_];
    ++hits_;
    found->used = ++uses_;
    const std::uint32_t offset = address % page_size;
    return Translation{found->frame.home, found->frame.physical + offset,
                       found->frame.bytes ? found->frame.bytes + offset : nullptr,
                       found->length > offset ? found->length - offset : 0};
}

void Mmu::walk(ContextId context, const AddressSpace& space, Address address, Access access,
               sim::Action then) {
    ++walks_;
    if (free_.empty()) {
        made_.push_back(std::make_unique<Walk>());
        free_.push_back(made_.back().get());
    }
    Walk* const walk = free_.back();
    free_.pop_back();
    *walk = {context, &space, address, access, std::move(then)};
    cache_.access(root_word(context, address), [this, walk] {
        cache_.access(leaf_word(walk->context, walk->address), [this, walk] {
            fill(*walk);
            sim::Action next = std::move(walk->then);
            free_.push_back(walk);
            next();
        });
    });
}

void Mmu::fill(const Walk& walk) {
    const Page* const page = walk.space->find(walk.address);
    if (!page || page->state != Page::State::bound) {
        traps_.push_back({walk.context, walk.address, walk.access});
        return;
    }
    const std::uint32_t number = walk.address / page_size;
    forget(walk.context, number);  // two units may have walked for it at once
    if (buffer_.size() == entries_)
        buffer_.erase(
            std::min_element(buffer_.begin(), buffer_.end(),
                             [](const Entry& a, const Entry& b) { return a.used < b.used; }));
    buffer_.push_back({walk.context, number, ++uses_, page->frame, page->length});
}

std::optional<Trap> Mmu::take_fault(ContextId context, Address address) {
    const auto found = std::find_if(traps_.begin(), traps_.end(), [&](const Trap& trap) {
        return trap.context == context && trap.address == address;
    });
    if (found == traps_.end()) return {};
    const Trap trap = *found;
    traps_.erase(found);
    return trap;
}

void Mmu::forget(ContextId context, std::uint32_t page) {
    std::erase_if(buffer_, [&](const Entry& entry) {
        return entry.context == context && entry.page == page;
    });
}

}  // namespace railyard::elan
