#pragma once
/// From a record's words to selections: the systems that it names, the metric that an experiment
/// yields, the sizes that a record means, the parameters that tell its variants apart. The part on
/// MPI libraries is in mpi_wanted.cpp.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/record.hpp"
#include "reproduce/selection.hpp"

namespace railyard::reproduce {

/// Which fabric stands for which system of which paper. systems.cpp is the only place that maps the
/// papers' names to ours.
struct System {
    std::string_view seed;
    std::string_view slug;    ///< as records have it: "infiniband-pcix/vapi"
    std::string_view fabric;  ///< "infiniband-pcix-liu04"
    /// Its operations, the one that the paper means when it names none first. An MPI library has
    /// none.
    std::vector<std::string_view> ops;
    /// Processes that the paper could start on it; 0: as many as anybody asks for.
    std::int64_t most_processes = 0;
};

/// In the papers' order.
std::span<const System> systems();

/// Null if there is none: no system but a remark.
const System* find_system(std::string_view seed, std::string_view slug);

/// The systems that `words` of a record mean: one, several between commas, or a word for a group.
/// "All" in an experiment on MPI are MPI libraries, else the libraries below. Empty if nothing that
/// is measured here is named.
std::vector<const System*> systems_of(const Record& record, std::string_view words);
/// Those of the record's own `system`.
std::vector<const System*> systems_of(const Record& record);

/// What a paper's MPI library stands on: the system below it, on the same fabric.
const System& below(const System& mpi);

/// Whether a slug is an MPI library: "quadrics/mpi", "clan-via/mvich".
bool is_mpi(std::string_view slug);

/// Whether the experiment runs on the interface itself.
bool is_user_level(std::string_view experiment);
/// Whether it runs on MPI and is one of ours.
bool is_mpi_level(std::string_view experiment);

/// What an experiment yields first of all: "latency", "bandwidth_aggregate".
std::string base_metric(std::string_view experiment);

/// The sizes that a value means: as named, by its class, or the experiment's usual one.
std::vector<std::int64_t> value_sizes(const Record& record);

/// The sizes at which a relation is looked at: as a value's, or all on one side of a limit, or,
/// where none is named and the relation speaks of all, a sweep.
std::vector<std::int64_t> relation_sizes(const Record& record);

/// Twice as large each time, as the papers' figures have it.
std::vector<std::int64_t> dip_sizes();

/// The record's rows on one system, with that operation ("" for the system's usual one), labelled
/// by the system.
Selection selection_of(const Record& record, const System& system, std::string_view op = "");

/// The operations that a record speaks of on a system: the one that it names, or all of them where
/// the paper means each.
std::vector<std::string> operations(const Record& record, const System& system);

/// The same selection with one thing changed, as relations name variants: an operation, a mode, a
/// placement, an experiment, a system. Throws Error for a word that means nothing.
Selection variant(Selection selection, std::string_view word, std::string_view seed);

/// Where source and destination may lie: {"main", "elan"} and so on, all four.
std::vector<std::pair<std::string, std::string>> placements();
Selection placed(Selection selection, const std::string& source, const std::string& destination);

/// Whether the record is a result of a program that is not ours to run: the applications of wu02's
/// Table 1.
bool of_other_programs(const Record& record);

/// The programs of wu02's Table 2 that are ours, by the names that the table gives them.
std::vector<std::string> micro_programs();
/// The NAS kernels that the record is about: those that it names, or all that wu02 shows.
std::vector<std::string> kernels_of(const Record& record);
/// The classes in which they are recorded for as many processes as the system could start.
std::vector<std::string> classes_on(const System& system);

/// What an experiment on MPI yields of `metric`, which may be made of it: a gain, a share.
std::string mpi_metric(std::string_view experiment, std::string_view metric);

/// The record's rows on one MPI library, at the sizes that a value means.
Selection mpi_selection(const Record& record, const System& system);

/// The sizes at which a relation is looked at.
std::vector<std::int64_t> mpi_relation_sizes(const Record& record);

/// The same selection with one thing changed: a mode of connecting ("on-demand"), "ports=2",
/// another experiment. Throws Error for a word that means nothing.
Selection mpi_variant(Selection selection, std::string_view word);

/// Where a library goes from eager to rendezvous, in bytes. Papers state it more or less exactly.
struct Switch {
    double eager = 0;       ///< up to here it is eager for certain
    double rendezvous = 0;  ///< from here on it is not

    /// Whether it lies between two neighbouring sizes.
    bool between(double size, double next) const { return next > eager && size < rendezvous; }
    /// Where a curve shows it: at the first sizes beyond.
    std::optional<std::pair<double, double>> shown() const {
        return std::pair(eager + 1, 2 * (eager + 1));
    }
};
/// At that very size, or right after it.
Switch switch_at(double bytes);
/// As the paper has it. Throws Error if it does not say.
Switch protocol_switch(const System& system);
/// Where the record's relation has its place on this system.
Switch place_of(const Relation& relation, const System& system);

}  // namespace railyard::reproduce
