#include "interconnects/real/iwarp/completion_queue.hpp"

#include "interconnects/real/iwarp/nic.hpp"

namespace railyard::iwarp {

CompletionQueue::CompletionQueue(Nic& nic, std::uint32_t depth) : nic_(nic), ring_(depth) {}

std::size_t CompletionQueue::poll(std::span<fabric::Completion> out) {
    const auto guard = nic_.guard();
    if (ring_.empty()) nic_.progress_once();
    return ring_.take(out);
}

void CompletionQueue::wake_for(WakeFor what) {
    const auto guard = nic_.guard();
    solicited_only_ = what == WakeFor::solicited;
}

}  // namespace railyard::iwarp
