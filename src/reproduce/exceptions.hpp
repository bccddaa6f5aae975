#pragma once
/// The records that the models are known not to give or that nothing here measures, each with its
/// reason. The list is kept honest from both sides: what is off or not measured must stand in it,
/// and what has come right must not.

#include <string>
#include <string_view>
#include <vector>

#include "reproduce/record.hpp"

namespace railyard::reproduce {

struct Exception {
    std::string id;
    std::string reason;  ///< one of the words below
    std::string text;    ///< why, in a sentence or two
};

namespace reason {
// Of records that are off.
inline constexpr std::string_view contradiction = "contradiction";
inline constexpr std::string_view physics = "physics";
inline constexpr std::string_view not_understood = "not understood";
// Of records that nothing here measures.
inline constexpr std::string_view not_reproducible = "not reproducible";
}  // namespace reason

/// Whether the reason is that nothing measures the record; it does not excuse one that is off.
bool excuses_measuring(std::string_view reason);

/// Reads exceptions.toml, an exception a record: an id may be a pattern, "wu02.table1.sppm.*",
/// which stands for all results that it matches. Throws UsageError, with file and line, for what is
/// no exception or matches nothing in `records`.
std::vector<Exception> read_exceptions(std::string_view text, const std::string& file,
                                       const std::vector<Record>& records);

/// Those that the program carries.
std::vector<Exception> known_exceptions();

/// The bytes of data/exceptions.toml; made by the build.
std::string_view exceptions_toml();

}  // namespace railyard::reproduce
