#pragma once
/// Starts a group of ranks, each running the same function, and reports how they ended. Real
/// fabrics run as processes (or as threads, so that a thread sanitizer sees the whole), virtual
/// ones as fibers of one simulation.

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "launch/job/rank.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/datasheet.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "railyard/traits.hpp"

namespace railyard::job {

enum class Kind : std::uint8_t { processes, threads, fibers };

/// What the software above has to add to a trace, and what of it is wanted.
struct TraceAbove {
    /// Asked at the end: events as sim::Trace::Frame has them. None: nothing to add.
    std::function<std::string()> events{};
    std::size_t processes = 0;  ///< numbers that they use
    Duration from{};
    Duration to = Duration::forever();
};

/// For commands that write traces (--trace, --trace-from, --trace-to): throws UsageError for a part
/// of a trace that nobody writes, or that has no end after its begin.
void check_part_of_trace(bool is_written, Duration from, Duration to);

struct Options {
    int ranks = 2;
    /// Of a real job that `nodes` spreads over several also a pair: inside a node, and between them
    /// ("shm+iwarp").
    std::string fabric = "shm";
    /// Unset: fibers for a virtual fabric, processes for a real one.
    std::optional<Kind> kind;
    /// Which node each rank is on. Empty: a real job is on node 0; a virtual one has a node a rank.
    std::vector<fabric::NodeId> nodes;
    /// In virtual time: ranks of one node talk through its memory, and not through the fabric.
    bool node_memory = false;
    bool pin = true;  ///< one core a rank, as long as there are enough
    /// Each line of output begins with its rank. Processes only: other kinds share one stdout.
    bool label_output = false;
    /// For the software above that ranks use (Rank::settings).
    Settings settings{};
    /// What the parts of the interconnect did and when is written there at the end, also if the job
    /// fails (see sim::Trace). Virtual time only; empty: nowhere.
    std::filesystem::path trace{};
    TraceAbove trace_above{};  ///< what stands above the parts there
    /// Whether Result::parts is wanted.
    bool account_for_parts = false;
    /// Of each rank's stack, in virtual time: what ranks touch of it takes memory. 0: enough for
    /// code of ours.
    Bytes stack{};
};

struct Result {
    bool ok = true;
    std::string failure;                 ///< names rank, pid, and signal, code or exception
    int exit_code = 0;                   ///< what the launcher should exit with
    bool output_lost = false;            ///< what the ranks printed, while they themselves did well
    std::vector<std::string> delivered;  ///< in the order of arrival; of one rank, in its order
    /// By rank: what it left in its kept memory (kept_memory.hpp), if there was such.
    std::vector<std::string> kept{};
    /// How long each part of the interconnect was busy, if that was asked for. Virtual time only.
    std::vector<fabric::PartUse> parts{};
    /// fabric::Fabric::receiver_not_ready(), of all of them. Virtual time only.
    std::uint64_t receiver_not_ready = 0;
    std::uint64_t events = 0;  ///< that the model has gone through. Virtual time only
};

using Body = std::function<void(Rank&)>;

/// Runs `body` on every rank and returns when all have ended. When one dies or fails, the others
/// are ended within two seconds. Throws UsageError for options that make no sense, and Error for a
/// file that cannot be written, before anything runs.
Result run(const Options& options, const Body& body);

/// What the registry knows, for those above who may not ask it themselves.
std::vector<fabric::Traits> fabrics();
/// Null if there is none. The path of a profile is a name, too; throws UsageError if it is wrong.
const fabric::Traits* find_fabric(std::string_view name);
/// What a modelled fabric is made of; none for a fabric that is no model.
std::optional<fabric::Datasheet> datasheet(std::string_view fabric);
/// What this host has for a fabric; empty where nobody can tell. Throws Error.
std::string survey(std::string_view fabric);
/// The published records that the fabric's parameters name as their evidence, by id.
std::set<std::string> cited_records(std::string_view fabric);

/// What strikes the interconnect of a job, as a script says (docs/faults.md).
struct Faults {
    std::string script;          ///< the path of the file
    fabric::FaultReport report;  ///< what they did, filled in at the end
};

/// As job::run, for modelled fabrics. Throws UsageError, too, for a script that is wrong or names
/// what is not there, and for a fabric that has no faults.
Result run_with_faults(const Options& options, Faults& faults, const Body& body);

}  // namespace railyard::job
