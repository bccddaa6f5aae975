#include "interconnects/quadrics/elan/address_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::elan {

Frame Frames::take(Home home) {
    std::vector<Frame>& free = free_[static_cast<std::size_t>(home)];
    if (!free.empty()) {
        const Frame frame = free.back();
        free.pop_back();
        return frame;
    }
    if (home == Home::sdram && sdrams_ == sdram_pages_)
        throw Error(
            fmt::format("the adapter's memory of {} pages is full; place large buffers in "
                        "main memory",
                        sdram_pages_));
    contents_.push_back(std::make_unique<Content>());
    std::byte* const bytes = contents_.back()->data();
    return {home, home == Home::sdram ? page_size * sdrams_++ : next_main(), bytes};
}

void Frames::give_back(const Frame& frame) {
    free_[static_cast<std::size_t>(frame.home)].push_back(frame);
}

namespace {

std::uint32_t whole_pages(std::uint32_t size) {
    return size / page_size + (size % page_size == 0 ? 0 : 1);
}

[[noreturn]] void say_full() {
    throw Error(
        "an address space of 32 bits is full; release or unmap memory that is not needed any more");
}

/// A multiple of a block, and no less than one.
std::uint32_t whole_blocks(std::uint32_t size) {
    if (size > ~Address{0} - block_size) say_full();
    return std::max(block_size, (size + block_size - 1) / block_size * block_size);
}

}  // namespace

AddressSpace::~AddressSpace() {
    for (const auto& leaf : table_)
        if (leaf)
            for (const Page& page : *leaf)
                if (page.owned) frames_.give_back(page.frame);
}

Page& AddressSpace::page(Address address) {
    const std::size_t index = (address >> leaf_shift) - first_leaf;
    if (index >= table_.size()) table_.resize(index + 1);
    auto& leaf = table_[index];
    if (!leaf) leaf = std::make_unique<Leaf>();
    return (*leaf)[place_in_leaf(address)];
}

const Page* AddressSpace::find(Address address) const {
    const std::size_t index = std::size_t{address >> leaf_shift} - first_leaf;  // below: very large
    if (index >= table_.size() || !table_[index]) return nullptr;
    return &(*table_[index])[place_in_leaf(address)];
}

std::optional<Home> AddressSpace::home_of(Address address) const {
    const Page* const found = find(address);
    if (!found || found->state == Page::State::absent) return {};
    return found->frame.home;
}

/// The first place that is large enough.
Address AddressSpace::take_pages(std::uint64_t pages) {
    for (auto place = free_pages_.begin(); place != free_pages_.end(); ++place) {
        const auto [first, count] = *place;
        if (count < pages) continue;
        const auto taken = static_cast<std::uint32_t>(pages);
        free_pages_.erase(place);
        if (count > taken) free_pages_.emplace(first + taken * page_size, count - taken);
        return first;
    }
    if (pages > (~Address{0} - next_page_) / page_size) say_full();
    const Address first = next_page_;
    next_page_ += static_cast<std::uint32_t>(pages) * page_size;
    return first;
}

/// Neighbours become one place.
void AddressSpace::give_back_pages(Address first, std::uint32_t pages) {
    auto place = free_pages_.emplace(first, pages).first;
    if (const auto behind = std::next(place);
        behind != free_pages_.end() && first + pages * page_size == behind->first) {
        place->second += behind->second;
        free_pages_.erase(behind);
    }
    if (place == free_pages_.begin()) return;
    const auto before = std::prev(place);
    if (before->first + before->second * page_size != first) return;
    before->second += place->second;
    free_pages_.erase(place);
}

Address AddressSpace::allocate(Home home, std::uint32_t size) {
    size = whole_blocks(size);
    Arena& arena = arenas_[static_cast<std::size_t>(home)];
    if (auto& free = arena.free[size]; !free.empty()) {
        const Address address = free.back();
        free.pop_back();
        return address;
    }
    if (arena.end - arena.next < size) {
        const std::uint32_t pages = whole_pages(size);
        arena.next = take_pages(pages);
        arena.end = arena.next + pages * page_size;
        for (std::uint32_t i = 0; i < pages; ++i)
            page(arena.next + i * page_size) = {
                Page::State::on_demand, false, false, page_size, {home, 0, nullptr}};
        expose({arena.next, arena.end - 1, true, true, {}});
    }
    const Address address = arena.next;
    arena.next += size;
    return address;
}

void AddressSpace::release(Address address, std::uint32_t size) {
    size = whole_blocks(size);
    if (const auto home = home_of(address))
        arenas_[static_cast<std::size_t>(*home)].free[size].push_back(address);
}

HostAddress AddressSpace::allocate_plain(std::uint32_t size) {
    const HostAddress address = next_plain_;
    next_plain_ += std::uint64_t{whole_pages(size)} * page_size;
    return address;
}

Address AddressSpace::map(std::byte* memory, std::uint64_t size) {
    return map_pages(Page::State::bound, Home::main, memory, size);
}

Address AddressSpace::reserve(Home home, std::uint64_t size) {
    return map_pages(Page::State::on_demand, home, nullptr, size);
}

Address AddressSpace::map_pages(Page::State state, Home home, std::byte* memory,
                                std::uint64_t size) {
    if (size == 0)
        throw UsageError("a mapping of no bytes has no place; map only memory that there is");
    if (size > ~Address{0}) say_full();
    const std::uint32_t pages = whole_pages(static_cast<std::uint32_t>(size));
    const Address first = take_pages(pages);
    for (std::uint32_t i = 0; i < pages; ++i) {
        const std::uint64_t done = std::uint64_t{i} * page_size;
        page(first + i * page_size) = {
            state, false, true,
            static_cast<std::uint32_t>(std::min<std::uint64_t>(page_size, size - done)),
            frames_.foreign(home, memory ? memory + done : nullptr)};
    }
    expose({first, first + pages * page_size - 1, true, true, {}});
    return first;
}

void AddressSpace::unmap(Address address, std::uint32_t size) {
    const Address begin = address / page_size * page_size;
    const std::uint32_t pages = whole_pages(size);
    std::uint32_t run = 0;  // of pages that map() gave, up to this one
    for (std::uint32_t i = 0; i < pages; ++i) {
        const Address at = begin + i * page_size;
        Page* const gone = find_page(at);
        if (gone && gone->mapped) {
            ++run;
        } else if (run > 0) {
            give_back_pages(at - run * page_size, run);
            run = 0;
        }
        if (!gone) continue;
        if (gone->owned) frames_.give_back(gone->frame);
        *gone = {};
        if (on_change) on_change(at / page_size);
    }
    if (run > 0) give_back_pages(begin + (pages - run) * page_size, run);
}

void AddressSpace::expose(const Segment& segment) {
    forget_segments(segment.first, segment.last);
    segments_.insert_or_assign(segment.first, segment);
}

void AddressSpace::forget_segments(Address first, Address last) {
    auto each = segments_.upper_bound(first);
    if (each != segments_.begin() && std::prev(each)->second.last >= first) --each;
    while (each != segments_.end() && each->second.first <= last) {
        Segment rest = each->second;
        if (rest.first < first) {
            each->second.last = first - 1;
            ++each;
        } else {
            each = segments_.erase(each);
        }
        if (rest.last <= last) continue;
        rest.first = last + 1;
        segments_.emplace(rest.first, std::move(rest));
        return;
    }
}

bool AddressSpace::allows(Vpid who, Address address, std::uint32_t size, Access access) const {
    const Address last = address + (size == 0 ? 0 : size - 1);
    auto each = segments_.upper_bound(address);
    if (last < address || each == segments_.begin()) return false;
    for (--each; each != segments_.end() && each->second.first <= address; ++each) {
        const Segment& segment = each->second;
        const bool right = access == Access::read ? segment.readable : segment.writable;
        if (segment.last < address || !right) return false;
        if (segment.partners && !segment.partners->contains(who)) return false;
        if (last <= segment.last) return true;
        address = segment.last + 1;
    }
    return false;
}

bool AddressSpace::bind(Address address) {
    Page* const wanted = find_page(address);
    if (!wanted || wanted->state == Page::State::absent) return false;
    if (wanted->state == Page::State::bound) return true;
    if (!wanted->frame.exists()) {
        wanted->frame = frames_.take(wanted->frame.home);
        wanted->owned = true;
    }
    wanted->state = Page::State::bound;
    if (on_change) on_change(address >> 12);
    return true;
}

std::byte* AddressSpace::lent(Address address, std::size_t size) const {
    auto found = lent_.upper_bound(address);
    if (found == lent_.begin()) return nullptr;
    --found;
    const std::size_t offset = address - found->first;
    return offset + size <= found->second.size() ? found->second.data() + offset : nullptr;
}

template <class Do>
bool AddressSpace::for_each_piece(Address address, std::size_t size, Do what) {
    for (std::size_t done = 0; done < size;) {
        const auto at = static_cast<Address>(address + done);
        if (!bind(at)) return false;
        const Page& here = *find(at);
        const std::uint32_t offset = at % page_size;
        const std::size_t n = std::min(size - done, std::size_t{page_size - offset});
        if (offset + n > here.length) return false;
        std::byte* const bytes = here.frame.bytes ? here.frame.bytes + offset : lent(at, n);
        if (bytes) what(bytes, done, n);
        done += n;
    }
    return true;
}

bool AddressSpace::store(Address address, std::span<const std::byte> data) {
    return for_each_piece(address, data.size(),
                          [&](std::byte* to, std::size_t from, std::size_t n) {
                              std::memcpy(to, data.data() + from, n);
                          });
}

bool AddressSpace::load(Address address, std::span<std::byte> data) {
    return for_each_piece(address, data.size(),
                          [&](std::byte* from, std::size_t to, std::size_t n) {
                              std::memcpy(data.data() + to, from, n);
                          });
}

std::optional<Address> AddressSpace::to_elan(HostAddress address) const {
    if (address < host_offset_ || address - host_offset_ > ~Address{0}) return {};
    const auto elan = static_cast<Address>(address - host_offset_);
    if (elan < heap_base) return {};
    return elan;
}

}  // namespace railyard::elan
