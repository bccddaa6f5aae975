#include "launch/job/anonymous_memory.hpp"

#include <sys/mman.h>

#include "railyard/base/error.hpp"

namespace railyard::job {

AnonymousMemory::AnonymousMemory(Bytes size) {
    void* data = ::mmap(nullptr, size.count(), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (data == MAP_FAILED) throw system_error("cannot map memory for the bootstrap exchange");
    memory_ = {static_cast<std::byte*>(data), size.count()};
}

AnonymousMemory::~AnonymousMemory() {
    ::munmap(memory_.data(), memory_.size());
}

}  // namespace railyard::job
