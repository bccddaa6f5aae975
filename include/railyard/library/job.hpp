#pragma once
/// Where a program of yours begins: a job of so many ranks on a fabric, by its name, all of which
/// run the same function. On a fabric that moves bytes ranks are processes; on a model they are
/// fibers of one simulation, and the same function runs in virtual time.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "railyard/base/error.hpp"
#include "railyard/fabric.hpp"
#include "railyard/fault_report.hpp"
#include "railyard/nic.hpp"
#include "railyard/traits.hpp"

namespace railyard {

namespace job {
class Rank;
}

/// What a rank is to the system. Models have fibers, all others processes, or threads on demand.
enum class RankKind : std::uint8_t { processes, threads, fibers };

/// What is to be started.
struct Job {
    /// `railyard fabrics` lists them. The path of a profile is a name, too.
    std::string fabric = "shm";
    int ranks = 2;
    /// Unset: as the fabric's clock has it. Threads let a debugger or a sanitizer see all ranks.
    std::optional<RankKind> kind{};
    /// Which node each rank is on. Empty: in virtual time a node each, else all on node 0.
    std::vector<fabric::NodeId> nodes{};
    bool pin = true;  ///< one core a rank, as long as there are enough
    /// In virtual time: what the parts of the network did is written there, for Perfetto.
    std::filesystem::path trace{};
    /// Of models: a script of faults that strike the network (docs/faults.md).
    std::filesystem::path faults{};
};

/// How it ended.
struct JobResult {
    bool ok = true;
    std::string failure{};  ///< names rank, pid, and signal, code or exception
    int exit_code = 0;      ///< what the program should exit with
    /// What ranks gave to Rank::deliver, in the order of arrival; of one rank, in its order.
    std::vector<std::string> delivered{};
    fabric::FaultReport faults{};  ///< what the script of faults did, where there was one
};

/// One member of a job, as its code sees it. Lives as long as the call that is given it.
class Rank {
  public:
    /// For the library itself: `inside` outlives this.
    explicit Rank(job::Rank& inside) : inside_(&inside) {}

    int id() const;
    int size() const;
    fabric::NodeId node_of(int rank) const;
    fabric::NodeId node() const { return node_of(id()); }

    /// Clock and ways to wait. All that reads a clock or waits goes through it.
    fabric::Host& host();
    /// This rank's Nic on the job's fabric, opened at first use and kept.
    fabric::Nic& nic();
    /// A further Nic, on any fabric of the same clock. Throws Error.
    std::unique_ptr<fabric::Nic> open(std::string_view fabric);

    // An exchange of small values before any connection stands, under (rank, key).

    /// Publishes a value. A key is put once.
    void put(std::string_view key, std::span<const std::byte> value);
    /// What `rank` has put under `key`; waits until it is there.
    std::vector<std::byte> get(int rank, std::string_view key);
    /// Returns once every rank has entered.
    void fence();
    /// A plain value of every rank, in the order of ranks. All call it, each key once.
    template <class T>
    std::vector<T> gather(std::string_view key, const T& mine);

    /// Hands bytes to whoever called run(): the way back from another process.
    void deliver(std::string bytes);
    /// Ends the whole job with that exit code.
    [[noreturn]] void abort(int code, std::string_view why);

  private:
    job::Rank* inside_;
};

/// Runs `body` on every rank and returns when all have ended. What a rank throws ends the job: the
/// others are ended within two seconds, and the result names the rank and the cause. Throws
/// UsageError for a job that makes no sense, before anything runs.
///
/// Ranks that are processes are forked here: call it before the program starts threads.
JobResult run(const Job& job, const std::function<void(Rank&)>& body);

/// "0.1.0"; the version of the library that runs, not of the headers.
std::string_view version();

template <class T>
std::vector<T> Rank::gather(std::string_view key, const T& mine) {
    static_assert(std::is_trivially_copyable_v<T>, "values travel as plain bytes");
    put(key, std::as_bytes(std::span<const T>(&mine, 1)));
    std::vector<T> all(static_cast<std::size_t>(size()));
    for (int rank = 0; rank < size(); ++rank) {
        const std::vector<std::byte> value = get(rank, key);
        if (value.size() != sizeof(T))
            throw Error("gather: rank " + std::to_string(rank) +
                        " has put a value of another size");
        std::memcpy(&all[static_cast<std::size_t>(rank)], value.data(), sizeof(T));
    }
    return all;
}

}  // namespace railyard
