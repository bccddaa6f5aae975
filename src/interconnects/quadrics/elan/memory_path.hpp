#pragma once
/// The ways between the adapter's units and the two memories: the PCI bus to main memory, the
/// SDRAM, and the internal data bus that all data cross. Requests are pipelined, and so many are
/// outstanding at a time (EL-1).
///
/// What happens to a block is decided by those before it, so nothing is an event but what somebody
/// waits for. Blocks that wait for their turn are planned ahead; a processor's access or a fill of
/// the cache, which wait for no turn, may put that off, and is found out when the time has come.

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "interconnects/quadrics/elan/parameters.hpp"
#include "railyard/base/time.hpp"
#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace railyard::elan {

/// What a slice of the trace says, and which DMA it is of, if any. The text must live as long as
/// the trace.
struct Label {
    Label() = default;
    Label(const char* its_text) : text(its_text) {}  // NOLINT: most are a word and nothing else
    Label(std::string_view its_text, std::uint64_t its_dma) : text(its_text), dma(its_dma) {}
    std::string_view text;
    std::uint64_t dma = 0;
};

/// What does one thing at a time: a bus, a memory, a processor. Who comes
/// while it is busy waits, in order; so it is known at once when it will be done with each.
class Resource {
  public:
    explicit Resource(sim::Engine& engine) : engine_(engine) {}
    Resource(const Resource&) = delete;
    Resource& operator=(const Resource&) = delete;

    /// `done` runs when it has been at it for that long; `what` stands in that lane of the trace.
    void use(Duration work, const Label& what, sim::Trace::Lane lane, sim::Action done) {
        engine_.schedule(book(engine_.now(), work, what, lane), std::move(done));
    }
    /// For one who comes then: when it will be done. Nobody who comes earlier may follow.
    Time book(Time from, Duration work) {
        free_at_ = std::max(from, free_at_) + work;
        ++uses_;
        busy_ += work;
        return free_at_;
    }
    /// Likewise, and so it stands in the trace.
    Time book(Time from, Duration work, const Label& what, sim::Trace::Lane lane) {
        const Time begin = std::max(from, free_at_);
        book(from, work);
        if (engine_.trace() && work > Duration())
            engine_.trace()->slice(lane, what.text, begin, free_at_, what.dma);
        return free_at_;
    }
    Time free_at() const { return free_at_; }
    /// Whoever comes from now on waits until then at least.
    void stall(Time until) { free_at_ = std::max(free_at_, until); }
    std::uint64_t uses() const { return uses_; }
    Duration busy() const { return busy_; }

  private:
    sim::Engine& engine_;
    Time free_at_;
    std::uint64_t uses_ = 0;
    Duration busy_;
};

enum class Home : std::uint8_t { sdram, main };

class MemoryPath {
  public:
    MemoryPath(sim::Engine& engine, const Parameters& parameters, std::uint32_t node);

    /// Blocks of one size, a request each, that follow each other.
    struct Blocks {
        Home home = Home::main;
        Bytes size;
        unsigned count = 1;
        Label what{};  ///< in the trace; without a text, a read or a write
    };
    /// `done` runs when the data are in the adapter. `first`: nothing was read just before it.
    void read(const Blocks& blocks, bool first, sim::Action done);
    /// `issued` runs when the memory has taken the last request over, `done` when the data are
    /// there.
    void write(const Blocks& blocks, sim::Action issued, sim::Action done);

    /// The host's processor reads or writes the adapter over PCI.
    void host_access(Bytes size, bool read, sim::Action done);
    /// The cache reads the SDRAM.
    void fill(Duration work, sim::Action done);

    const Resource& pci() const { return pci_; }
    const Resource& sdram() const { return sdram_; }
    const Resource& internal() const { return internal_; }
    std::size_t most_outstanding() const { return most_; }

  private:
    struct Request {
        bool is_write = false;
        Home home = Home::main;
        Label what;
        Duration on_bus;     ///< of the internal bus, each block
        Duration in_memory;  ///< of the memory, each block
        Duration extra;      ///< of the memory, for the first block
        unsigned left = 0;   ///< blocks that have not begun
        Time asked;
        Time end;            ///< of the blocks that have begun
        Time planned_begin;  ///< of the last block, if nobody else comes
        Time planned_end;
        sim::Action issued;
        sim::Action done;
    };
    /// When blocks may begin: in order, and so many outstanding.
    struct Turns {
        Time begun;              ///< the last one
        std::vector<Time> ends;  ///< of those that end last, as many as may be outstanding
        std::size_t first = 0;   ///< from here on, and around, they are in order
        Time next(const Request& request) const {
            return std::max(std::max(request.asked, begun), ends[first]);
        }
        /// Of the so-manyth, counted from the last to end.
        Time end_of(std::size_t nth) const {
            const std::size_t place = first + ends.size() - nth;
            return ends[place < ends.size() ? place : place - ends.size()];
        }
        void note(Time begin, Time end);
    };
    /// How the parts will be when all that waits has begun.
    struct Plan {
        Turns turns;
        std::array<Time, 2> memory;  ///< free from then on, by home
        Time internal;
    };
    Duration in_memory(Home home, Bytes size, bool is_write) const;
    Request make(bool is_write, const Blocks& blocks) const;
    void ask(Request&& request);
    bool begin_blocks(Request& request);
    void advance();
    void replan();
    void plan(Request& request);
    void wait_for(Request& request);
    void look_at(Request& request);

    sim::Engine& engine_;
    const Parameters& parameters_;
    const Duration block_on_bus_;                               ///< of a block of the usual size
    std::array<std::array<Duration, 2>, 2> block_in_memory_{};  ///< likewise; writing, and home
    Resource pci_;
    Resource sdram_;
    Resource internal_;
    sim::Trace::Lane pci_lane_ = 0;
    sim::Trace::Lane sdram_lane_ = 0;
    sim::Trace::Lane internal_lane_ = 0;
    Turns turns_;  ///< of what has begun
    Plan plan_;
    bool plan_holds_ = false;
    std::vector<Request*> waiting_;  ///< with blocks that have not begun, in order
    std::vector<std::unique_ptr<Request>> made_;
    std::vector<Request*> free_;
    std::size_t most_ = 0;
};

}  // namespace railyard::elan
