#pragma once
/// What options of several kinds need to read their operands.

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpiexec {

/// Runs it, and says which option a complaint is about.
template <class Work>
void about(std::string_view option, Work&& work) {
    try {
        work();
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

template <class Number>
Number number_within(const std::string& text, Number least, Number most, std::string_view what) {
    const auto value = parse_number<Number>(text);
    if (!value || !(*value >= least) || *value > most)
        throw UsageError(fmt::format("expected {}, found '{}'", what, text));
    return *value;
}

}  // namespace railyard::mpiexec
