#pragma once
/// The one table of all that a profile can say: every key with its unit, its range, a line of
/// explanation, and its place in Parameters. Profiles are read, printed and shown by it.

#include <span>
#include <string>
#include <string_view>

#include "interconnects/virtual/model/parameters.hpp"
#include "interconnects/virtual/model/schema_value.hpp"

namespace railyard::model {

struct Key {
    std::string_view part;  ///< the table that it is in; empty: it stands before all tables
    std::string_view name;
    std::string_view explanation;
    Allowed allowed;
    bool required = false;
    void (*set)(Parameters&, const Value&);
    Value (*get)(const Parameters&);

    /// "link.rate"
    std::string path() const;
};

struct Part {
    std::string_view name;
    std::string_view explanation;
};

/// Whose keys are not parameters of the model but settings of an MPI library (see Mpi).
inline constexpr std::string_view mpi_part = "mpi";

/// Of a machine that most interconnects do not have: where no key of it is set, it is not shown.
inline constexpr std::string_view elan_part = "elan";

/// In the order in which people should see them; keys of one part stand together.
std::span<const Key> keys();
std::span<const Part> parts();

/// Null if there is none.
const Key* find_key(std::string_view part, std::string_view name);
const Part* find_part(std::string_view name);

}  // namespace railyard::model
