#pragma once
/// How the engine behaves on this fabric: from the fabric's Traits, from section [mpi] of its
/// profile, from the environment, and from whoever started the job. `railyard mpi-info` shows them.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/job/rank.hpp"
#include "mpi/engine/packet.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"
#include "railyard/datasheet.hpp"
#include "railyard/traits.hpp"

namespace railyard::mpi {

/// Whose ways the engine has: its own, or those of the library that the fabric's users had (the
/// [mpi] section of a profile), on the same code.
enum class Library : std::uint8_t { native, paper };
enum class Connections : std::uint8_t { on_demand, static_peer, static_client_server };
enum class Matching : std::uint8_t { hashed, list };
/// What a channel with several rails does with a large message.
enum class RailPolicy : std::uint8_t {
    striping,  ///< cuts it into equal parts, one a rail
    binding,   ///< sends it whole over one rail, chosen by the pair of ranks
};

/// One setting, for people.
struct Setting {
    std::string name;
    std::string value;
    std::string origin;       ///< the fabric, the environment, or the default
    std::string environment;  ///< the variable that sets it
    std::string explanation;
};

struct Settings {
    /// Their name, in profiles and in jobs.
    static constexpr const char* section = "mpi";

    Library library = Library::native;
    std::string name = "Railyard";
    Connections connections = Connections::on_demand;
    bool receive_connects = false;   ///< a receive from one rank connects to it (OD-1)
    bool wildcard_connects = false;  ///< a receive from any source connects to all (OD-4)
    /// A rank that is asked for a connection asks, too. Else it does so only when a message of its
    /// own needs it, as in VIA, where nobody hears of a peer's request.
    bool answer_requests = true;
    /// That a rank has at a time; the least recently used one is closed for another. 0: any number.
    std::uint32_t max_connections = 0;
    Matching matching = Matching::hashed;
    bool tagged = true;  ///< let the adapter match, where it can

    Bytes eager_limit{8 << 10};
    /// For the shared receive queue, where requests cost more than bytes: small messages that are
    /// started together leave in one send, and longer ones than copied_limit from where they lie.
    bool coalescing = false;
    Bytes copied_limit{8 << 10};
    std::uint32_t watched_rings = 16;  ///< peers whose rings are watched; others use the SRQ
    std::uint32_t ring_cells = 64;     ///< a power of two
    Bytes ring_bytes{128 << 10};       ///< a power of two; a packet takes a quarter at most
    Bytes segment_size{16 << 10};      ///< of a streamed message
    /// Streamed messages up to this leave whole, in halves of segments, before a CTS: one is copied
    /// out while the next is copied in, and nobody waits for an answer.
    Bytes segmented_eager_limit{32 << 10};
    std::uint32_t srq_buffers = 16;  ///< of the shared receive queue, for all peers together
    std::uint32_t credits = 8;       ///< packets that one peer may have under way to us

    Way bulk = Way::stream;
    std::uint32_t bulk_depth = 8;  ///< large messages of one peer that RDMA moves at a time
    Bytes bulk_segment{1 << 30};   ///< what one RDMA operation carries of a message at most
    RailPolicy rails = RailPolicy::striping;
    std::uint32_t ports = 0;  ///< how many ports of the Nic a channel uses at most; 0: all
    Bytes striping_threshold{8 << 10};
    Bytes registration_cache{64 << 20};
    Bytes unexpected_limit{256 << 10};  ///< held for one peer before it must use rendezvous

    bool shared_memory = true;      ///< collectives of one host go through memory
    bool network_barrier = true;    ///< barriers by the network itself, where it can
    bool network_broadcast = true;  ///< likewise
    std::string algorithms;         ///< of collectives, as `collective=algorithm,…`
    bool progress_thread = false;

    // What a library's own code costs, in virtual time; for real it takes its time by itself.
    Duration address_exchange;     ///< in MPI_Init, by the process manager, each process of the job
    Duration send_overhead;        ///< a message, before it leaves
    Duration send_rest;            ///< ... and after it has left
    Duration receive_start;        ///< a receive that is asked for
    Duration receive_overhead;     ///< a message that has come and found its receive
    Duration posted_entry;         ///< a posted receive looked at; 0: as the host says
    Duration unexpected_entry;     ///< an unexpected message looked at; likewise
    Duration rendezvous_overhead;  ///< an RTS, or a CTS

    /// In virtual time: the bytes of longer messages stay where they are, where nobody but the
    /// program looks at them. They take the same time.
    Bytes payload{~std::uint64_t{0}};
    static constexpr Bytes all_payload{~std::uint64_t{0}};
    static constexpr Bytes little_payload{256};  ///< with `off`: flags, counts and the like

    bool stats = false;
    bool backtrace = true;  ///< a process that crashes says where
    bool check = false;     ///< what is dear to check (mpi/checking)
    /// After so long without a move a rank that waits says for whom; 0: never. For real.
    Duration deadlock_timeout;

    /// The bytes that fit into one packet.
    std::size_t packet_limit() const {
        return std::min(ring_bytes.count() / 4, std::max(segment_size, eager_limit).count() + 64);
    }

    using Named = std::vector<std::pair<std::string, std::string>>;
    /// `chosen` goes before the environment, and that before the fabric. Throws UsageError, naming
    /// where it stands, for a value that makes no sense.
    static Settings choose(const fabric::Traits& traits, const Named& chosen);
    static Settings from_environment(const fabric::Traits& traits) { return choose(traits, {}); }
    std::vector<Setting> describe() const;

  private:
    std::vector<Setting> described_;
};

/// Those of a job on that fabric. Ranks that are fibers share them.
std::shared_ptr<const Settings> common_settings(job::Rank& rank, const fabric::Traits& traits);

/// What the variables of all settings begin with.
inline constexpr std::string_view variable_prefix = "RAILYARD_MPI_";

/// One line of the table of all settings: from it follow the variable, the key in profiles, the
/// option (`--set NAME=VALUE`) and the help.
struct SettingRow {
    std::string_view name;
    std::string_view explanation;
    bool quoted = false;                                   ///< in profiles, it is a text
    std::function<void(Settings&, std::string_view)> set;  ///< throws UsageError
    std::function<std::string(const Settings&)> show;
    bool in_profiles = true;  ///< a profile may set it

    std::string variable() const;  ///< "RAILYARD_MPI_EAGER_LIMIT"
    std::string key() const;       ///< "eager_limit"
};

/// In the order in which people should see them.
const std::vector<SettingRow>& setting_rows();

/// Throws UsageError, with file, line and column for each mistake, if the fabric's profile says
/// what the library does not know.
void check_section(const fabric::Traits& traits);
/// Says in the library's part of a datasheet what its keys mean.
void explain(fabric::Datasheet& sheet);

}  // namespace railyard::mpi
