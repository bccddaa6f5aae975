#pragma once
/// A route: the tags that the source puts before a packet, one a switch. Each switch takes the
/// first off and acts on it.

#include <array>
#include <cstdint>

#include "interconnects/quadrics/elite/fat_tree.hpp"

namespace railyard::elite {

/// One flit: an output link, a group of links of which the switch takes any that is free, or a
/// range of links down which a broadcast is copied.
class Tag {
  public:
    constexpr Tag() = default;
    static constexpr Tag link(unsigned port) { return Tag(link_kind | 1U << port); }
    /// A bit a port.
    static constexpr Tag group(unsigned ports_mask) {
        return Tag(group_kind | (ports_mask & 0xff));
    }
    /// Down, to all from the first to the last. Of a broadcast's way down, the tags hold the digits
    /// of the first and the last node: only where a copy is on that edge of the range does its
    /// switch heed that digit, so a range is all that tags can name.
    static constexpr Tag range(unsigned first, unsigned last) {
        return Tag(range_kind | first | last << 2);
    }

    constexpr bool is_range() const { return (bits_ & kinds) == range_kind; }
    /// Ports that it names. For a range, as seen by a copy on the left edge, the right one, or
    /// both.
    constexpr unsigned mask(bool left = true, bool right = true) const {
        if (!is_range()) return bits_ & 0xff;
        const unsigned first = left ? this->first() : 0;
        const unsigned last = right ? this->last() : ports_down - 1;
        return (2U << last) - (1U << first);
    }
    constexpr unsigned first() const { return bits_ & 3; }
    constexpr unsigned last() const { return bits_ >> 2 & 3; }
    constexpr std::uint16_t bits() const { return bits_; }
    friend constexpr bool operator==(Tag, Tag) = default;

  private:
    explicit constexpr Tag(unsigned bits) : bits_(static_cast<std::uint16_t>(bits)) {}
    static constexpr unsigned kinds = 3U << 14;
    static constexpr unsigned link_kind = 1U << 14;
    static constexpr unsigned group_kind = 2U << 14;
    static constexpr unsigned range_kind = 3U << 14;
    std::uint16_t bits_ = 0;
};

class Route {
  public:
    static constexpr unsigned capacity = 20;

    unsigned size() const { return size_; }
    Tag operator[](unsigned i) const { return tags_[i]; }
    /// False when it is full.
    bool add(Tag tag) {
        if (size_ == capacity) return false;
        tags_[size_++] = tag;
        return true;
    }
    bool is_broadcast() const { return size_ > 0 && tags_[size_ - 1U].is_range(); }
    friend bool operator==(const Route&, const Route&) = default;

  private:
    std::array<Tag, capacity> tags_{};
    std::uint16_t size_ = 0;
};

}  // namespace railyard::elite
