#pragma once
/// The adapter's memory cache: 8 KB in four sets of 2 KB with lines of 32 bytes, before the SDRAM.
/// A line that is being filled holds nobody up but those who wait for it (EL-4).

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "interconnects/quadrics/elan/memory_path.hpp"

namespace railyard::elan {

class Cache {
  public:
    static constexpr std::uint32_t line = 32;
    static constexpr unsigned sets = 4;  ///< a line may be in any of them
    static constexpr unsigned lines_of_set = 2048 / line;

    Cache(sim::Engine& engine, MemoryPath& path, const Parameters& parameters)
        : engine_(engine), path_(path), fill_time_(Bytes(line) / parameters.sdram) {}

    /// `ready` runs when the word at that SDRAM address can be used.
    void access(std::uint64_t physical, sim::Action ready);
    /// What is being filled is not in it yet.
    void forget_all() { lines_.assign(lines_.size(), {}); }
    std::uint64_t hits() const { return hits_; }
    std::uint64_t fills() const { return fills_; }

  private:
    struct Line {
        std::uint64_t number = ~std::uint64_t{0};  ///< at first that of none
        std::uint64_t used = 0;                    ///< when, in accesses: 0 is before all others
    };
    void filled(std::uint64_t number);

    static constexpr Duration hit_time = Duration::ns(10);  ///< a cycle of the chip's 100 MHz
    sim::Engine& engine_;
    MemoryPath& path_;
    Duration fill_time_;
    std::vector<std::array<Line, sets>> lines_;                  ///< none before the first fill
    std::map<std::uint64_t, std::vector<sim::Action>> filling_;  ///< those who wait, by line
    std::uint64_t accesses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t fills_ = 0;
};

}  // namespace railyard::elan
