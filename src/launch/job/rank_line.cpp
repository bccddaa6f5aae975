#include "launch/job/rank_line.hpp"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <utility>

#include "launch/job/frames.hpp"

namespace railyard::job {

int as_exit_code(int code) {
    const int low = code & 0xff;
    return code != 0 && low == 0 ? 1 : low;
}

RealRank::Starter starter_by_frames(int frames_fd, bool relayed) {
    BoardBootstrap::Relay relay;
    if (relayed)
        relay = {[frames_fd](std::string_view key, std::span<const std::byte> value) {
                     write_frame(frames_fd, FrameKind::put, put_payload(key, value));
                 },
                 [frames_fd] { write_frame(frames_fd, FrameKind::fence, {}); }};
    return {[frames_fd](const std::string& bytes) {
                write_frame(frames_fd, FrameKind::delivery, bytes);
            },
            [frames_fd](int code, std::string_view why) {
                // The launcher asks all to end once it has heard; we are about to, and would lose
                // what is still to be flushed.
                ::signal(SIGTERM, SIG_IGN);
                write_frame(frames_fd, FrameKind::abort, abort_payload(as_exit_code(code), why));
                ::fflush(nullptr);
                ::_exit(as_exit_code(code));
            },
            std::move(relay)};
}

}  // namespace railyard::job
