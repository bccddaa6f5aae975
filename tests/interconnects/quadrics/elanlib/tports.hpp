#pragma once
/// Processes with tagged ports, and the buffers that they send from and receive to.

#include <functional>
#include <vector>

#include "interconnects/quadrics/elan3/cluster.hpp"
#include "interconnects/quadrics/elanlib/tport.hpp"

namespace railyard::elanlib {

using namespace railyard::literals;
using elan3::Cluster;
using elan3::Home;
using elan3::pattern;
using elan3::Process;

inline std::vector<std::byte> read(Process& process, Address address, std::size_t size) {
    std::vector<std::byte> bytes(size);
    process.load(address, bytes);
    return bytes;
}

inline Address buffer_of(Process& process, std::uint32_t size, unsigned seed) {
    const Address address = process.allocate(Home::main, size);
    process.store(address, pattern(size, seed));
    return address;
}

/// All processes have their ports before anything is sent, and keep them until all is over.
inline void run(Cluster& cluster, const std::function<void(Process&, Tport&)>& body) {
    cluster.run([&](Process& process) {
        Tport port(process);
        process.engine().sleep_until(Time::at(10_us));
        body(process, port);
        process.engine().sleep_until(Time::at(50_ms));
    });
}

}  // namespace railyard::elanlib
