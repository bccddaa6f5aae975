#include "cli/output_aside.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/error.hpp"

namespace railyard::cli {

OutputAside::OutputAside() {
    std::fflush(stdout);
    output_ = ::dup(STDOUT_FILENO);
    if (output_ < 0 || ::dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        throw Error(std::string("cannot redirect the standard output: ") + std::strerror(errno));
}

OutputAside::~OutputAside() {
    std::fflush(stdout);
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
}

}  // namespace railyard::cli
