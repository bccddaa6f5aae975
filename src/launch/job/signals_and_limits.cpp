#include "launch/job/signals_and_limits.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>

#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

// Where the handler writes the signal's number. A handler has no other argument, hence a global.
std::atomic<int> handler_output{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void on_signal(int number) {
    const int saved_errno = errno;
    const auto byte = static_cast<unsigned char>(number);
    // The pipe never blocks; should it be full, an interrupt is already known.
    [[maybe_unused]] const ssize_t n = ::write(handler_output.load(), &byte, 1);
    errno = saved_errno;
}

struct sigaction catch_signal(int number) {
    struct sigaction previous {};
    ::sigaction(number, nullptr, &previous);
    // Ignored on purpose (a job in a script's background): leave it so.
    if (previous.sa_handler == SIG_IGN) return previous;
    struct sigaction action {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
    return previous;
}

void set_handler(int number, void (*handler)(int)) {
    struct sigaction action {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    ::sigaction(number, &action, nullptr);
}

std::size_t open_files() {
    std::error_code no_proc;
    const std::filesystem::directory_iterator files("/proc/self/fd", no_proc);
    if (no_proc) return 64;  // A guess: without /proc nobody can count them.
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

Interrupts::Interrupts(std::span<const int> others) : pipe_(make_pipe()) {
    if (::fcntl(pipe_.write.get(), F_SETFL, O_NONBLOCK) != 0)
        throw system_error("cannot set up a pipe");
    int nobody = -1;
    if (!handler_output.compare_exchange_strong(nobody, pipe_.write.get()))
        throw Error("this process already runs a job of processes; wait for it to end");
    caught_.reserve(others.size() + 5);
    for (const int number : {SIGINT, SIGTERM})
        caught_.push_back({number, catch_signal(number)});
    for (const int number : others)
        caught_.push_back({number, catch_signal(number)});
    // Someone else's handler, or ignoring, would reap our ranks before we learn how they ended.
    replace(SIGCHLD, SIG_DFL);
    replace(SIGPIPE, SIG_IGN);
    replace(SIGXFSZ, SIG_IGN);
}

void Interrupts::replace(int number, void (*handler)(int)) {
    struct sigaction previous {};
    ::sigaction(number, nullptr, &previous);
    set_handler(number, handler);
    caught_.push_back({number, previous});
}

void Interrupts::stop_here() const {
    set_handler(SIGTSTP, SIG_DFL);
    ::raise(SIGTSTP);
    catch_signal(SIGTSTP);
}

Interrupts::~Interrupts() {
    restore_for_exec();
    handler_output.store(-1);
    if (const int number = take()) ::raise(number);
}

int Interrupts::take() {
    unsigned char byte = 0;
    return ::read(pipe_.read.get(), &byte, 1) == 1 ? byte : 0;
}

void Interrupts::undo_in_child() {
    restore_for_exec();
    handler_output.store(-1);
    pipe_ = {};
}

void Interrupts::restore_for_exec() const {
    for (const Caught& signal : caught_)
        ::sigaction(signal.number, &signal.previous, nullptr);
}

SignalsBlocked::SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &previous_);
}

void SignalsBlocked::release() {
    ::pthread_sigmask(SIG_SETMASK, &previous_, nullptr);
}

FileLimit::FileLimit(std::size_t more) {
    if (::getrlimit(RLIMIT_NOFILE, &previous_) != 0) throw system_error("cannot read limits");
    const rlim_t wanted = open_files() + more;
    if (wanted <= previous_.rlim_cur) return;
    if (wanted > previous_.rlim_max)
        throw Error(
            fmt::format("so many ranks need {} open files, and only {} are allowed: start "
                        "fewer, or raise the limit (ulimit -Hn)",
                        wanted, previous_.rlim_max));
    const rlimit raised{wanted, previous_.rlim_max};
    if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) throw system_error("cannot raise ulimit -n");
    raised_ = true;
}

FileLimit::~FileLimit() {
    if (raised_) ::setrlimit(RLIMIT_NOFILE, &previous_);
}

void FileLimit::undo_in_child() const {
    if (raised_) ::setrlimit(RLIMIT_NOFILE, &previous_);
}

}  // namespace railyard::job
