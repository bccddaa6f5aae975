#include "job/rank_line.hpp"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "job/frames.hpp"

namespace railyard::job {

int as_exit_code(int code) {
    const int low = code & 0xff;
    return code != 0 && low == 0 ? 1 : low;
}

RealRank::Starter starter_by_frames(int frames_fd) {
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
            }};
}

}  // namespace railyard::job
