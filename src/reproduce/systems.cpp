#include "reproduce/wanted.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "railyard/base/error.hpp"

namespace railyard::reproduce {

namespace {

using Ops = std::vector<std::string_view>;

std::vector<System> all_systems() {
    const Ops verbs{"rdma_write", "send_recv"};
    const Ops gm{"send_recv", "rdma_write"};
    const Ops remote_write{"rdma_write"};
    const Ops tagged{"tagged"};
    const Ops messages{"send_recv"};  // matched by the adapter, as all that MX sends
    const Ops mpi{};
    return {
        {"liu04", "infiniband-pcix/vapi", "infiniband-pcix-liu04", verbs},
        {"liu04", "myrinet2000/gm", "myrinet2000-gm", gm},
        {"liu04", "quadrics/elanlib", "quadrics-liu04", remote_write},
        {"petrini02", "quadrics/elan3lib", "quadrics", remote_write},
        {"petrini02", "quadrics/tports", "quadrics", tagged},
        {"liu04pcie", "infiniband-pcie/vapi", "infiniband-pcie", verbs},
        {"liu04pcie", "infiniband-pcix/vapi", "infiniband-pcix", verbs},
        {"rashti07", "iwarp-netEffect/verbs", "neteffect-iwarp", remote_write},
        {"rashti07", "iwarp-netEffect/openfabrics", "neteffect-iwarp", remote_write},
        {"rashti07", "infiniband-pcie/vapi", "infiniband-memfree", remote_write},
        {"rashti07", "infiniband-pcie/openfabrics", "infiniband-memfree", remote_write},
        {"rashti07", "mx10g-myrinet/mx", "mx10g-myrinet", messages},
        {"rashti07", "mx10g-ethernet/mx", "mx10g-ethernet", messages},
        {"petrini02", "quadrics/mpi", "quadrics", mpi},
        {"liu04pcie", "infiniband-pcie/mpi", "infiniband-pcie", mpi},
        {"liu04pcie", "infiniband-pcix/mpi", "infiniband-pcix", mpi},
        {"wu02", "clan-via/mvich", "clan-via", mpi},
        // One process on each of eight nodes (section 5.5).
        {"wu02", "bvia-myrinet/mvich", "berkeley-via", mpi, 8},
        // How many VIs a program makes does not depend on the network; cLAN takes as many processes
        // as Table 2 has, Berkeley VIA only eight.
        {"wu02", "via/mvich", "clan-via", mpi},
        {"rashti07", "mx10g-myrinet/mpi", "mx10g-myrinet", mpi},
        {"rashti07", "mx10g-ethernet/mpi", "mx10g-ethernet", mpi},
        {"rashti07", "infiniband-pcie/mpi", "infiniband-memfree", mpi},
        {"rashti07", "iwarp-netEffect/mpi", "neteffect-iwarp", mpi},
    };
}

struct Group {
    std::string_view seed, word;
    std::vector<std::string_view> slugs;

    bool of_mpi() const { return is_mpi(slugs.front()); }
};

std::vector<Group> make_groups() {
    return {
        {"liu04", "all", {"infiniband-pcix/vapi", "myrinet2000/gm", "quadrics/elanlib"}},
        {"liu04pcie", "infiniband", {"infiniband-pcie/vapi", "infiniband-pcix/vapi"}},
        {"petrini02", "quadrics", {"quadrics/elan3lib", "quadrics/tports"}},
        {"rashti07",
         "all",
         {"mx10g-myrinet/mx", "mx10g-ethernet/mx", "infiniband-pcie/vapi",
          "iwarp-netEffect/verbs"}},
        {"rashti07", "mx10g/mx", {"mx10g-myrinet/mx", "mx10g-ethernet/mx"}},
        {"rashti07",
         "all",
         {"mx10g-myrinet/mpi", "mx10g-ethernet/mpi", "infiniband-pcie/mpi", "iwarp-netEffect/mpi"}},
        // The paper gives one number for both switches.
        {"rashti07", "mx10g/mpi", {"mx10g-myrinet/mpi", "mx10g-ethernet/mpi"}},
        // Whom its ranks talk to is the program's own affair.
        {"wu02", "application/CG", {"via/mvich"}},
    };
}

constexpr std::array<std::string_view, 26> user_level{
    "latency-uni",
    "latency-rdma-read",
    "latency-atomic",
    "bandwidth-uni-queue",
    "bandwidth-uni-window",
    "latency-bi",
    "bandwidth-bi-queue",
    "bandwidth-bi-window",
    "host-overhead-latency",
    "host-overhead-bandwidth",
    "completion-polling",
    "completion-blocking",
    "buffer-reuse-fifo",
    "buffer-reuse-percent",
    "hotspot-send",
    "hotspot-recv",
    "quadrics-ping-uni",
    "quadrics-ping-bi",
    "quadrics-hotspot",
    "bandwidth-uni-two-port",
    "bandwidth-bi-two-port",
    "bandwidth-uni-two-process",
    "bandwidth-bi-two-process",
    "user-pingpong",
    "multiconn-latency",
    "multiconn-throughput",
};

constexpr std::array<std::string_view, 16> mpi_level{
    "mpi-latency",
    "mpi-bandwidth-uni-multiport",
    "mpi-bandwidth-bi-multiport",
    "mpi-bandwidth-uni",
    "mpi-bandwidth-pingpong",
    "mpi-bandwidth-bothway",
    "mpi-logp",
    "mpi-buffer-reuse",
    "mpi-unexpected-queue",
    "mpi-receive-queue",
    "destinations-per-process",
    "vi-count",
    "mvich-latency-bandwidth",
    "allreduce-latency",
    "npb-cpu-time",
    "mpi-init-time",
};

void add(std::vector<const System*>& out, const Record& record, std::string_view word) {
    static const std::vector<Group> groups = make_groups();
    if (const System* system = find_system(record.seed, word)) out.push_back(system);
    for (const Group& group : groups)
        if (group.seed == record.seed && group.word == word &&
            (word != "all" || group.of_mpi() != is_user_level(record.experiment)))
            for (const std::string_view slug : group.slugs)
                out.push_back(find_system(record.seed, slug));
}

}  // namespace

std::span<const System> systems() {
    static const std::vector<System> all = all_systems();
    return all;
}

const System* find_system(std::string_view seed, std::string_view slug) {
    for (const System& system : systems())
        if (system.seed == seed && system.slug == slug) return &system;
    return nullptr;
}

std::vector<const System*> systems_of(const Record& record, std::string_view words) {
    std::vector<const System*> out;
    while (!words.empty()) {
        const std::size_t comma = std::min(words.find(','), words.size());
        add(out, record, words.substr(0, comma));
        words.remove_prefix(std::min(comma + 1, words.size()));
    }
    return out;
}

std::vector<const System*> systems_of(const Record& record) {
    return systems_of(record, record.system);
}

const System& below(const System& mpi) {
    for (const System& system : systems())
        if (system.seed == mpi.seed && system.fabric == mpi.fabric && !is_mpi(system.slug))
            return system;
    throw Error(fmt::format("{}: {} has no library below it", mpi.seed, mpi.slug));
}

bool is_mpi(std::string_view slug) {
    return slug.ends_with("/mpi") || slug.ends_with("/mvich");
}

bool is_user_level(std::string_view experiment) {
    return std::ranges::find(user_level, experiment) != user_level.end();
}

bool is_mpi_level(std::string_view experiment) {
    return std::ranges::find(mpi_level, experiment) != mpi_level.end();
}

}  // namespace railyard::reproduce
