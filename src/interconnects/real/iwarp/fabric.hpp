#pragma once
/// iWARP as a fabric: RDMA over TCP, in user space, between any hosts; and its settings.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/fabric.hpp"

namespace railyard::iwarp {

struct PortRange {
    std::uint16_t first = 0;  ///< 0: whichever is free
    std::uint16_t last = 0;
    friend bool operator==(const PortRange&, const PortRange&) = default;
};

/// What the user can choose about iWARP. Each has a variable of the environment, so that all ranks
/// of a job get it: docs/iwarp.md lists them.
struct Settings {
    /// Where to listen, and where peers find us: an address, the name of an interface, "host" for
    /// the address by which other hosts reach this one, or "loopback".
    std::string address = "loopback";
    PortRange ports{};
    bool crc = true;
    bool markers = false;          ///< in what we receive
    bool progress_thread = false;  ///< serves peers while the rank is busy with something else
    std::uint16_t ird = 16;        ///< Reads and atomics that a peer may have under way
    std::uint16_t ord = 16;        ///< and we
    Bytes frame{};                 ///< the longest frame's payload to Nics of ours; 0: we choose
    /// Whose listener gets the calls of peers that are not ours: they cannot name a service, nor
    /// prove that they were told our key. None: they get no answer.
    std::optional<std::uint64_t> plain_service{};
    /// A host that does not acknowledge anything for so long is dead.
    Duration patience = Duration::s(10);
    /// A peer that answers nothing for so long, though asked, is dead too; forever: not asked.
    Duration heartbeat = Duration::forever();
    /// A start-up has to be over in this time.
    Duration handshake = Duration::s(5);
    /// How many may be going on at once. When one more comes, the oldest is given up.
    std::size_t most_half_open = 1024;
    /// What one connection may make us hold in messages that no receive is posted for.
    std::size_t most_held = 1 << 20;
};

/// Throws UsageError, which names the variable, what was expected and what was found.
Settings settings_from_environment();

/// As the environment has it: a progress thread is a trait.
const fabric::Traits& traits();
std::unique_ptr<fabric::Fabric> open();
/// With settings of the caller's instead of the environment's.
std::unique_ptr<fabric::Fabric> open(const Settings& settings);

}  // namespace railyard::iwarp
