#include "interconnects/virtual/common/tagged_registrations.hpp"

#include <algorithm>

namespace railyard::virtual_time {

TaggedRegistrations::Work TaggedRegistrations::use(std::span<const std::byte> buffer) {
    const auto same = std::find_if(kept_.begin(), kept_.end(), [&](const auto& other) {
        return other.data() == buffer.data() && other.size() == buffer.size();
    });
    if (same != kept_.end()) {
        std::rotate(same, same + 1, kept_.end());
        return {};
    }
    Work work{Bytes(buffer.size()), std::nullopt};
    kept_.push_back(buffer);
    if (kept_.size() > capacity_) {
        work.deregistered = Bytes(kept_.front().size());
        kept_.erase(kept_.begin());
    }
    return work;
}

}  // namespace railyard::virtual_time
