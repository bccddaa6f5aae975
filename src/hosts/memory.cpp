#include "hosts/memory.hpp"

#include <algorithm>
#include <bit>

namespace railyard::hosts {

namespace {

std::uintptr_t address(const std::byte* buffer) {
    return reinterpret_cast<std::uintptr_t>(buffer);
}

/// Where to look first for the buffer of such an address.
std::size_t guess(std::uintptr_t at, std::size_t guesses) {
    return (at >> 6 ^ at >> 12) % guesses;
}

}  // namespace

Memory::Memory(const Parameters& parameters)
    : parameters_(parameters),
      line_time_(parameters.rate == Rate{} ? Duration{} : line_size / parameters.rate),
      capacity_(parameters.cache / line_size) {}

template <class Each>
void Memory::for_pages(const Buffer& buffer, std::uintptr_t at, std::uintptr_t end, Each each) {
    while (at < end) {
        const std::uint64_t offset = at - buffer.begin;
        const std::uint64_t in_page = offset % page_size.count();
        const std::uint64_t length = std::min<std::uint64_t>(end - at, page_size.count() - in_page);
        const std::uint64_t first = in_page / line_size.count();
        const std::uint64_t last = (in_page + length - 1) / line_size.count();
        each(buffer.pages[offset / page_size.count()], (~std::uint64_t{0} >> (63 - (last - first)))
                                                           << first);
        at += length;
    }
}

/// The buffer of a byte that is about to be used, up to `end` at most: one of before, or what is
/// new of this one.
Memory::Buffer& Memory::buffer_at(std::uintptr_t at, std::uintptr_t end) {
    Buffer*& lately = lately_[guess(at, lately_.size())];
    if (lately != nullptr && lately->begin <= at && at < lately->end) return *lately;
    auto found = buffers_.upper_bound(at);
    if (found == buffers_.end() || at < found->second.begin) {
        if (found != buffers_.end()) end = std::min(end, found->second.begin);
        const std::uint64_t pages = (end - at + page_size.count() - 1) / page_size.count();
        found = buffers_.emplace_hint(found, end, Buffer{at, end, std::make_unique<Page[]>(pages)});
    }
    lately = &found->second;
    return *lately;
}

Memory::Missing Memory::use(const std::byte* buffer, std::uint64_t n) {
    Missing missing;
    std::uintptr_t at = address(buffer);
    const std::uintptr_t end = at + n;
    while (at < end) {
        const Buffer& one = buffer_at(at, end);
        const std::uintptr_t until = std::min(end, one.end);
        for_pages(one, at, until, [&](Page& page, std::uint64_t lines) {
            if (translate(page)) ++missing.translations;
            const std::int64_t fetched = fetch(page, lines);
            if (fetched > 0) ++missing.pages;
            missing.lines += fetched;
        });
        at = until;
    }
    return missing;
}

/// The processor waits for the first line of a page, and the next ones are fetched meanwhile.
Duration Memory::read(const std::byte* buffer, std::uint64_t n) {
    const Missing missing = use(buffer, n);
    return parameters_.walk * missing.translations + parameters_.miss * missing.pages +
           line_time_ * (missing.lines - missing.pages);
}

Duration Memory::write(const std::byte* buffer, std::uint64_t n) {
    const Missing missing = use(buffer, n);
    const std::int64_t waited =
        std::max(missing.lines - std::int64_t{parameters_.fills}, std::int64_t{0});
    return parameters_.walk * missing.translations + line_time_ * (2 * waited);
}

/// How many of these lines of a page were not in the cache.
std::int64_t Memory::fetch(Page& page, std::uint64_t lines) {
    if (capacity_ == 0) return 0;
    const std::uint64_t missing = lines & ~page.lines;
    put_first(page, in_cache, page.lines != 0);
    if (missing == 0) return 0;
    page.lines |= missing;
    const int count = std::popcount(missing);
    held_ += static_cast<std::uint64_t>(count);
    make_room(page);
    return count;
}

/// Whether the TLB did not know the page.
bool Memory::translate(Page& page) {
    if (parameters_.entries == 0) return false;
    put_first(page, in_tlb, page.known);
    if (page.known) return false;
    page.known = true;
    if (++known_ > parameters_.entries) {
        Page& oldest = *ages_[in_tlb].oldest;
        take_out(oldest, in_tlb);
        oldest.known = false;
        --known_;
    }
    return true;
}

/// Lines of a page leave together.
void Memory::make_room(const Page& used) {
    while (held_ > capacity_ && ages_[in_cache].oldest != &used) {
        Page& oldest = *ages_[in_cache].oldest;
        drop(oldest, oldest.lines);
    }
}

void Memory::overwritten(const std::byte* buffer, std::uint64_t n) {
    const std::uintptr_t begin = address(buffer);
    const std::uintptr_t end = begin + n;
    for (auto found = buffers_.upper_bound(begin);
         found != buffers_.end() && found->second.begin < end; ++found) {
        const Buffer& one = found->second;
        for_pages(one, std::max(begin, one.begin), std::min(end, one.end),
                  [&](Page& page, std::uint64_t lines) { drop(page, page.lines & lines); });
    }
}

/// Such lines are in the cache no more.
void Memory::drop(Page& page, std::uint64_t lines) {
    if (lines == 0) return;
    held_ -= static_cast<std::uint64_t>(std::popcount(lines));
    page.lines &= ~lines;
    if (page.lines == 0) take_out(page, in_cache);
}

void Memory::put_first(Page& page, Order order, bool is_in) {
    Ages& ages = ages_[order];
    if (ages.newest == &page) return;
    if (is_in) take_out(page, order);
    page.places[order] = {nullptr, ages.newest};
    (ages.newest != nullptr ? ages.newest->places[order].newer : ages.oldest) = &page;
    ages.newest = &page;
}

void Memory::take_out(Page& page, Order order) {
    Ages& ages = ages_[order];
    auto& place = page.places[order];
    (place.newer != nullptr ? place.newer->places[order].older : ages.newest) = place.older;
    (place.older != nullptr ? place.older->places[order].newer : ages.oldest) = place.newer;
    place = {nullptr, nullptr};
}

}  // namespace railyard::hosts
