#include "traffic/watchdog.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>

namespace railyard::soak {

Watchdog::Watchdog(const std::vector<std::unique_ptr<Lane>>& lanes, int seconds)
    : lanes_(lanes), seconds_(seconds) {
    if (seconds > 0) thread_ = std::thread([this] { watch(); });
}

Watchdog::~Watchdog() {
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    ended_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void Watchdog::watch() {
    std::uint64_t seen = 0;
    int still = 0;  // seconds
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, std::chrono::seconds(1), [this] { return is_over_; })) {
        std::uint64_t beats = 0;
        for (const auto& lane : lanes_)
            beats += lane->where.beats.load(std::memory_order_relaxed);
        still = beats == seen ? still + 1 : 0;
        seen = beats;
        if (still < seconds_) continue;
        bark();
        // The other ranks of the job have something to say, too.
        lock.unlock();
        std::this_thread::sleep_for(std::chrono::seconds(3));
        ::_exit(exit_code);
    }
}

void Watchdog::bark() const {
    for (const auto& lane : lanes_) {
        const Where& where = lane->where;
        constexpr auto relaxed = std::memory_order_relaxed;
        std::fprintf(
            stderr, "soak: HANGS: rank %d, lane %d, round %d: %s, peer %d, tag %d, %d of %d done\n",
            lane->world_rank, lane->number, where.round.load(relaxed), where.step.load(relaxed),
            where.peer.load(relaxed), where.tag.load(relaxed), where.done.load(relaxed),
            where.all.load(relaxed));
    }
    std::fflush(stderr);
}

}  // namespace railyard::soak
