#pragma once
/// What goes to the terminal beside results: a line of progress, and what programs print.

#include <string>
#include <string_view>

namespace railyard::cli {

/// One line on stderr that says what is going on now, if somebody is looking at it: a terminal.
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

/// Sends what programs print elsewhere for as long as this lives: to the standard error, so that
/// the standard output is free for what another program is to read, or nowhere.
class OutputAside {
  public:
    enum class To { standard_error, nowhere };
    explicit OutputAside(To to = To::standard_error);
    ~OutputAside();
    OutputAside(const OutputAside&) = delete;
    OutputAside& operator=(const OutputAside&) = delete;

  private:
    int output_;  ///< where it goes otherwise
};

}  // namespace railyard::cli
