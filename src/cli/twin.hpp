#pragma once
/// An environment variable that a fabric reads, and the option that is its twin.

#include <span>
#include <string>
#include <string_view>

namespace railyard::cli {

/// Puts the option's word into the environment, where this process and its ranks find it; an empty
/// word leaves what is there. Throws UsageError if either is none of the words allowed.
void apply_twin(std::string_view option, const std::string& word, const char* variable,
                std::span<const std::string_view> allowed);

}  // namespace railyard::cli
