#include "interconnects/real/ofi/module/nearness.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "base/parse.hpp"

namespace railyard::ofi {

namespace {

std::string line_of(const std::string& file) {
    std::string line;
    std::getline(std::ifstream(file), line);
    return line;
}

}  // namespace

bool is_listed(int number, std::string_view list) {
    for (const std::string_view item : split(list, ',')) {
        std::string_view rest = item;
        const auto first = take_number<int>(rest);
        if (!first) continue;
        const auto last = rest.starts_with('-') ? parse_number<int>(rest.substr(1)) : first;
        if (last && number >= *first && number <= *last) return true;
    }
    return false;
}

std::string device_folder(const fi_info& info) {
    const fi_bus_attr* const bus = info.nic != nullptr ? info.nic->bus_attr : nullptr;
    if (bus != nullptr && bus->bus_type == FI_BUS_PCI) {
        const fi_pci_attr& at = bus->attr.pci;
        return fmt::format("/sys/bus/pci/devices/{:04x}:{:02x}:{:02x}.{:x}", at.domain_id,
                           at.bus_id, at.device_id, at.function_id);
    }
    const char* const name = info.domain_attr->name;
    if (name == nullptr) return "";
    std::string folder = fmt::format("/sys/class/net/{}/device", name);
    return ::access(folder.c_str(), F_OK) == 0 ? folder : "";
}

std::optional<int> node_of(const std::string& device) {
    if (device.empty()) return std::nullopt;
    const auto node = parse_number<int>(line_of(device + "/numa_node"));
    return node && *node >= 0 ? node : std::nullopt;
}

unsigned distance(int node, std::span<const int> cores, const std::string& nodes) {
    std::istringstream row(line_of(fmt::format("{}/node{}/distance", nodes, node)));
    unsigned nearest = 0;
    unsigned there = 0;
    for (int other = 0; row >> there; ++other) {
        const std::string list = line_of(fmt::format("{}/node{}/cpulist", nodes, other));
        const bool is_ours =
            std::ranges::any_of(cores, [&](int core) { return is_listed(core, list); });
        if (is_ours && (nearest == 0 || there < nearest)) nearest = there;
    }
    return nearest;
}

}  // namespace railyard::ofi
