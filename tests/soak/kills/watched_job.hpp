#pragma once
/// A command under way whose processes are known by a mark in their environment, whoever their
/// parent is by now.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace railyard::soak {

struct Process {
    pid_t pid = 0;
    pid_t parent = 0;
    char state = '?';
    std::string command;  ///< the words, with blanks between
};

class WatchedJob {
  public:
    /// Its standard output goes to a file, and so does its standard error. TMPDIR is a folder of
    /// its own.
    explicit WatchedJob(const std::vector<std::string>& words);
    /// Kills what is left.
    ~WatchedJob();
    WatchedJob(const WatchedJob&) = delete;
    WatchedJob& operator=(const WatchedJob&) = delete;

    pid_t pid() const { return pid_; }
    double seconds() const;  ///< since the start
    /// Those that have the mark, in no order.
    std::vector<Process> processes() const;
    /// What each of them does just now, as far as the kernel tells.
    std::string where_they_are() const;
    /// Waits for it, so long. False: it still runs.
    bool ends_within(double seconds);
    /// Once it has ended: its exit code, or minus the signal that killed it.
    int exit_code() const { return exit_code_; }
    /// Waits until none of its processes is left, so long; those that still are.
    std::vector<Process> left_after(double seconds) const;
    /// Of the folder that it may write to.
    std::vector<std::string> files_left() const;
    std::string output() const;
    std::string errors() const;

  private:
    std::string mark_;
    std::filesystem::path folder_;
    double start_;
    pid_t pid_ = -1;
    bool ended_ = false;
    int exit_code_ = 0;
};

}  // namespace railyard::soak
