#include "launch/job/leftovers.hpp"

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include <fmt/format.h>

namespace railyard::job {

void end_leftovers() {
    // Killing one may make its children ours, so it is done until there are none. A child that we
    // cannot see there (a kernel without that file) is not waited for.
    for (;;) {
        std::ifstream children(fmt::format("/proc/self/task/{}/children", ::getpid()));
        bool any = false;
        for (pid_t child = 0; children >> child; any = true) {
            ::kill(child, SIGKILL);
            while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
            }
        }
        if (!any) return;
    }
}

}  // namespace railyard::job
