#pragma once
/// Runs the built `railyard` as a user does, and tells how it ended.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace railyard::cli {

struct Ended {
    int exit_code = -1;  ///< or minus the signal that killed it
    std::string out;
    std::string err;
};

using Arguments = std::vector<std::string>;
/// "NAME=value", in addition to what is there.
using Environment = std::vector<std::string>;

Ended railyard(const Arguments& arguments, const Environment& environment = {});
/// With its standard output elsewhere; `out` of the answer is empty.
Ended railyard_into(const std::string& output, const Arguments& arguments);
/// Of a call that is wrong: it says so with exit code 2, and prints nothing to stdout.
std::string complaint(const Arguments& arguments);

/// A run whose standard error is a terminal, and which can be watched and interrupted.
class OnTerminal {
  public:
    explicit OnTerminal(const Arguments& arguments);
    ~OnTerminal();
    OnTerminal(const OnTerminal&) = delete;
    OnTerminal& operator=(const OnTerminal&) = delete;

    /// Reads until `text` was shown; false if the run ended, or ten seconds passed, before that.
    bool shows(const std::string& text);
    void interrupt();
    /// Waits for its end. `err` is all that the terminal was shown.
    Ended end();

  private:
    bool read_some();

    pid_t pid_ = -1;
    int terminal_ = -1;
    std::string shown_;
};

/// A directory that is gone after use, with all that is in it.
class ScratchDirectory {
  public:
    ScratchDirectory();
    ~ScratchDirectory();
    ScratchDirectory(const ScratchDirectory&) = delete;
    ScratchDirectory& operator=(const ScratchDirectory&) = delete;

    const std::filesystem::path& path() const { return path_; }
    std::string file(const char* name) const { return (path_ / name).string(); }
    /// How many files there are in it.
    std::size_t files() const;

  private:
    std::filesystem::path path_;
};

}  // namespace railyard::cli
