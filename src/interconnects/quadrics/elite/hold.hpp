#pragma once
/// Who holds one virtual channel of a link, or from when on it is free: one word, so that the links
/// a group may choose from lie in one cache line.

#include <cstdint>

#include "railyard/base/time.hpp"

namespace railyard::elite {

class Hold {
  public:
    bool held() const { return word_ >> 63 != 0; }
    /// If it is held.
    std::uint32_t circuit() const { return static_cast<std::uint32_t>(word_ >> 32) & 0x7fff'ffff; }
    std::uint32_t leg() const { return static_cast<std::uint32_t>(word_); }
    /// If it is not.
    Time free_at() const { return Time::at(Duration::ps(static_cast<std::int64_t>(word_))); }

    void take(std::uint32_t circuit, std::uint32_t leg) {
        word_ = std::uint64_t{1} << 63 | std::uint64_t{circuit} << 32 | leg;
    }
    void free(Time from) { word_ = static_cast<std::uint64_t>(from.since_start().picoseconds()); }

  private:
    std::uint64_t word_ = 0;
};

}  // namespace railyard::elite
