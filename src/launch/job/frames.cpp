#include "launch/job/frames.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/frames.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

void write_frame(int fd, FrameKind kind, std::string_view payload) {
    FrameHeader header = frame_header(static_cast<std::uint64_t>(kind), payload.size());
    iovec parts[2] = {{header.data(), header.size()},
                      {const_cast<char*>(payload.data()), payload.size()}};
    while (parts[0].iov_len + parts[1].iov_len > 0) {
        const ssize_t n = ::writev(fd, parts, 2);
        if (n < 0) {
            if (errno == EINTR) continue;
            throw system_error("cannot hand bytes to the launcher");
        }
        auto written = static_cast<std::size_t>(n);
        for (iovec& part : parts) {
            const std::size_t step = std::min(written, part.iov_len);
            part.iov_base = static_cast<char*>(part.iov_base) + step;
            part.iov_len -= step;
            written -= step;
        }
    }
}

std::string abort_payload(int code, std::string_view why) {
    const std::int32_t number = code;
    std::string payload(sizeof number, '\0');
    std::memcpy(payload.data(), &number, sizeof number);
    return payload.append(why);
}

AbortFrame read_abort(std::string_view payload) {
    AbortFrame frame;
    if (payload.size() < sizeof frame.code) return frame;
    std::memcpy(&frame.code, payload.data(), sizeof frame.code);
    frame.why = payload.substr(sizeof frame.code);
    return frame;
}

std::string put_payload(std::string_view key, std::span<const std::byte> value) {
    const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
    return FieldWriter().text(key).text(text).take();
}

}  // namespace railyard::job
