#include "launch/job/output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace railyard::job {

LineLabels::LineLabels(int rank, WriteOutput write)
    : label_(fmt::format("[{}] ", rank)), write_(std::move(write)) {}

void LineLabels::feed(std::string_view piece) {
    std::string lines;
    for (;;) {
        const std::size_t newline = piece.find('\n');
        if (newline == std::string_view::npos) break;
        lines += label_;
        lines += unfinished_;
        lines += piece.substr(0, newline + 1);
        unfinished_.clear();
        piece.remove_prefix(newline + 1);
    }
    unfinished_ += piece;
    write_(lines);
}

void LineLabels::finish() {
    if (!unfinished_.empty()) feed("\n");
}

WholeLines::WholeLines(Reactor& reactor, WriteOutput write)
    : reactor_(reactor), write_(std::move(write)) {}

void WholeLines::feed(std::string_view piece) {
    const auto* last = piece.empty()
                           ? nullptr
                           : static_cast<const char*>(::memrchr(piece.data(), '\n', piece.size()));
    if (last != nullptr) {
        const auto lines = static_cast<std::size_t>(last + 1 - piece.data());
        if (unfinished_.empty()) {
            write_(piece.substr(0, lines));
        } else {
            unfinished_ += piece.substr(0, lines);
            flush();
        }
        piece.remove_prefix(lines);
    }
    if (unfinished_.size() + piece.size() > longest) {
        flush();
        return write_(piece);
    }
    unfinished_ += piece;
    if (!unfinished_.empty() && !later_) later_ = reactor_.after(soon, [this] { flush(); });
}

void WholeLines::finish() {
    flush();
}

void WholeLines::flush() {
    later_.reset();
    if (unfinished_.empty()) return;
    write_(unfinished_);
    unfinished_.clear();  // and keep its memory: the next line comes soon
}

OutputFile::OutputFile(Reactor& reactor, int fd, std::function<void()> changed)
    : reactor_(reactor), fd_(fd), changed_(std::move(changed)) {
    choose_way();
}

void OutputFile::choose_way() {
    struct stat status {};
    if (::fstat(fd_, &status) != 0 || S_ISREG(status.st_mode)) return;
    way_ = S_ISSOCK(status.st_mode) ? Way::socket : Way::pieces;
    if (way_ == Way::socket) return;
    // Whoever else has it open still waits when it must: only our own opening does not.
    own_ = Descriptor(::open(fmt::format("/proc/self/fd/{}", fd_).c_str(),
                             O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!own_) return;
    way_ = Way::own;
    fd_ = own_.get();
    // The more fits, the less often we have to come back.
    if (S_ISFIFO(status.st_mode)) ::fcntl(fd_, F_SETPIPE_SZ, 256 << 10);
}

ssize_t OutputFile::write_some(std::string_view text) const {
    if (way_ == Way::socket) return ::send(fd_, text.data(), text.size(), MSG_DONTWAIT);
    if (way_ != Way::pieces) return ::write(fd_, text.data(), text.size());
    pollfd ready{fd_, POLLOUT, 0};
    if (::poll(&ready, 1, 0) == 1)
        return ::write(fd_, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    errno = EAGAIN;
    return -1;
}

std::size_t OutputFile::write_now(std::string_view text) {
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = write_some(text.substr(done));
        if (n >= 0) {
            done += static_cast<std::size_t>(n);
        } else if (errno == EAGAIN) {
            return done;
        } else if (errno != EINTR) {
            error_ = errno;
            return text.size();
        }
    }
    return done;
}

void OutputFile::write(std::string_view text) {
    if (error_ != 0 || text.empty()) return;
    if (is_idle()) {
        text.remove_prefix(write_now(text));
        if (error_ != 0) return changed_();
        if (text.empty()) return;
        waiting_.emplace_back(text);
        watch_ = reactor_.watch(fd_, Reactor::For::writing, [this] { advance(); });
        return changed_();
    }
    waiting_.emplace_back(text);
}

void OutputFile::advance() {
    while (!waiting_.empty() && error_ == 0) {
        const std::string_view rest = std::string_view(waiting_.front()).substr(written_);
        const std::size_t n = write_now(rest);
        written_ += n;
        if (n < rest.size()) return;
        waiting_.pop_front();
        written_ = 0;
    }
    waiting_.clear();
    watch_.reset();
    changed_();
}

}  // namespace railyard::job
