#pragma once
/// Which fabric stands for which system of which paper. The only place that maps the papers' names
/// to ours.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::reproduce {

struct System {
    std::string_view seed;
    std::string_view slug;    ///< as records have it: "infiniband-pcix/vapi"
    std::string_view fabric;  ///< "infiniband-pcix-liu04"
    /// Its operations, the one that the paper means when it names none first.
    std::vector<std::string_view> ops;
};

/// The user-level systems, in the papers' order.
std::span<const System> systems();

/// Null if there is none: an MPI library, or no system but a remark.
const System* find_system(std::string_view seed, std::string_view slug);

/// The systems that a record's `system` speaks of: one, several between commas, or a word for a
/// group ("all"). MPI libraries among them are left out; empty if nothing else is named.
std::vector<const System*> systems_of(std::string_view seed, std::string_view words);

/// Whether a slug is an MPI library: "quadrics/mpi", "clan-via/mvich".
bool is_mpi(std::string_view slug);

/// Whether the experiment runs on the interface itself, as section 3 of the catalogue has it.
bool is_user_level(std::string_view experiment);

}  // namespace railyard::reproduce
