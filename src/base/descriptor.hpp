#pragma once
/// An owned file descriptor, and the pipe through which one process hears another.

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "railyard/base/error.hpp"

namespace railyard {

class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int fd) : fd_(fd) {}
    Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~Descriptor() { reset(); }

    int get() const { return fd_; }
    explicit operator bool() const { return fd_ >= 0; }
    void reset() {
        if (fd_ >= 0) ::close(fd_);
        fd_ = -1;
    }

  private:
    int fd_ = -1;
};

struct Pipe {
    Descriptor read;  ///< never blocks
    Descriptor write;
};

/// Both ends close on exec. Throws Error.
inline Pipe make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe");
    Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
    // The two ends are separate open files: the writer still blocks when the pipe is full.
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) throw system_error("cannot set up a pipe");
    return pipe;
}

}  // namespace railyard
