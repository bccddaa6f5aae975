#include "cli/settings.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <vector>

#include "cli/words.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

/// What is wrong with a value is told of the option that it came by, not of the variable.
void check_as(std::string_view option, std::string_view variable, const fabric::Traits& fabric) {
    try {
        check_settings(fabric);
    } catch (const UsageError& error) {
        std::string_view complaint = error.what();
        if (!complaint.starts_with(variable)) throw;
        complaint.remove_prefix(variable.size());
        throw UsageError(fmt::format("{}{}", option, complaint));
    }
}

}  // namespace

void apply_setting(const fabric::Traits& fabric, std::string_view option, const std::string& name,
                   const std::string& value) {
    std::vector<std::string> names;
    for (const mpi::Setting& setting : mpi::Settings::from_environment(fabric).describe()) {
        if (setting.name == name) {
            ::setenv(setting.environment.c_str(), value.c_str(), 1);
            const bool named = option == "--set";
            return check_as(named ? fmt::format("{} {}", option, name) : std::string(option),
                            setting.environment, fabric);
        }
        names.push_back(setting.name);
    }
    throw UsageError(
        fmt::format("{}: {}", option, unknown("setting", name, names, "railyard mpi-info")));
}

void apply_setting(const fabric::Traits& fabric, std::string_view option, const std::string& word) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
        throw UsageError(fmt::format(
            "{}: expected a setting such as eager-limit=4K, found '{}'; `railyard mpi-info` lists "
            "them",
            option, word));
    apply_setting(fabric, option, word.substr(0, equals), word.substr(equals + 1));
}

void check_settings(const fabric::Traits& fabric) {
    mpi::Settings::from_environment(fabric);
}

}  // namespace railyard::cli
