#pragma once
/// How each parcel is taken once, however often it is sent: what its source and its destination
/// remember, by serial number.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "interconnects/quadrics/elan/parcel.hpp"

namespace railyard::elan {

/// The parcels of one source that have not been settled: those from the oldest to the newest lie in
/// a ring.
class ParcelWindow {
  public:
    std::uint64_t next_serial() { return next_++; }
    /// What next_serial() will give.
    std::uint64_t coming() const { return next_; }

    /// Under a serial that has been given, and that nobody has now.
    void add(std::uint64_t serial, const ParcelHandle& parcel) {
        if (serial < oldest_) {
            earlier_.emplace(serial, parcel);
            return;
        }
        while (next_ - oldest_ > ring_.size())
            grow();
        at(serial) = parcel;
    }
    /// Null if there is none.
    ParcelHandle find(std::uint64_t serial) const {
        if (serial >= oldest_) return serial < next_ ? at(serial) : nullptr;
        const auto found = earlier_.find(serial);
        return found == earlier_.end() ? nullptr : found->second;
    }
    void remove(std::uint64_t serial) {
        if (serial < oldest_) {
            earlier_.erase(serial);
            return;
        }
        at(serial) = nullptr;
        while (oldest_ < next_ && !at(oldest_))
            ++oldest_;
    }
    /// All below it have been settled.
    std::uint64_t oldest() const { return earlier_.empty() ? oldest_ : earlier_.begin()->first; }

  private:
    ParcelHandle& at(std::uint64_t serial) { return ring_[serial & (ring_.size() - 1)]; }
    const ParcelHandle& at(std::uint64_t serial) const {
        return ring_[serial & (ring_.size() - 1)];
    }
    void grow() {
        std::vector<ParcelHandle> larger(std::max<std::size_t>(8, ring_.size() * 2));
        for (std::uint64_t serial = oldest_; serial < next_ && serial - oldest_ < ring_.size();
             ++serial)
            std::swap(larger[serial & (larger.size() - 1)], at(serial));
        ring_ = std::move(larger);
    }

    std::vector<ParcelHandle> ring_;  ///< a power of two
    std::uint64_t oldest_ = 1;
    std::uint64_t next_ = 1;
    std::map<std::uint64_t, ParcelHandle>
        earlier_;  ///< sent under the serial of one that is settled
};

/// What a destination remembers of one source: the serials of the parcels that it has taken or is
/// looking at, from the oldest that may come again (FA-8).
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
