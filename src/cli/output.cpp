#include "cli/output.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "base/stopwatch.hpp"
#include "cli/run_pace.hpp"
#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

/// To the left edge, and rub out what is there.
constexpr std::string_view empty_line = "\r\033[K";

void put(std::string_view text) {
    // One write, so that lines of other processes do not come between. If it fails, nobody sees
    // the progress, which is no reason to fail.
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::size_t terminal_width() {
    winsize size{};
    if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
    return size.ws_col;
}

ProgressLine::ProgressLine(bool wanted) : shown_(wanted && ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::show(std::string_view what) const {
    // A line that is too long would wrap, and could not be rubbed out any more.
    if (shown_) put(std::string(empty_line).append(what.substr(0, terminal_width() - 1)));
}

void ProgressLine::clear() const {
    if (shown_) put(empty_line);
}

/// A thread that nobody's signals reach. What it shows ends where the line begins, so that what the
/// work prints next stands there.
struct ElapsedLine::Counting {
    Counting(std::string text, const runs::RunProgress& progress)
        : what(std::move(text)), pace(progress) {
        sigset_t all;
        sigset_t before;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &before);
        thread = std::thread([this] { count(); });
        ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void count() {
        std::unique_lock lock(mutex);
        for (int seconds = 1;
             !changed.wait_for(lock, std::chrono::seconds(1), [&] { return over; }); ++seconds) {
            const std::string text =
                what + fmt::format(", {} s", seconds) + pace.tell(watch.elapsed());
            put(std::string(empty_line).append(text.substr(0, terminal_width() - 1)) + "\r");
            shown = true;
        }
        if (shown) put(empty_line);
    }

    std::string what;
    RunPace pace;
    Stopwatch watch;
    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    bool shown = false;
    std::thread thread;
};

ElapsedLine::ElapsedLine(bool wanted, std::string what, const runs::RunProgress& progress) {
    if (wanted && ::isatty(STDERR_FILENO) == 1)
        counting_ = std::make_unique<Counting>(std::move(what), progress);
}

ElapsedLine::~ElapsedLine() {
    if (!counting_) return;
    {
        const std::lock_guard lock(counting_->mutex);
        counting_->over = true;
    }
    counting_->changed.notify_one();
    counting_->thread.join();
}

OutputAside::OutputAside(To to) {
    std::fflush(stdout);
    output_ = ::dup(STDOUT_FILENO);
    const int nowhere = to == To::nowhere ? ::open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    const int target = to == To::nowhere ? nowhere : STDERR_FILENO;
    const bool moved = output_ >= 0 && target >= 0 && ::dup2(target, STDOUT_FILENO) >= 0;
    if (nowhere >= 0) ::close(nowhere);
    if (!moved)
        throw Error(std::string("cannot redirect the standard output: ") + std::strerror(errno));
}

OutputAside::~OutputAside() {
    std::fflush(stdout);
    ::dup2(output_, STDOUT_FILENO);
    ::close(output_);
}

}  // namespace railyard::cli
