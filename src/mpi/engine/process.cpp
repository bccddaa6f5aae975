#include "mpi/engine/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "base/rank_local.hpp"
#include "mpi/engine/counters.hpp"
#include "mpi/engine/direct_memory.hpp"
#include "mpi/engine/shared_hub.hpp"

namespace railyard::mpi {

namespace {

Circumstances circumstances_of(job::Rank& rank, const Settings& settings) {
    Circumstances c;
    c.shares_cores = rank.shares_core();
    c.one_node = rank.is_all_on_one_node();
    const fabric::Traits& traits = rank.nic().traits();
    c.has_hub =
        settings.shared_memory && c.one_node && traits.maps_allocated && traits.coherent_atomics;
    c.has_wide_hub = c.has_hub;
    c.reads_directly = c.has_hub;
    return c;
}

/// The nodes of ranks with these names of theirs; null: there is nothing to gain by them. Ranks of
/// one process have one object: what each had for itself would grow with the square of their
/// number.
std::shared_ptr<const Nodes> shared_nodes(std::vector<fabric::NodeId> names) {
    static std::mutex mutex;
    static std::map<std::vector<fabric::NodeId>, std::weak_ptr<const Nodes>> known;
    static std::vector<fabric::NodeId> known_without;  ///< those that were last asked for in vain
    const std::lock_guard lock(mutex);
    if (names == known_without) return nullptr;
    if (const auto found = known.find(names); found != known.end())
        if (auto nodes = found->second.lock()) return nodes;
    auto nodes = Nodes::of(names);
    if (!nodes) {
        known_without = std::move(names);
        return nullptr;
    }
    auto shared = std::make_shared<const Nodes>(std::move(*nodes));
    std::erase_if(known, [](const auto& entry) { return entry.second.expired(); });
    known[std::move(names)] = shared;
    return shared;
}

// Often enough for a rendezvous to advance in the time its data take; seldom enough to leave the
// core to the program.
constexpr Duration progress_interval = Duration::us(20);

}  // namespace

void EngineLock::enter() {
    if (depth_++ == 0 && beside_ != nullptr) beside_->enter();
}

void EngineLock::leave() {
    if (--depth_ == 0 && beside_ != nullptr) beside_->leave();
}

/// Makes progress, holding the lock, again and again until it is destroyed.
class ProgressThread {
  public:
    ProgressThread(std::shared_ptr<EngineLock> lock, std::function<void()> progress)
        : lock_(std::move(lock)),
          thread_([this, progress = std::move(progress),
                   words = rank_local::here](const std::stop_token& stop) {
              // Operations of the user's may ask MPI about their datatype.
              rank_local::here = words;
              // An error ends this thread alone: the program's next call meets it and reports it.
              try {
                  while (!stop.stop_requested()) {
                      {
                          const EngineLockGuard guard(lock_.get());
                          progress();
                      }
                      nap(progress_interval);
                  }
              } catch (const std::exception&) {
                  return;
              }
          }) {}
    ~ProgressThread() {
        thread_.request_stop();
        // Whoever ends it may hold the lock, for which the thread may wait a last time.
        const bool held = lock_->is_held();
        if (held) lock_->unlock();
        thread_.join();
        if (held) lock_->lock();
    }

  private:
    std::shared_ptr<EngineLock> lock_;
    std::jthread thread_;
};

Process::Process(job::Rank& rank) : Process(rank, common_settings(rank, rank.nic().traits())) {}

Process::Process(job::Rank& rank, const Settings& settings)
    : Process(rank, std::make_shared<const Settings>(settings)) {}

Process::Process(job::Rank& rank, std::shared_ptr<const Settings> settings)
    : rank_(rank),
      host_(rank.host()),
      held_settings_(std::move(settings)),
      settings_(*held_settings_),
      algorithms_(parse_algorithms(settings_.algorithms)),
      circumstances_(circumstances_of(rank, settings_)),
      world_rank_(rank.id()),
      scheduler_(*this) {
    const bool in_virtual_time = rank.nic().traits().clock == fabric::Clock::virtual_time;
    Overhead overhead(host_, settings_, in_virtual_time);
    overhead.exchange_addresses(rank_.size());
    const EngineState engine{rank_,     host_,    settings_, counters_,
                             requests_, watched_, overhead,  message_watch_};
    const bool tagged = settings_.tagged && rank.nic().tagged_port() != nullptr;
    transport_ = tagged ? make_tagged_transport(engine) : make_channel_transport(engine);
    if (settings_.progress_thread) start_progress_thread();
    rank_.bootstrap().commit();
    // Nobody computes, or ends, before all can be reached.
    if (settings_.connections != Connections::on_demand) rank_.bootstrap().fence();
}

Process::~Process() {
    if (lock_) lock_->is_alone();
}

void Process::start_progress_thread() {
    if (allow_threads()) {
        attendants_.begin_wait();
        progress_thread_ = std::make_unique<ProgressThread>(lock_, [this] { progress(); });
        return;
    }
    beside_ = rank_.serve_beside([this] { progress_beside(); });
    lock_ = std::make_shared<EngineLock>(*beside_);
}

/// In virtual time the fiber answers requests for connections (OD-11) at any time, and goes on with
/// collectives that were started while the rank is in no call. All else waits for the rank's calls.
void Process::progress_beside() {
    transport_->answer_requests();
    if (scheduler_.is_idle()) return;
    beside_->have_a_turn([this] {
        while (!scheduler_.is_idle() && (progress() || transport_->has_left())) {
        }
    });
}

void Process::wake(int world_rank) {
    if (transport_->wake(world_rank)) return;
    rank_.nic().wake(address_of(rank_, world_rank, address_key));
}

bool Process::allow_threads() {
    if (rank_.nic().traits().clock != fabric::Clock::real) return false;
    if (!lock_) lock_ = std::make_shared<EngineLock>();
    return true;
}

void Process::finalize() {
    wait_until([this] { return transport_->is_drained(); });
    progress_thread_.reset();
    // Until all are here, one may ask whether we have matched its send. Those who were the last may
    // have left by the time we look: they are no loss any more.
    bool connected = true;
    WatchedWait watched(stalls_);
    const auto serve = [&] {
        if (stalls_ != nullptr) watched.slept(host_.now());
        try {
            host_.progress();
            if (connected) progress();
        } catch (const std::exception&) {
            connected = false;
        }
    };
    if (settings_.stats) report_counters(serve);
    rank_.bootstrap().fence_while(serve);
    if (beside_) lock_->is_alone();
    beside_.reset();
    transport_->close();
}

std::uint64_t Process::movement() {
    const auto words = std::bit_cast<std::array<std::uint64_t, sizeof(Counters) / 8>>(counters_);
    std::uint64_t sum = host_.arrivals();
    for (const std::uint64_t word : words)
        sum = sum * 31 + word;
    requests_.for_each_pending(
        [&](const Request& request) { sum = sum * 31 + request.index() + request.moved; });
    return sum;
}

void Process::report_counters(const std::function<void()>& meanwhile) {
    constexpr std::string_view key = "mpi.counters";
    rank_.bootstrap().put(key, std::as_bytes(std::span(&counters_, 1)));
    rank_.bootstrap().fence_while(meanwhile);
    if (world_rank_ != 0) return;
    std::vector<Counters> all(static_cast<std::size_t>(world_size()));
    for (int r = 0; r < world_size(); ++r) {
        const auto bytes = rank_.bootstrap().get(r, key);
        std::memcpy(&all[static_cast<std::size_t>(r)], bytes.data(), sizeof(Counters));
    }
    std::fputs(table_of(all).c_str(), stderr);
}

Communicator::Communicator(Process& process, std::uint32_t context, Group group)
    : Communicator(process, context, group, group) {
    is_inter_ = false;
}

Communicator::Communicator(Process& process, std::uint32_t context, Group local, Group remote)
    : context_(context),
      rank_(local.rank_of(process.world_rank())),
      peer_count_(remote.size()),
      first_peer_(remote.first_world_rank()),
      world_ranks_(remote.list()),
      process_(process),
      size_(local.size()),
      is_inter_(true),
      group_(std::move(local)),
      peers_(std::move(remote)) {}

Communicator::~Communicator() = default;

SharedHub& Communicator::make_hub(std::unique_ptr<SharedHub>& hub) {
    const bool is_wide = &hub == &wide_hub_;
    hub = std::make_unique<SharedHub>(process_, *this, is_wide ? Hub::wide : Hub::small,
                                      is_wide ? ScheduleTags::of_wide_hub : ScheduleTags::of_hub);
    return *hub;
}

DirectMemory& Communicator::make_direct_memory() {
    direct_memory_ = std::make_unique<DirectMemory>(process_, *this);
    return *direct_memory_;
}

const Surroundings& Communicator::surroundings() {
    if (surroundings_) return *surroundings_;
    surroundings_.emplace().circumstances = process_.circumstances();
    Circumstances& circumstances = surroundings_->circumstances;
    if (circumstances.one_node) return *surroundings_;
    struct Found {
        bool one_node = false;
        std::shared_ptr<const Nodes> nodes;
    };
    const auto look = [&] {
        std::vector<fabric::NodeId> names;
        for (int rank = 0; rank < size_; ++rank)
            names.push_back(process_.rank().node_of(world_rank(rank)));
        auto found = std::make_shared<Found>();
        found->one_node = std::ranges::adjacent_find(names, std::not_equal_to<>()) == names.end();
        found->nodes = shared_nodes(std::move(names));
        return found;
    };
    // Of many ranks, not each is to look at all.
    std::shared_ptr<const Found> found;
    if (group_.is_range())
        found = process_.rank().common<Found>(
            fmt::format("mpi.nodes.{}.{}", group_.first_world_rank(), size_), look);
    else
        found = look();
    circumstances.one_node = found->one_node;
    surroundings_->nodes = found->nodes;
    circumstances.shares_nodes = surroundings_->nodes != nullptr;
    circumstances.nodes_in_order =
        circumstances.shares_nodes && surroundings_->nodes->are_in_order();
    return *surroundings_;
}

}  // namespace railyard::mpi
