#pragma once
/// The parcels of one source that have not been settled, by their serials: those from the oldest to
/// the newest lie in a ring.

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "interconnects/quadrics/elan/parcel.hpp"

namespace railyard::elan {

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

}  // namespace railyard::elan
