#include "cli/twin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "railyard/base/error.hpp"

namespace railyard::cli {

void apply_twin(std::string_view option, const std::string& word, const char* variable,
                std::span<const std::string_view> allowed) {
    const char* set = std::getenv(variable);
    const std::string_view name = word.empty() ? variable : option;
    const std::string_view value = !word.empty() ? word : set != nullptr ? set : allowed.front();
    if (std::ranges::find(allowed, value) == allowed.end())
        throw UsageError(fmt::format("{}: expected one of {}, found '{}'", name,
                                     fmt::join(allowed, ", "), value));
    if (!word.empty()) ::setenv(variable, word.c_str(), 1);
}

}  // namespace railyard::cli
