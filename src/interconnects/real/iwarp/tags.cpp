#include "interconnects/real/iwarp/tags.hpp"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::iwarp {

namespace {

/// Random bits of the kernel's, fetched many at a time.
class KernelRandom {
  public:
    std::uint32_t operator()() {
        if (next_ == words_.size()) refill();
        return std::exchange(words_[next_++], 0);
    }

  private:
    void refill() {
        while (getrandom(words_.data(), sizeof words_, 0) != sizeof words_)
            if (errno != EINTR) throw system_error("iwarp: random numbers for steering tags");
        next_ = 0;
    }
    std::array<std::uint32_t, 64> words_{};  // 256 bytes: the kernel gives so many at once or none
    std::size_t next_ = words_.size();
};

bool in_reach(const Registration& region, Asker asker) {
    return region.domain == asker.domain &&
           (region.stream == StreamId::any || region.stream == asker.stream);
}

bool wraps(std::uint64_t to, std::uint64_t length) {
    return to + length < to && to + length != 0;
}

bool in_bounds(const Registration& region, std::uint64_t to, std::uint64_t length) {
    const std::uint64_t size = region.memory.size();
    if (to < region.base) return false;
    const std::uint64_t offset = to - region.base;
    return offset <= size && length <= size - offset;
}

}  // namespace

TagTable::TagTable(std::function<std::uint32_t()> random) : random_(std::move(random)), slots_(64) {
    if (!random_) random_ = KernelRandom{};
}

std::size_t TagTable::position(std::uint32_t stag) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = stag & mask;
    while (slots_[at].stag != stag && slots_[at].stag != 0)
        at = (at + 1) & mask;
    return at;
}

const TagTable::Entry* TagTable::find(std::uint32_t stag) const {
    if (stag == 0) return nullptr;
    const Slot& slot = slots_[position(stag)];
    return slot.stag == 0 ? nullptr : &entries_[slot.entry];
}

void TagTable::grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old)
        if (slot.stag != 0) slots_[position(slot.stag)] = slot;
}

std::uint32_t TagTable::add(const Registration& registration) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    std::uint32_t stag = 0;
    std::size_t at = 0;
    do {  // 0 is nobody's, and a tag in use is somebody's
        stag = random_();
        at = position(stag);
    } while (stag == 0 || slots_[at].stag != 0);
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(entries_.size()));
        entries_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    entries_[index].registration = registration;
    slots_[at] = {stag, index};
    ++used_;
    return stag;
}

void TagTable::remove(std::uint32_t stag) {
    if (find(stag) == nullptr) return;
    std::size_t hole = position(stag);
    Entry& entry = entries_[slots_[hole].entry];
    ++entry.generation;
    entry.registration = {};
    free_.push_back(slots_[hole].entry);
    --used_;
    // Close the gap, so that those who were pushed past it are still found.
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t at = (hole + 1) & mask; slots_[at].stag != 0; at = (at + 1) & mask) {
        const std::size_t home = slots_[at].stag & mask;
        if (((at - home) & mask) < ((at - hole) & mask)) continue;  // at home after the hole
        slots_[hole] = slots_[at];
        hole = at;
    }
    slots_[hole] = {};
}

TagTable::Access TagTable::check(std::uint32_t stag, Asker asker, std::uint64_t to,
                                 std::uint64_t length, fabric::Access wanted) const {
    const Entry* entry = find(stag);
    if (entry == nullptr) return {TagFault::invalid};
    const Registration& region = entry->registration;
    if (!in_reach(region, asker)) return {TagFault::not_of_stream};
    if (wraps(to, length)) return {TagFault::wraps};
    if (!in_bounds(region, to, length)) return {TagFault::out_of_bounds};
    if (!fabric::allows(region.access, wanted)) return {TagFault::no_right};
    return {TagFault::none, region.memory.data() + (to - region.base), Lease(entry->generation)};
}

TagTable::Access TagTable::check_request(std::uint32_t stag, Asker asker, std::uint64_t to,
                                         std::uint64_t length, fabric::Access wanted) const {
    const Access access = check(stag, asker, to, length, wanted);
    const bool later = access.fault == TagFault::wraps || access.fault == TagFault::out_of_bounds;
    if (later && !fabric::allows(find(stag)->registration.access, wanted))
        return {TagFault::no_right};
    return access;
}

TagFault TagTable::check_invalidate(std::uint32_t stag, Asker asker) const {
    const Entry* entry = find(stag);
    if (entry == nullptr) return TagFault::invalid;
    const Registration& region = entry->registration;
    const bool may =
        region.invalidation == Invalidation::by_its_domain ||
        (region.invalidation == Invalidation::by_its_stream && region.stream != StreamId::any);
    return may && in_reach(region, asker) ? TagFault::none : TagFault::not_of_stream;
}

void* TagTable::invalidate(std::uint32_t stag) {
    const Entry* entry = find(stag);
    void* owner = entry == nullptr ? nullptr : entry->registration.owner;
    remove(stag);
    return owner;
}

Lease TagTable::lease(std::uint32_t stag) const {
    const Entry* entry = find(stag);
    return entry == nullptr ? Lease::broken() : Lease(entry->generation);
}

}  // namespace railyard::iwarp
