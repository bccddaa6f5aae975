#pragma once
/// The ways between the adapter's units and the two memories: the PCI bus to main memory, the
/// SDRAM, and the internal data bus that all data cross. Requests are pipelined, and so many are
/// outstanding at a time (EL-1).

#include <cstdint>
#include <memory>
#include <vector>

#include "base/lazy_queue.hpp"
#include "interconnects/elan/parameters.hpp"
#include "interconnects/elan/part.hpp"

namespace railyard::elan {

enum class Home : std::uint8_t { sdram, main };

class MemoryPath {
  public:
    MemoryPath(sim::Engine& engine, const Parameters& parameters, std::uint32_t node);

    /// `done` runs when the data are in the adapter. `first`: nothing was read just before it.
    void read(Home home, Bytes size, bool first, sim::Action done);
    /// `issued` runs when the memory has taken the request over, `done` when the data are there.
    void write(Home home, Bytes size, sim::Action issued, sim::Action done);

    /// The host's processor reads or writes the adapter over PCI.
    void host_access(Bytes size, bool read, sim::Action done);

    Part& sdram() { return sdram_; }
    const Part& pci() const { return pci_; }
    const Part& internal() const { return internal_; }
    sim::Trace::Lane sdram_lane() const { return sdram_lane_; }
    unsigned most_outstanding() const { return most_; }

  private:
    struct Request {
        bool is_write = false;
        bool first = false;
        Home home = Home::main;
        Bytes size;
        sim::Action issued;
        sim::Action done;
        unsigned halves = 0;  ///< done, of memory and internal bus
    };
    void ask(Request&& request);
    void begin();
    void move(Request& request);
    void half_done(Request& request);

    const Parameters& parameters_;
    Part pci_;
    Part sdram_;
    Part internal_;
    sim::Trace::Lane pci_lane_ = 0;
    sim::Trace::Lane sdram_lane_ = 0;
    sim::Trace::Lane internal_lane_ = 0;
    LazyQueue<Request> waiting_;
    std::vector<std::unique_ptr<Request>> made_;
    std::vector<Request*> free_;
    unsigned outstanding_ = 0;
    unsigned most_ = 0;
};

}  // namespace railyard::elan
