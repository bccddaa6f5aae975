#pragma once
/// The records that the models are known not to give, each with its reason. The list is kept
/// honest from both sides: what is off must stand in it, and what has come right must not.

#include <string>
#include <string_view>
#include <vector>

#include "reproduce/record.hpp"

namespace railyard::reproduce {

struct Exception {
    std::string id;
    std::string reason;  ///< "contradiction", "physics" or "not understood"
    std::string text;    ///< why, in a sentence or two
};

/// Reads exceptions.toml. Throws UsageError, with file and line, for what is no exception or names
/// a record that is not among `records`.
std::vector<Exception> read_exceptions(std::string_view text, const std::string& file,
                                       const std::vector<Record>& records);

/// Those that the program carries.
std::vector<Exception> known_exceptions();

/// The bytes of data/exceptions.toml; made by the build.
std::string_view exceptions_toml();

}  // namespace railyard::reproduce
