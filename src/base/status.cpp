#include "railyard/base/status.hpp"

#include <cerrno>
#include <system_error>

#include "railyard/base/error.hpp"

namespace railyard {

Error system_error(const std::string& what) {
    const int number = errno;  // before anything below can change it
    std::string message = what + ": " + std::generic_category().message(number);
    if (number == EMFILE) message += "; raise the limit of open files (ulimit -n)";
    if (number == ENFILE) message += "; raise the machine's limit of open files (fs.file-max)";
    return Error(message);
}

std::string_view name(Code code) {
    switch (code) {
        case Code::ok:
            return "ok";
        case Code::again:
            return "again";
        case Code::bad_key:
            return "bad key";
        case Code::out_of_bounds:
            return "out of bounds";
        case Code::no_right:
            return "no right";
        case Code::region_gone:
            return "region gone";
        case Code::misaligned:
            return "misaligned";
        case Code::too_long:
            return "too long";
        case Code::not_connected:
            return "not connected";
        case Code::receiver_not_ready:
            return "receiver not ready";
        case Code::remote_closed:
            return "remote closed";
        case Code::refused:
            return "refused";
        case Code::timed_out:
            return "timed out";
        case Code::flushed:
            return "flushed";
        case Code::overrun:
            return "overrun";
        case Code::remote_fault:
            return "remote fault";
        case Code::unsupported:
            return "unsupported";
        case Code::invalid:
            return "invalid";
    }
    return "unknown status";  // a byte that came from elsewhere
}

}  // namespace railyard
