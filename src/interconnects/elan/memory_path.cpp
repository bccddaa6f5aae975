#include "interconnects/elan/memory_path.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace railyard::elan {

MemoryPath::MemoryPath(sim::Engine& engine, const Parameters& parameters, std::uint32_t node)
    : parameters_(parameters), pci_(engine), sdram_(engine), internal_(engine) {
    if (sim::Trace* const trace = engine.trace()) {
        const std::string group = fmt::format("node {}", node);
        pci_lane_ = trace->lane(group, "PCI");
        sdram_lane_ = trace->lane(group, "SDRAM");
        internal_lane_ = trace->lane(group, "internal bus");
    }
}

void MemoryPath::read(Home home, Bytes size, bool first, sim::Action done) {
    ask({false, first, home, size, {}, std::move(done), 0});
}

void MemoryPath::write(Home home, Bytes size, sim::Action issued, sim::Action done) {
    ask({true, false, home, size, std::move(issued), std::move(done), 0});
}

void MemoryPath::ask(Request&& request) {
    waiting_.push_back(std::move(request));
    begin();
}

void MemoryPath::begin() {
    while (outstanding_ < parameters_.requests && !waiting_.empty()) {
        most_ = std::max(most_, ++outstanding_);
        if (free_.empty()) {
            made_.push_back(std::make_unique<Request>());
            free_.push_back(made_.back().get());
        }
        Request& request = *free_.back();
        free_.pop_back();
        request = std::move(waiting_.front());
        waiting_.pop_front();
        sim::Action issued = std::move(request.issued);
        move(request);
        if (issued) issued();
    }
}

/// The internal bus carries the data while the memory gives or takes them; it is done when both
/// are.
void MemoryPath::move(Request& request) {
    const std::string_view what = request.is_write ? "write" : "read";
    const auto half = [this, &request] { half_done(request); };
    internal_.use(request.size / parameters_.internal_bus, what, internal_lane_, half);
    if (request.home == Home::sdram)
        return sdram_.use(request.size / parameters_.sdram, what, sdram_lane_, half);
    const PciTimes& pci = parameters_.pci;
    Duration work = (request.is_write ? pci.write : pci.read) + request.size / pci.burst;
    if (request.first) work += pci.first_read;
    pci_.use(work, what, pci_lane_, half);
}

void MemoryPath::half_done(Request& request) {
    if (++request.halves < 2) return;
    sim::Action done = std::move(request.done);
    free_.push_back(&request);
    --outstanding_;
    begin();
    done();
}

void MemoryPath::host_access(Bytes size, bool read, sim::Action done) {
    const PciTimes& pci = parameters_.pci;
    const Duration work = size / pci.burst + (read ? pci.read + pci.first_read : Duration());
    pci_.use(work, read ? "host reads" : "host writes", pci_lane_, std::move(done));
}

}  // namespace railyard::elan
