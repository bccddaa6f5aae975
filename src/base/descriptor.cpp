#include "base/descriptor.hpp"

#include <fcntl.h>

#include "railyard/base/error.hpp"

namespace railyard {

Pipe make_pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe");
    Pipe pipe{Descriptor(ends[0]), Descriptor(ends[1])};
    // The two ends are separate open files: the writer still blocks when the pipe is full.
    if (::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0) throw system_error("cannot set up a pipe");
    return pipe;
}

}  // namespace railyard
