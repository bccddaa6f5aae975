#include "launch/job/output.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>

namespace railyard::job {

void write_all(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(fd, text.data(), text.size());
        if (n >= 0) {
            text.remove_prefix(static_cast<std::size_t>(n));
        } else if (errno == EAGAIN) {
            // Somebody made our output non-blocking; wait for the reader as others would.
            pollfd wait{fd, POLLOUT, 0};
            ::poll(&wait, 1, -1);
        } else if (errno != EINTR) {
            return;  // Nobody is there to read it, and there is nowhere else to say so.
        }
    }
}

}  // namespace railyard::job
