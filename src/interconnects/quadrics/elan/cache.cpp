#include "interconnects/quadrics/elan/cache.hpp"

#include <algorithm>
#include <utility>

namespace railyard::elan {

void Cache::access(std::uint64_t physical, sim::Action ready) {
    const std::uint64_t number = physical / line;
    ++accesses_;
    if (lines_.empty()) lines_.resize(lines_of_set);
    for (Line& candidate : lines_[number % lines_of_set]) {
        if (candidate.number != number) continue;
        candidate.used = accesses_;
        ++hits_;
        engine_.schedule(engine_.now() + hit_time, std::move(ready));
        return;
    }
    auto& waiting = filling_[number];
    waiting.push_back(std::move(ready));
    if (waiting.size() > 1) return;
    ++fills_;
    path_.fill(fill_time_, [this, number] { filled(number); });
}

void Cache::filled(std::uint64_t number) {
    auto& candidates = lines_[number % lines_of_set];
    const auto older = [](const Line& a, const Line& b) { return a.used < b.used; };
    *std::min_element(candidates.begin(), candidates.end(), older) = {number, accesses_};
    auto waiting = filling_.extract(number);
    for (sim::Action& ready : waiting.mapped())
        engine_.schedule(engine_.now() + hit_time, std::move(ready));
}

}  // namespace railyard::elan
