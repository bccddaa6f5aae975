#pragma once
/// Which fabric stands for which system of which paper. The only place that maps the papers' names
/// to ours.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reproduce/record.hpp"

namespace railyard::reproduce {

struct System {
    std::string_view seed;
    std::string_view slug;    ///< as records have it: "infiniband-pcix/vapi"
    std::string_view fabric;  ///< "infiniband-pcix-liu04"
    /// Its operations, the one that the paper means when it names none first. An MPI library has
    /// none.
    std::vector<std::string_view> ops;
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

}  // namespace railyard::reproduce
