#include "experiments/user/buffer.hpp"

#include <cstring>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(Bytes size) {
    return (size.count() / page_bytes + 1) * page_bytes;
}

}  // namespace

Pages make_pages(Bytes size) {
    const std::size_t whole = whole_pages(size);
    Pages pages(static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole)));
    if (!pages) throw Error("no memory for a buffer of the experiment");
    std::memset(pages.get(), 0, whole);
    return pages;
}

Buffer::Buffer(fabric::Nic& nic, Bytes size, fabric::Access access, Memory memory,
               fabric::Home home) {
    const std::size_t whole = whole_pages(size);
    if (memory == Memory::user) {
        user_memory_ = make_pages(size);
        region_ = nic.register_memory({user_memory_.get(), whole}, access);
        return;
    }
    region_ = nic.allocate(Bytes(whole), access, home);
    // In virtual time, what a Nic allocates is zero already.
    if (nic.traits().clock == fabric::Clock::real) std::memset(region_->data(), 0, whole);
}

}  // namespace railyard::experiments
