#include "launch/job/rank_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "railyard/base/error.hpp"

namespace railyard::job {

RankProcess::RankProcess(int rank, const std::string& host, RankOutputs outputs, const Start& start)
    : rank_(rank), place_(host.empty() ? "" : " on host " + host), outputs_(std::move(outputs)) {
    RankPipes pipes{make_pipe(), {}, {}, outputs_.joined};
    if (outputs_.output) pipes.output = make_pipe();
    if (outputs_.errors) pipes.errors = make_pipe();
    for (const Pipe* pipe : {&pipes.output, &pipes.errors})
        if (pipe->write) ::fcntl(pipe->write.get(), F_SETPIPE_SZ, outputs_.pipe_size);
    pid_ = start(pipes);
    process_ = Descriptor(static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)));
    if (!process_) {
        const Error error(
            system_error(fmt::format("cannot watch rank {} (pidfd_open)", rank)).what() +
            std::string("; the kernel is too old (before 5.3), or a system-call filter "
                        "forbids it: let it pass"));
        kill(SIGKILL);
        ::waitpid(pid_, nullptr, 0);
        throw error;
    }
    frames_ = std::move(pipes.frames.read);
    output_ = std::move(pipes.output.read);
    errors_ = std::move(pipes.errors.read);
}

RankProcess::~RankProcess() {
    if (!running()) return;
    kill(SIGKILL);
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
}

std::string RankProcess::describe() const {
    return fmt::format("rank {} (pid {}{})", rank_, pid_, place_);
}

void RankProcess::kill(int signal) {
    if (!running()) return;  // Ours until reaped: the number cannot be anyone else's.
    const bool to_all = signal != SIGUSR1 && signal != SIGUSR2;
    // A process that was forked a moment ago has no group of its own yet.
    if (!to_all || ::kill(-pid_, signal) != 0) ::kill(pid_, signal);
}

int RankProcess::descriptor(Stream stream) const {
    switch (stream) {
        case Stream::end:
            return process_.get();
        case Stream::frames:
            return frames_.get();
        case Stream::output:
            return output_.get();
        case Stream::errors:
            return errors_.get();
    }
    return -1;
}

bool RankProcess::read(Stream stream, std::span<char> room, const Hear& hear) {
    const ssize_t n = ::read(descriptor(stream), room.data(), room.size());
    if (n > 0) take(stream, {room.data(), static_cast<std::size_t>(n)}, hear);
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

void RankProcess::drain(Stream stream, const Hear& hear) {
    // Not until the pipe is empty or closed: a process that the rank left behind may hold it open,
    // and write for ever.
    int waiting = 0;
    if (descriptor(stream) < 0 || ::ioctl(descriptor(stream), FIONREAD, &waiting) != 0) return;
    std::string rest(static_cast<std::size_t>(waiting), '\0');
    std::size_t filled = 0;
    while (filled < rest.size()) {
        const ssize_t n = ::read(descriptor(stream), rest.data() + filled, rest.size() - filled);
        if (n <= 0) break;
        filled += static_cast<std::size_t>(n);
    }
    take(stream, std::string_view(rest).substr(0, filled), hear);
}

void RankProcess::take(Stream stream, std::string_view piece, const Hear& hear) {
    switch (stream) {
        case Stream::end:
            break;
        case Stream::frames:
            frame_reader_.feed(piece, [&](FrameKind kind, std::string payload) {
                take_frame(kind, std::move(payload), hear);
            });
            break;
        case Stream::output:
            outputs_.output->feed(piece);
            break;
        case Stream::errors:
            outputs_.errors->feed(piece);
            break;
    }
}

void RankProcess::take_frame(FrameKind kind, std::string payload, const Hear& hear) {
    switch (kind) {
        case FrameKind::exception:
            exception_ = std::move(payload);
            return;
        case FrameKind::abort: {
            const auto [code, why] = read_abort(payload);
            abort_ = Ending{fmt::format("{} ended the job: {}", describe(), why), code,
                            Ending::Cause::abort};
            return;
        }
        case FrameKind::delivery:
        case FrameKind::put:
        case FrameKind::fence:
        case FrameKind::waiting:
            hear(kind, std::move(payload));
            return;
    }
}

Ending RankProcess::end(const Hear& hear) {
    for (const Stream stream : {Stream::frames, Stream::output, Stream::errors})
        drain(stream, hear);
    Ending ending = reap();
    process_.reset();
    frames_.reset();
    return ending;
}

void RankProcess::close(Stream stream) {
    (stream == Stream::output ? output_ : errors_).reset();
}

void RankProcess::finish_outputs() {
    for (const Stream stream : {Stream::output, Stream::errors}) {
        drain(stream, {});
        close(stream);
    }
    if (outputs_.output) outputs_.output->finish();
    if (outputs_.errors) outputs_.errors->finish();
}

void RankProcess::forget_in_child() {
    pid_ = -1;
    close_all();
}

void RankProcess::close_all() {
    for (Descriptor* stream : {&process_, &frames_, &output_, &errors_})
        stream->reset();
}

Ending RankProcess::reap() {
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) < 0)
        if (errno != EINTR)
            throw system_error(fmt::format("cannot learn how rank {} ended", rank_));
    const std::string who = describe();
    pid_ = -1;

    const int status = info.si_status;
    if (abort_) return *abort_;
    if (info.si_code != CLD_EXITED) {
        const char* meaning = ::sigdescr_np(status);
        return {fmt::format("{} was killed by signal {} ({})", who, status,
                            meaning != nullptr ? meaning : "unknown"),
                128 + status, Ending::Cause::signal};
    }
    if (!exception_.empty())
        return {fmt::format("{} failed: {}", who, exception_), status, Ending::Cause::exit};
    if (status != 0)
        return {fmt::format("{} exited with code {}", who, status), status, Ending::Cause::exit};
    return {};
}

}  // namespace railyard::job
