#include <fmt/format.h>

#include <string>

#include "interconnects/registry_real.hpp"
#include "launch/job/find_entry.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

const interconnects::Entry& find_real_entry(std::string_view name) {
    if (const auto* entry = interconnects::find_real(name)) return *entry;
    std::string names;
    for (const auto& entry : interconnects::real_fabrics())
        names += fmt::format("{}{}", names.empty() ? "" : ", ", entry.name());
    throw UsageError(
        fmt::format("there is no fabric '{}' that moves bytes; there are: {}", name, names));
}

}  // namespace railyard::job
