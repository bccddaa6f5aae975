#pragma once
/// The physical pages of one node: those of the adapter's SDRAM, 28-bit addresses, and those of
/// main memory as PCI sees it, 48-bit addresses. Bytes exist from the first use on.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "interconnects/quadrics/elan/memory_path.hpp"
#include "interconnects/quadrics/elan/parameters.hpp"

namespace railyard::elan {

struct Frame {
    Home home = Home::main;
    std::uint64_t physical = 0;
    std::byte* bytes = nullptr;  ///< null: memory of which only the timing counts
    bool exists() const { return physical != 0; }
    friend bool operator==(const Frame&, const Frame&) = default;
};

class Frames {
  public:
    explicit Frames(Bytes sdram_size) : sdram_pages_(sdram_size.count() / page_size) {}

    /// Throws Error where the SDRAM is full.
    Frame take(Home home);
    /// Memory that somebody else owns, a page or less of it. Of an adapter's, nobody else can own
    /// the content.
    Frame foreign(Home home, std::byte* bytes) { return {home, next_main(), bytes}; }
    void give_back(const Frame& frame);

  private:
    using Content = std::array<std::byte, page_size>;
    static constexpr std::uint64_t main_base = std::uint64_t{1} << 32;

    std::uint64_t next_main() { return main_base + page_size * mains_++; }

    const std::uint64_t sdram_pages_;
    std::uint64_t sdrams_ = 0;
    std::uint64_t mains_ = 0;
    std::vector<std::unique_ptr<Content>> contents_;
    std::array<std::vector<Frame>, 2> free_;  ///< by home
};

}  // namespace railyard::elan
