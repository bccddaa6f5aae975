#include "base/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "base/log.hpp"
#include "railyard/base/error.hpp"

namespace railyard {
namespace {

std::string read_file(const char* path) {
    const std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

Bytes from_sysconf(int name) {
    const long value = ::sysconf(name);
    return Bytes(value > 0 ? static_cast<std::uint64_t>(value) : 0);
}

/// What is kept of hwloc's tree: plain data, so that no thread shares a library object.
struct Survey {
    Machine machine;
    std::vector<std::vector<int>> physical;  ///< the threads of each physical core
    Hardware hardware;
};

struct DestroyTopology {
    void operator()(hwloc_topology* t) const { hwloc_topology_destroy(t); }
};
using Topology = std::unique_ptr<hwloc_topology, DestroyTopology>;

/// Of this machine, or of one that is described.
Topology load_topology(const char* description = nullptr) {
    hwloc_topology_t raw = nullptr;
    if (hwloc_topology_init(&raw) != 0) return nullptr;
    Topology topology(raw);
    if (description != nullptr && hwloc_topology_set_synthetic(raw, description) != 0)
        return nullptr;
    // Only what is asked for below: looking for the rest takes most of the time.
    hwloc_topology_set_all_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
    for (const hwloc_obj_type_t type : {HWLOC_OBJ_PACKAGE, HWLOC_OBJ_CORE, HWLOC_OBJ_L1CACHE,
                                        HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L3CACHE})
        hwloc_topology_set_type_filter(raw, type, HWLOC_TYPE_FILTER_KEEP_ALL);
    // The whole machine; what this process may use of it is asked for each time.
    hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(raw) != 0) return nullptr;
    return topology;
}

Bytes cache_above(hwloc_obj_t object, hwloc_obj_type_t type) {
    for (; object != nullptr; object = object->parent)
        if (object->type == type) return Bytes(object->attr->cache.size);
    return Bytes();
}

std::vector<int> threads_of(hwloc_obj_t part) {
    std::vector<int> threads;
    for (int i = hwloc_bitmap_first(part->cpuset); i >= 0; i = hwloc_bitmap_next(part->cpuset, i))
        threads.push_back(i);
    return threads;
}

constexpr std::array<hwloc_obj_type_t, hardware_kinds.size()> hwloc_kinds = {
    HWLOC_OBJ_PACKAGE, HWLOC_OBJ_NUMANODE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE,
    HWLOC_OBJ_L1CACHE, HWLOC_OBJ_CORE,     HWLOC_OBJ_PU};

Hardware read_hardware(hwloc_topology_t topology) {
    Hardware hardware;
    for (std::size_t kind = 0; kind < hwloc_kinds.size(); ++kind)
        for (hwloc_obj_t part = nullptr;
             (part = hwloc_get_next_obj_by_type(topology, hwloc_kinds[kind], part)) != nullptr;)
            hardware.parts[kind].push_back(threads_of(part));
    return hardware;
}

void read_topology(hwloc_topology_t topology, Survey& survey) {
    survey.hardware = read_hardware(topology);
    const int cores = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE));
    for (int i = 0; i < cores; ++i)
        survey.physical.push_back(
            threads_of(hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i))));
    Machine& machine = survey.machine;
    machine.cores = cores;
    machine.threads = std::max(0, hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_PU));
    if (hwloc_obj_t thread = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PU, 0)) {
        machine.l1d = cache_above(thread, HWLOC_OBJ_L1CACHE);
        machine.l2 = cache_above(thread, HWLOC_OBJ_L2CACHE);
        machine.l3 = cache_above(thread, HWLOC_OBJ_L3CACHE);
    }
    if (hwloc_obj_t package = hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0))
        if (const char* model = hwloc_obj_get_info_by_name(package, "CPUModel"))
            machine.cpu = model;
}

/// Containers and virtual machines often hide some of it from hwloc; the C library may know.
void fill_gaps(Machine& machine) {
    const auto processors = static_cast<int>(from_sysconf(_SC_NPROCESSORS_ONLN).count());
    if (machine.threads == 0) machine.threads = processors;
    if (machine.cores == 0) machine.cores = machine.threads;
    if (machine.l1d == Bytes()) machine.l1d = from_sysconf(_SC_LEVEL1_DCACHE_SIZE);
    if (machine.l2 == Bytes()) machine.l2 = from_sysconf(_SC_LEVEL2_CACHE_SIZE);
    if (machine.l3 == Bytes()) machine.l3 = from_sysconf(_SC_LEVEL3_CACHE_SIZE);
    // Not from hwloc, which adds up what the nodes have at this moment: a virtual machine's memory
    // may come and go.
    machine.memory = from_sysconf(_SC_PHYS_PAGES) * from_sysconf(_SC_PAGESIZE).count();
    if (machine.cpu.empty()) machine.cpu = cpu_name(read_file("/proc/cpuinfo"));
}

const Survey& survey() {
    static const Survey result = [] {
        Survey s;
        if (const Topology topology = load_topology())
            read_topology(topology.get(), s);
        else
            log_warning("hwloc cannot read this machine's topology: cores are used in their order");
        fill_gaps(s.machine);
        return s;
    }();
    return result;
}

/// The value of the first line "key : value".
std::string_view field(std::string_view text, std::string_view key) {
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos || !line.starts_with(key)) continue;
        if (line.substr(key.size(), colon - key.size()).find_first_not_of(" \t") !=
            std::string_view::npos)
            continue;
        const std::size_t start = line.find_first_not_of(" \t", colon + 1);
        return start == std::string_view::npos ? std::string_view() : line.substr(start);
    }
    return {};
}

struct ArmPart {
    std::string_view implementer;
    std::string_view part;
    std::string_view name;
};

/// Arm processors give numbers, not names. Those that servers and boards of our days have.
constexpr ArmPart arm_parts[] = {
    {"0x41", "0xd03", "Cortex-A53"},  {"0x41", "0xd05", "Cortex-A55"},
    {"0x41", "0xd08", "Cortex-A72"},  {"0x41", "0xd0b", "Cortex-A76"},
    {"0x41", "0xd0c", "Neoverse-N1"}, {"0x41", "0xd40", "Neoverse-V1"},
    {"0x41", "0xd49", "Neoverse-N2"}, {"0x41", "0xd4f", "Neoverse-V2"},
    {"0x41", "0xd84", "Neoverse-V3"}, {"0x41", "0xd8e", "Neoverse-N3"},
    {"0x43", "0x0af", "ThunderX2"},   {"0x46", "0x001", "A64FX"},
    {"0x48", "0xd01", "Kunpeng-920"}, {"0xc0", "0xac3", "Ampere-1"},
    {"0xc0", "0xac4", "Ampere-1a"},
};

}  // namespace

std::vector<int> one_of_each_first(std::span<const std::vector<int>> physical,
                                   std::span<const int> allowed) {
    const auto is_allowed = [&](int core) {
        return std::find(allowed.begin(), allowed.end(), core) != allowed.end();
    };
    std::vector<std::vector<int>> rounds;  // rounds[k]: the k-th allowed thread of each core
    for (const std::vector<int>& threads : physical) {
        std::size_t round = 0;
        for (const int thread : threads) {
            if (!is_allowed(thread)) continue;
            if (round == rounds.size()) rounds.emplace_back();
            rounds[round++].push_back(thread);
        }
    }
    std::vector<int> order;
    for (const std::vector<int>& round : rounds)
        order.insert(order.end(), round.begin(), round.end());
    for (const int core : allowed)
        if (std::find(order.begin(), order.end(), core) == order.end()) order.push_back(core);
    return order;
}

std::vector<int> usable_cores() {
    std::vector<int> allowed = allowed_cores();
    if (allowed.size() == 1) return allowed;  // no order to find
    return one_of_each_first(survey().physical, allowed);
}

std::vector<int> spread(int ranks) {
    if (ranks < 1) return {};
    // The cheap question first: a job far larger than the machine need not look at it.
    const auto wanted = static_cast<std::size_t>(ranks);
    if (allowed_cores().size() < wanted) return {};
    std::vector<int> cores = usable_cores();
    cores.resize(wanted);
    return cores;
}

const Hardware& hardware() {
    return survey().hardware;
}

Hardware made_up_hardware(const std::string& description) {
    const Topology topology = load_topology(description.c_str());
    if (!topology) throw Error(fmt::format("hwloc makes no machine of '{}'", description));
    return read_hardware(topology.get());
}

std::array<int, hardware_kinds.size()> Hardware::holding(std::span<const int> cores) const {
    std::array<int, hardware_kinds.size()> holding;
    holding.fill(-1);
    const auto has_all = [&](const std::vector<int>& threads) {
        return std::all_of(cores.begin(), cores.end(), [&](int core) {
            return std::find(threads.begin(), threads.end(), core) != threads.end();
        });
    };
    for (std::size_t kind = 0; kind < holding.size(); ++kind) {
        const auto found = std::find_if(parts[kind].begin(), parts[kind].end(), has_all);
        if (found != parts[kind].end())
            holding[kind] = static_cast<int>(found - parts[kind].begin());
    }
    return holding;
}

const Machine& machine() {
    return survey().machine;
}

std::string cpu_name(const std::string& cpuinfo) {
    if (const std::string_view model = field(cpuinfo, "model name"); !model.empty())
        return std::string(model);
    const std::string_view implementer = field(cpuinfo, "CPU implementer");
    const std::string_view part = field(cpuinfo, "CPU part");
    if (implementer.empty() || part.empty()) return {};
    for (const ArmPart& known : arm_parts)
        if (known.implementer == implementer && known.part == part) return std::string(known.name);
    return fmt::format("Arm implementer {} part {}", implementer, part);
}

}  // namespace railyard
