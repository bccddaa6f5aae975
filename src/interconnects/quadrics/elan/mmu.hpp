#pragma once
/// The adapter's memory management unit: a translation buffer of 16 entries, fully associative, the
/// least recently used of which gives way, and a state machine that walks the tables of the context
/// where an address is not in it. A fault saves trap information (EL-2).

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "interconnects/quadrics/elan/address_space.hpp"
#include "interconnects/quadrics/elan/memory_path.hpp"

namespace railyard::elan {

/// The adapter's memory cache: 8 KB in four sets of 2 KB with lines of 32 bytes, before the SDRAM.
/// A line that is being filled holds nobody up but those who wait for it (EL-4).
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

    static constexpr Duration hit_time = cycle;
    sim::Engine& engine_;
    MemoryPath& path_;
    Duration fill_time_;
    std::vector<std::array<Line, sets>> lines_;                  ///< none before the first fill
    std::map<std::uint64_t, std::vector<sim::Action>> filling_;  ///< those who wait, by line
    std::uint64_t accesses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t fills_ = 0;
};

using ContextId = std::uint32_t;  ///< of one adapter: selects the tables (CX-1)

/// What the handler of a fault finds.
struct Trap {
    ContextId context = 0;
    Address address = 0;
    Access access = Access::read;
};

class Mmu {
  public:
    /// A translated address: where its bytes are, up to the end of the page.
    struct Translation {
        Home home = Home::main;
        std::uint64_t physical = 0;
        std::byte* bytes = nullptr;
        std::uint32_t length = 0;
    };

    Mmu(Cache& cache, unsigned entries) : cache_(cache), entries_(entries) {}

    /// What the buffer knows; takes no time.
    std::optional<Translation> look(ContextId context, Address address);
    /// Reads the tables, two words in SDRAM. `then` runs when look() will know, or take_fault()
    /// does.
    void walk(ContextId context, const AddressSpace& space, Address address, Access access,
              sim::Action then);
    /// The last walk of that address found nothing there; asking forgets it.
    std::optional<Trap> take_fault(ContextId context, Address address);

    void forget(ContextId context, std::uint32_t page);
    void forget_all() { buffer_.clear(); }
    std::uint64_t hits() const { return hits_; }
    std::uint64_t walks() const { return walks_; }

  private:
    struct Entry {
        ContextId context = 0;
        std::uint32_t page = 0;
        std::uint64_t used = 0;
        Frame frame;
        std::uint32_t length = 0;
    };
    struct Walk {
        ContextId context = 0;
        const AddressSpace* space = nullptr;
        Address address = 0;
        Access access = Access::read;
        sim::Action then;
    };
    void fill(const Walk& walk);

    Cache& cache_;
    const unsigned entries_;
    std::vector<Entry> buffer_;
    std::size_t last_ = 0;  ///< found: most often it is the next, too
    std::vector<Trap> traps_;
    std::vector<std::unique_ptr<Walk>> made_;
    std::vector<Walk*> free_;
    std::uint64_t uses_ = 0;
    std::uint64_t hits_ = 0;
    std::uint64_t walks_ = 0;
};

}  // namespace railyard::elan
