#pragma once
/// A job whose ranks each have the engine's Process and a communicator of all, for tests.

#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "launch/job/job.hpp"
#include "mpi/engine/engine_lock.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/real_fabric.hpp"
#include "mpi/types/datatype.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

struct World {
    Process& process;
    Communicator& comm;

    int rank() const { return comm.rank(); }
    int size() const { return comm.size(); }

    void send(const std::vector<std::byte>& data, int to, int tag, Mode mode = Mode::standard) {
        process.send(ConstBuffer(data.data(), data.size(), bytes()), to, tag, comm, mode);
    }
    std::vector<std::byte> receive(std::size_t room, int from, int tag, Status* status = nullptr) {
        std::vector<std::byte> data(room);
        Status local;
        process.receive({data.data(), data.size(), &bytes()}, from, tag, comm, &local);
        if (status != nullptr) *status = local;
        data.resize(local.bytes);
        return data;
    }
    static const Datatype& bytes() { return *predefined(Basic::byte); }
};

using Change = std::function<void(Settings&)>;

inline void run_rank(job::Rank& rank, const std::function<void(World&)>& body,
                     const Change& change = {}) {
    Settings settings = Settings::from_environment(rank.nic().traits());
    if (change) change(settings);
    Process process(rank, settings);
    std::vector<int> all(static_cast<std::size_t>(rank.size()));
    std::iota(all.begin(), all.end(), 0);
    Communicator comm(process, 0, Group(all));
    World world{process, comm};
    body(world);
    const EngineLockGuard guard(process.lock().get());  // as whoever calls beside a progress thread
    process.finalize();
}

/// How a job of the fabric is run in tests: threads for real ones, so that sanitizers see all.
inline job::Result run_world(const std::string& fabric, int ranks,
                             const std::function<void(World&)>& body, const Change& change = {}) {
    job::Options options;
    options.fabric = fabric;
    options.ranks = ranks;
    options.pin = false;
    options.nodes = nodes_for(fabric, ranks);
    if (is_pair(fabric) || job::find_fabric(fabric)->clock == fabric::Clock::real)
        options.kind = job::Kind::threads;
    return job::run(options, [&](job::Rank& rank) { run_rank(rank, body, change); });
}

/// Ends the job of a rank that sees something wrong.
inline void expect(bool condition, const std::string& what) {
    if (!condition) throw Error(what);
}

/// So that there is a connection between two ranks, and both are here.
inline void meet(World& w) {
    const int other = 1 - w.rank();
    w.send({}, other, 100);
    w.receive(0, other, 100);
}

/// Bytes that tell from where they come.
inline std::vector<std::byte> pattern(std::size_t n, unsigned seed) {
    std::vector<std::byte> data(n);
    std::uint32_t x = seed * 2654435761u + 12345u;
    for (std::byte& b : data) {
        x = x * 1664525u + 1013904223u;
        b = static_cast<std::byte>(x >> 24);
    }
    return data;
}

}  // namespace railyard::mpi
