#include "interconnects/real/ofi/module/grants.hpp"

#include <sys/mman.h>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/buffers.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

// Keys that have ended and still lead somewhere. A peer that uses an older one loses its
// connection.
constexpr std::size_t most_ended = 256;

}  // namespace

Grants::~Grants() {
    while (!ended_.empty())
        forget_oldest();
}

void Grants::forget_oldest() {
    const Ended& oldest = ended_.front();
    std::byte* const sink = oldest.sink;
    const std::size_t size = oldest.size;
    ended_.pop_front();
    ::munmap(sink, size);
}

Grants::Grant Grants::grant(std::span<std::byte> memory, std::uint64_t key) {
    return {register_for_writes(device_, memory, key), key};
}

void Grants::revoke(Grant& grant, std::size_t size) {
    if (grant.key == 0) return;
    grant.registered.reset();
    if (ended_.size() == most_ended) forget_oldest();
    void* const sink = ::mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (sink == MAP_FAILED) return;
    auto* const memory = static_cast<std::byte*>(sink);
    try {
        ended_.push_back({register_for_writes(device_, {memory, size}, grant.key), memory, size});
    } catch (const Error& error) {
        log_debug("ofi: a key that has ended leads nowhere: {}", error.what());
        ::munmap(sink, size);
    }
    grant.key = 0;
}

}  // namespace railyard::ofi
