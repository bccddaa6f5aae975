#include "launch/managers/join.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/network.hpp"
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
    return std::ranges::any_of(interface_addresses(), [](const InterfaceAddress& one) {
        return !one.is_loopback && !one.is_link_local;
    });
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
