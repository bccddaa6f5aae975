#include "reproduce/systems.hpp"

#include <algorithm>
#include <array>

namespace railyard::reproduce {

namespace {

using Ops = std::vector<std::string_view>;

std::vector<System> make() {
    const Ops verbs{"rdma_write", "send_recv"};
    const Ops gm{"send_recv", "rdma_write"};
    const Ops remote_write{"rdma_write"};
    const Ops tagged{"tagged"};
    const Ops messages{"send_recv"};  // matched by the adapter, as all that MX sends
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
    };
}

struct Group {
    std::string_view seed, word;
    std::vector<std::string_view> slugs;
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

void add(std::vector<const System*>& out, std::string_view seed, std::string_view word) {
    static const std::vector<Group> groups = make_groups();
    if (const System* system = find_system(seed, word)) out.push_back(system);
    for (const Group& group : groups)
        if (group.seed == seed && group.word == word)
            for (const std::string_view slug : group.slugs)
                out.push_back(find_system(seed, slug));
}

}  // namespace

std::span<const System> systems() {
    static const std::vector<System> all = make();
    return all;
}

const System* find_system(std::string_view seed, std::string_view slug) {
    for (const System& system : systems())
        if (system.seed == seed && system.slug == slug) return &system;
    return nullptr;
}

std::vector<const System*> systems_of(std::string_view seed, std::string_view words) {
    std::vector<const System*> out;
    while (!words.empty()) {
        const std::size_t comma = std::min(words.find(','), words.size());
        add(out, seed, words.substr(0, comma));
        words.remove_prefix(std::min(comma + 1, words.size()));
    }
    return out;
}

bool is_mpi(std::string_view slug) {
    return slug.ends_with("/mpi") || slug.ends_with("/mvich");
}

bool is_user_level(std::string_view experiment) {
    return std::ranges::find(user_level, experiment) != user_level.end();
}

}  // namespace railyard::reproduce
