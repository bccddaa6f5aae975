#include "base/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/foreign_descriptor.hpp"
#include "railyard/base/error.hpp"

namespace railyard {

/// What this process has created, so that opening it again gives the same addresses.
struct LocalMappings {
    std::mutex mutex;
    std::map<std::uint64_t, std::weak_ptr<SharedMemory::Mapping>> by_inode;

    static LocalMappings& instance() {
        // Never destroyed: mappings may outlive every static object.
        static auto* const mappings = new LocalMappings;
        return *mappings;
    }
    std::shared_ptr<SharedMemory::Mapping> find(const SharedMemory::Handle& handle) {
        const std::lock_guard lock(mutex);
        const auto found = by_inode.find(handle.inode);
        if (found == by_inode.end()) return nullptr;
        auto mapping = found->second.lock();
        return mapping && mapping->handle == handle ? mapping : nullptr;
    }
    void add(const std::shared_ptr<SharedMemory::Mapping>& mapping) {
        const std::lock_guard lock(mutex);
        by_inode[mapping->handle.inode] = mapping;
    }
    void remove(std::uint64_t inode) {
        const std::lock_guard lock(mutex);
        const auto found = by_inode.find(inode);
        if (found != by_inode.end() && found->second.expired()) by_inode.erase(found);
    }
};

namespace {

/// To exceed the limit is to be killed by SIGXFSZ.
void check_size(std::uint64_t size) {
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || size <= limit.rlim_cur) return;
    throw Error(fmt::format(
        "cannot make shared memory of {} bytes: it counts as a file, and files may have "
        "{} at most; raise the limit (ulimit -f)",
        size, limit.rlim_cur));
}

std::byte* map(int fd, std::uint64_t size) {
    void* address = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    if (address == MAP_FAILED)
        throw Error(system_error(fmt::format("cannot map {} bytes of shared memory", size)).what() +
                    std::string("; is the address space limited (ulimit -v)?"));
    return static_cast<std::byte*>(address);
}

std::uint64_t inode_of(int fd) {
    struct stat status {};
    if (fstat(fd, &status) != 0) throw system_error("cannot inspect shared memory");
    return status.st_ino;
}

}  // namespace

SharedMemory::Mapping::~Mapping() {
    if (data != nullptr) munmap(data, handle.size);
    if (fd >= 0) {
        LocalMappings::instance().remove(handle.inode);
        withdraw_descriptor(fd);
        close(fd);
    }
}

SharedMemory SharedMemory::create(const char* label, Bytes size) {
    check_size(size.count());
    auto mapping = std::make_shared<Mapping>();
    mapping->fd = memfd_create(label, MFD_CLOEXEC);
    if (mapping->fd < 0) {
        const int error = errno;
        throw Error(system_error("cannot create shared memory (memfd_create)").what() +
                    remedy_for(error));
    }
    mapping->handle.size = size.count();
    if (ftruncate(mapping->fd, static_cast<off_t>(size.count())) != 0)
        throw system_error(fmt::format("cannot size shared memory to {} bytes", size.count()));
    mapping->handle.pid = getpid();
    mapping->handle.fd = mapping->fd;
    mapping->handle.inode = inode_of(mapping->fd);
    mapping->data = map(mapping->fd, size.count());
    offer_descriptor(mapping->fd);
    LocalMappings::instance().add(mapping);
    return SharedMemory(std::move(mapping));
}

SharedMemory SharedMemory::open(const Handle& handle) {
    if (handle.pid == getpid()) {
        if (auto mapping = LocalMappings::instance().find(handle)) return SharedMemory(mapping);
        throw SharedMemoryGone("shared memory of this process is gone");
    }
    const Descriptor fd = open_foreign(handle.pid, handle.fd, O_RDWR);
    const int error = errno;
    // A descriptor number that was used again leads elsewhere: never map what we did not mean.
    if ((!fd && error == ESRCH) || (fd && inode_of(fd.get()) != handle.inode))
        throw SharedMemoryGone(fmt::format("shared memory of process {} is gone", handle.pid));
    if (!fd)
        throw Error(system_error(fmt::format("cannot open shared memory of process {}", handle.pid))
                        .what() +
                    remedy_for(error));
    auto mapping = std::make_shared<Mapping>();
    mapping->data = map(fd.get(), handle.size);
    mapping->handle = handle;
    return SharedMemory(std::move(mapping));
}

SharedMemory SharedMemory::of_file(const std::string& path) {
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    struct stat status {};
    if (!file || fstat(file.get(), &status) != 0)
        throw system_error(fmt::format("cannot open {}", path));
    auto mapping = std::make_shared<Mapping>();
    mapping->handle.size = static_cast<std::uint64_t>(status.st_size);
    mapping->data = map(file.get(), mapping->handle.size);
    return SharedMemory(std::move(mapping));
}

}  // namespace railyard
