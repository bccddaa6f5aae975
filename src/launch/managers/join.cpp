#include "launch/managers/join.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "launch/job/fabrics.hpp"
#include "launch/job/join.hpp"
#include "launch/managers/connect.hpp"
#include "launch/managers/managed_bootstrap.hpp"

namespace railyard::managers {

namespace {

/// The manager of a process whose rank has left the job. It is told at the exit and not before: a
/// process that crashes after MPI_Finalize has failed.
struct Kept {
    std::shared_ptr<Manager> manager;
    pid_t process = 0;

    static Kept& instance() {
        // Never destroyed: exit handlers of others may still end the rank.
        static auto* const kept = new Kept;
        return *kept;
    }
};

void finalize_kept() {
    Kept& kept = Kept::instance();
    // A forked child is not the rank.
    if (kept.manager && kept.process == ::getpid()) kept.manager->finalize();
}

bool has_network() {
    ifaddrs* list = nullptr;
    if (::getifaddrs(&list) != 0) return false;
    const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> owned(list, ::freeifaddrs);
    for (const ifaddrs* one = list; one != nullptr; one = one->ifa_next)
        if (one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET &&
            (one->ifa_flags & IFF_UP) != 0 && (one->ifa_flags & IFF_LOOPBACK) == 0)
            return true;
    return false;
}

/// The fabric inside nodes, and the one between them where there are several.
std::string choose_fabrics(bool has_one_node) {
    const char* const wish = std::getenv("RAILYARD_FABRIC");
    const std::string wanted = wish != nullptr ? wish : "shm";
    if (has_one_node) return wanted.substr(0, wanted.find('+'));
    // Nodes that are one machine under several names may have no network.
    constexpr int keep_what_is_there = 0;
    if (has_network()) ::setenv("RAILYARD_IWARP_ADDRESS", "host", keep_what_is_there);
    if (wanted.find('+') != wanted.npos) return wanted;
    return job::FabricPair::for_hosts(wanted).text();
}

}  // namespace

std::unique_ptr<job::Rank> join() {
    const std::shared_ptr<Manager> manager = connect_to_manager();
    if (!manager) return job::join();
    Kept::instance().process = ::getpid();
    static const bool registered = std::atexit(&finalize_kept) == 0;
    static_cast<void>(registered);
    std::unique_ptr<ManagedBootstrap> bootstrap;
    try {
        bootstrap = std::make_unique<ManagedBootstrap>(manager, [](std::shared_ptr<Manager> left) {
            Kept::instance().manager = std::move(left);
        });
    } catch (const std::exception& error) {
        manager->abort(1, error.what());
        throw;
    }
    const bool shares_cores = bootstrap->shares_cores();
    const std::string fabrics = choose_fabrics(bootstrap->has_one_node());
    bootstrap->agree_on_fabrics(fabrics);
    return job::join_by(std::move(bootstrap), fabrics, shares_cores);
}

}  // namespace railyard::managers
