#pragma once
/// The one table of the settings: how each is called, read and shown.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/engine/settings.hpp"

namespace railyard::mpi {

struct SettingRow {
    std::string_view name;
    std::string_view explanation;
    std::function<void(Settings&, std::string_view)> set;  ///< throws UsageError
    std::function<std::string(const Settings&)> show;
};

/// In the order in which people should see them.
std::vector<SettingRow> setting_rows();

}  // namespace railyard::mpi
