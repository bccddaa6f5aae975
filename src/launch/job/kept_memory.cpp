#include "launch/job/kept_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace railyard::job {

KeptMemories::KeptMemories(const KeptMemoryOptions& options, const std::vector<int>& ranks) {
    if (options.size == Bytes()) return;
    for (const int rank : ranks) {
        SharedMemory memory = SharedMemory::create("railyard-kept", options.size);
        std::memcpy(memory.data(), options.begins_with.data(),
                    std::min<std::size_t>(options.begins_with.size(), options.size.count()));
        memories_.emplace(rank, std::move(memory));
    }
}

SharedMemory::Handle KeptMemories::handle(int rank) const {
    const auto found = memories_.find(rank);
    return found != memories_.end() ? found->second.handle() : SharedMemory::Handle{};
}

std::string_view KeptMemories::used(int rank) const {
    const auto found = memories_.find(rank);
    if (found == memories_.end()) return {};
    const SharedMemory& memory = found->second;
    std::uint64_t used = 0;
    std::memcpy(&used, memory.data(), sizeof used);
    return {reinterpret_cast<const char*>(memory.data()),
            std::min<std::size_t>(used, memory.size().count())};
}

}  // namespace railyard::job
