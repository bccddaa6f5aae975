#pragma once
/// Memory that other processes of the same user can map, given its handle. Unless it is a file's,
/// it has no name in any file system, so nothing is left behind however a process ends.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"

namespace railyard {

/// Memory that is not there any more, or whose process is not.
class SharedMemoryGone : public Error {
  public:
    using Error::Error;
};

class SharedMemory {
  public:
    /// Enough to open it from another process: plain bytes.
    struct Handle {
        std::int32_t pid = 0;
        std::int32_t fd = -1;
        std::uint64_t inode = 0;  ///< guards against a pid and descriptor that were used again
        std::uint64_t size = 0;
        friend bool operator==(const Handle&, const Handle&) = default;
    };

    /// Zeroed; pages take memory only once they are touched. Throws Error.
    static SharedMemory create(const char* label, Bytes size);
    /// Maps what another process created; within one process, gives the same addresses again, so
    /// that a thread sanitizer sees one memory. Throws SharedMemoryGone, or Error when it cannot be
    /// opened or mapped.
    static SharedMemory open(const Handle& handle);
    /// A file that is there, all of it: for processes that share no more than a file system. Its
    /// handle is of no use. Throws Error.
    static SharedMemory of_file(const std::string& path);

    SharedMemory() = default;

    std::byte* data() const { return mapping_ ? mapping_->data : nullptr; }
    Bytes size() const { return mapping_ ? Bytes(mapping_->handle.size) : Bytes(); }
    const Handle& handle() const { return mapping_->handle; }
    explicit operator bool() const { return mapping_ != nullptr; }

  private:
    struct Mapping {
        std::byte* data = nullptr;
        Handle handle;
        int fd = -1;  ///< open in the creator only
        ~Mapping();
    };
    explicit SharedMemory(std::shared_ptr<Mapping> m) : mapping_(std::move(m)) {}
    std::shared_ptr<Mapping> mapping_;

    friend struct LocalMappings;
};

}  // namespace railyard
