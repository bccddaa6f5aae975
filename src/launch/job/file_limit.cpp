#include "launch/job/file_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

std::size_t open_files() {
    std::error_code no_proc;
    const std::filesystem::directory_iterator files("/proc/self/fd", no_proc);
    if (no_proc) return 64;  // A guess: without /proc nobody can count them.
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

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
