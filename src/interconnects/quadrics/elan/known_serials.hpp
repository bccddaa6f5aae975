#pragma once
/// What a destination remembers of one source: the serials of the parcels that it has taken or is
/// looking at, from the oldest that may come again (FA-8).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace railyard::elan {

class KnownSerials {
  public:
    struct Entry {
        std::uint64_t serial = 0;
        bool taken = false;  ///< else it is being looked at
    };

    /// Those below will not come again.
    void forget_below(std::uint64_t serial) {
        while (first_ < entries_.size() && entries_[first_].serial < serial)
            ++first_;
        if (first_ < entries_.size() && first_ < few) return;
        entries_.erase(entries_.begin(), begin());
        first_ = 0;
    }
    /// Null if it is not known.
    Entry* find(std::uint64_t serial) {
        const auto found = place(serial);
        return found != entries_.end() && found->serial == serial ? &*found : nullptr;
    }
    void add(std::uint64_t serial) { entries_.insert(place(serial), {serial, false}); }
    void take(std::uint64_t serial) {
        if (!find(serial)) add(serial);
        find(serial)->taken = true;
    }
    void remove(std::uint64_t serial) {
        const auto found = place(serial);
        if (found != entries_.end() && found->serial == serial) entries_.erase(found);
    }

  private:
    using Iterator = std::vector<Entry>::iterator;
    static constexpr std::size_t few = 16;

    Iterator begin() { return entries_.begin() + static_cast<std::ptrdiff_t>(first_); }
    /// Most come in order.
    Iterator place(std::uint64_t serial) {
        if (entries_.empty() || entries_.back().serial < serial) return entries_.end();
        return std::lower_bound(
            begin(), entries_.end(), serial,
            [](const Entry& entry, std::uint64_t wanted) { return entry.serial < wanted; });
    }

    std::vector<Entry> entries_;  ///< sorted
    std::size_t first_ = 0;       ///< those before it have been forgotten
};

}  // namespace railyard::elan
