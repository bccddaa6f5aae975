#include "experiments/buffer.hpp"

#include <cstring>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

Buffer::Buffer(fabric::Nic& nic, Bytes size, fabric::Access access, Memory memory,
               fabric::Home home) {
    constexpr std::size_t page = 4096;
    const std::size_t whole = (size.count() / page + 1) * page;
    if (memory == Memory::user) {
        user_memory_.reset(static_cast<std::byte*>(std::aligned_alloc(page, whole)));
        if (!user_memory_) throw Error("no memory for a buffer of the experiment");
        region_ = nic.register_memory({user_memory_.get(), whole}, access);
    } else {
        region_ = nic.allocate(Bytes(whole), access, home);
    }
    // In virtual time touching takes none, and what a Nic allocates is nought already.
    if (memory == Memory::user || nic.traits().clock == fabric::Clock::real)
        std::memset(region_->data(), 0, whole);
}

}  // namespace railyard::experiments
