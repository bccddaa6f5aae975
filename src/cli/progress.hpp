#pragma once
/// One line on stderr that says what is going on now, if somebody is looking at it: a terminal.

#include <string>
#include <string_view>

namespace railyard::cli {

class ProgressLine {
  public:
    /// Silent if `wanted` is false, or if stderr is no terminal.
    explicit ProgressLine(bool wanted);
    /// Leaves the line empty.
    ~ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    /// Replaces the line. May be called from a forked process: it keeps no state of its own.
    void show(std::string_view what) const;
    void clear() const;

  private:
    bool shown_;
};

/// How many columns the terminal on stderr has; 80 if it does not say.
std::size_t terminal_width();

}  // namespace railyard::cli
