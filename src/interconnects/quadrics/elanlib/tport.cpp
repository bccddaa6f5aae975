#include "interconnects/quadrics/elanlib/tport.hpp"

#include <vector>

#include <fmt/format.h>

#include "railyard/base/error.hpp"

namespace railyard::elanlib {

Tport::Request Tport::start_send(Vpid to, Tag tag, Address from, std::uint32_t size,
                                 Delivery delivery) {
    if (!port_.knows(to))
        throw UsageError(fmt::format("process {} sends to process {}, but the job has only {}",
                                     process_.self(), to, process_.processes()));
    if (size >= inline_below || delivery == Delivery::synchronous)
        return port_.send_envelope(to, tag, from, size);
    std::vector<std::byte> bytes(size);
    if (size > 0) process_.load(from, bytes);
    if (port_.on_this_node(to)) copy(0, Bytes(size));
    return port_.send_with_envelope(to, tag, bytes);
}

Outcome Tport::wait(Request request) {
    if (!port_.is_known(request))
        throw UsageError(
            fmt::format("process {} waits for request {}, which it has not started or "
                        "has waited for already",
                        process_.self(), request));
    process_.wait_until([&] { return port_.has_ended(request); });
    return port_.take(request);
}

bool Tport::test(Request request) {
    process_.spend(Duration::ns(20));  // one look at main memory
    return !port_.is_known(request) || port_.has_ended(request);
}

void Tport::copy(Request, Bytes size) {
    process_.spend(size / process_.machine().parameters().host.copy);
}

}  // namespace railyard::elanlib
