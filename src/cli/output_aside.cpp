#include "cli/output_aside.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "railyard/base/error.hpp"

namespace railyard::cli {

OutputAside::OutputAside(To to) {
    std::fflush(stdout);
    output_ = ::dup(STDOUT_FILENO);
    const int nowhere = to == To::nowhere ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    const int target = to == To::nowhere ? nowhere : STDERR_FILENO;
    const bool moved = output_ >= 0 && target >= 0 && ::dup2(target, STDOUT_FILENO) >= 0;
    if (nowhere >= 0) ::close(nowhere);
    if (!moved)
        throw Error(std::string("cannot redirect the standard output: ") + std::strerror(errno));
}

OutputAside::~OutputAside() {
    std::fflush(stdout);
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
}

}  // namespace railyard::cli
