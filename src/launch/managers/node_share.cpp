#include "launch/managers/node_share.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>

#include "base/topology.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

namespace {

constexpr std::size_t most_cores = 4096;
constexpr std::size_t page_size = 64 << 10;  // a whole number of pages of any machine

std::size_t head_size(int members) {
    const std::size_t needed = 1024 + sizeof(std::int32_t) * static_cast<std::size_t>(members);
    return (needed + page_size - 1) / page_size * page_size;
}

std::span<std::byte> behind_head(const SharedMemory& memory, int members) {
    const std::size_t head = head_size(members);
    return {memory.data() + head, memory.size().count() - head};
}

std::uint64_t size_for(int members) {
    return head_size(members) + job::Board::size_for(members).count();
}

}  // namespace

struct NodeShare::Page {
    std::atomic<std::int32_t> entered;
    std::array<std::atomic<std::uint64_t>, most_cores / 64> cores;
    std::atomic<std::int32_t> processes[1];  ///< as many as members
};

NodeShare NodeShare::create(int members) {
    static_assert(sizeof(Page) <= 1024);
    SharedMemory memory = SharedMemory::create("railyard-node", Bytes(size_for(members)));
    const job::Board board = job::Board::format(behind_head(memory, members), members);
    return {std::move(memory), board};
}

NodeShare NodeShare::open(const SharedMemory::Handle& handle, int members) {
    if (handle.size != size_for(members))
        throw Error(fmt::format("the node's memory is not for {} ranks", members));
    SharedMemory memory = SharedMemory::open(handle);
    const job::Board board = job::Board::attach(behind_head(memory, members));
    return {std::move(memory), board};
}

NodeShare::Page& NodeShare::page() const {
    return *reinterpret_cast<Page*>(memory_.data());
}

void NodeShare::enter(int member) {
    for (const int core : allowed_cores())
        if (static_cast<std::size_t>(core) < most_cores)
            page().cores[static_cast<std::size_t>(core) / 64].fetch_or(
                std::uint64_t{1} << (core % 64), std::memory_order_relaxed);
    page().processes[member].store(::getpid(), std::memory_order_relaxed);
    board_.join(member);
    // With the acquire of entered(): whoever counts this member sees what it wrote.
    page().entered.fetch_add(1, std::memory_order_acq_rel);
}

int NodeShare::entered() const {
    return page().entered.load(std::memory_order_acquire);
}

bool NodeShare::await_all(Duration patience) const {
    constexpr Duration nap = Duration::us(200);
    for (Duration waited; entered() < members(); waited += nap) {
        if (waited >= patience) return false;
        ::usleep(200);
    }
    return true;
}

pid_t NodeShare::process_of(int member) const {
    return page().processes[member].load(std::memory_order_relaxed);
}

bool NodeShare::shares_cores() const {
    int cores = 0;
    for (const auto& word : page().cores)
        cores += std::popcount(word.load(std::memory_order_relaxed));
    return members() > cores;
}

}  // namespace railyard::managers
