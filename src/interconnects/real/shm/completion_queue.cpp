#include "interconnects/real/shm/completion_queue.hpp"

#include "interconnects/real/shm/nic.hpp"

namespace railyard::shm {

CompletionQueue::CompletionQueue(Nic& nic, std::uint32_t depth) : nic_(nic), ring_(depth) {}

std::size_t CompletionQueue::poll(std::span<fabric::Completion> out) {
    if (ring_.empty()) nic_.make_progress();
    return ring_.take(out);
}

void CompletionQueue::wake_for(WakeFor what) {
    solicited_only_ = what == WakeFor::solicited;
    nic_.update_wake_rules();
}

}  // namespace railyard::shm
