#include "traffic/lane.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "traffic/random.hpp"

namespace railyard::soak {

std::byte* Arena::take(std::size_t bytes, std::size_t alignment) {
    constexpr std::size_t least = std::size_t{1} << 20;
    used_ = (used_ + alignment - 1) / alignment * alignment;
    while (chunk_ < chunks_.size() && used_ + bytes > chunks_[chunk_].size) {
        ++chunk_;
        used_ = 0;
    }
    if (chunk_ == chunks_.size()) {
        const std::size_t size = std::max(bytes, least);
        chunks_.push_back({std::make_unique<std::byte[]>(size), size});
        held_.fetch_add(size, std::memory_order_relaxed);
    }
    std::byte* const piece = chunks_[chunk_].memory.get() + used_;
    used_ += bytes;
    return piece;
}

Team team_of(MPI_Comm comm) {
    Team team;
    team.comm = comm;
    MPI_Comm_rank(comm, &team.rank);
    MPI_Comm_size(comm, &team.size);
    return team;
}

void Lane::fail(const std::string& what) const {
    std::fprintf(stderr, "soak: WRONG: rank %d, lane %d, round %d, %s: %s\n", world_rank, number,
                 where.round.load(std::memory_order_relaxed),
                 where.step.load(std::memory_order_relaxed), what.c_str());
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 9);
    std::abort();  // not reached
}

const std::byte* pattern() {
    constexpr std::size_t size = (std::size_t{4} << 20) + (std::size_t{64} << 10) + 64;
    static const std::unique_ptr<std::byte[]> bytes = [] {
        auto made = std::make_unique<std::byte[]>(size);
        for (std::size_t i = 0; i < size; i += sizeof(std::uint64_t)) {
            const std::uint64_t word = mix(i);
            std::memcpy(made.get() + i, &word, sizeof word);
        }
        return made;
    }();
    return bytes.get();
}

}  // namespace railyard::soak
