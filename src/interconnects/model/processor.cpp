#include "interconnects/model/processor.hpp"

#include <algorithm>

namespace railyard::model {

Time Processor::run_from(Time at, Duration work, Duration rest, std::string_view what,
                         std::uint64_t id) {
    const Time begin = std::max(at, time_.free_at);
    time_.free_at = begin + work + rest;
    time_.show(what, begin, time_.free_at, id);
    return begin + work;
}

void Processor::run_when_idle(std::uint64_t peer, Duration work, sim::Action done) {
    const auto same = std::find_if(chores_.begin(), chores_.end(),
                                   [&](const Chore& chore) { return chore.peer == peer; });
    if (same != chores_.end()) {
        same->done.push_back(std::move(done));
        return;
    }
    Chore& chore = chores_.emplace_back();
    chore.peer = peer;
    chore.work = work;
    chore.done.push_back(std::move(done));
    if (!looks_later_) look_for_chores();
}

void Processor::look_for_chores() {
    looks_later_ = false;
    if (chores_.empty()) return;
    if (time_.free_at > engine_.now()) {
        looks_later_ = true;
        engine_.schedule(time_.free_at, [this] { look_for_chores(); });
        return;
    }
    Chore chore = std::move(chores_.front());
    chores_.pop_front();
    time_.free_at = engine_.now() + chore.work;
    time_.show("acknowledgment", engine_.now(), time_.free_at, chore.peer);
    // Taken up before anybody else is, should more work come at that very moment.
    looks_later_ = true;
    engine_.schedule(time_.free_at, [this, done = std::move(chore.done)]() mutable {
        for (sim::Action& action : done)
            action();
        look_for_chores();
    });
}

}  // namespace railyard::model
