#include "interconnects/virtual/model/processor.hpp"

#include <algorithm>
#include <utility>

namespace railyard::model {

Time Processor::run_from(Time at, Duration work, Duration rest, std::string_view what,
                         std::uint64_t id) {
    const Time begin = std::max(at, time_.free_at);
    time_.free_at = begin + work + rest;
    time_.busy += work + rest;
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
    doing_ = std::move(chores_.front());
    chores_.pop_front();
    time_.free_at = engine_.now() + doing_.work;
    time_.busy += doing_.work;
    time_.show("acknowledgment", engine_.now(), time_.free_at, doing_.peer);
    // Told before anything else is taken up, should more work come at that very moment.
    looks_later_ = true;
    engine_.schedule(time_.free_at, [this] {
        tell(doing_);
        look_for_chores();
    });
}

void Processor::tell(Chore& chore) {
    for (sim::Action& action : std::exchange(chore.done, {}))
        action();
}

void Processor::tell_now(std::uint64_t peer) {
    if (doing_.peer == peer) tell(doing_);
    for (std::size_t i = 0; i < chores_.size(); ++i)
        if (chores_[i].peer == peer) return tell(chores_[i]);
}

}  // namespace railyard::model
