#pragma once
/// What goes to the terminal beside results: a line of progress, what programs print, and what
/// their runs came to.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "programs/runs/run.hpp"

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

/// The same for a run: a line that counts the seconds, from the second one on, tells how far it has
/// come, and stays out of the way of what the program prints to the same terminal.
class ElapsedLine {
  public:
    /// "2 of 3: ring on quadrics". `progress` outlives it.
    ElapsedLine(bool wanted, std::string what, const runs::RunProgress& progress);
    ~ElapsedLine();
    ElapsedLine(const ElapsedLine&) = delete;
    ElapsedLine& operator=(const ElapsedLine&) = delete;

  private:
    struct Counting;
    std::unique_ptr<Counting> counting_;  ///< none: nobody is looking
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

// A run, as people read it and as other programs do.

/// One line.
std::string short_summary(const runs::Summary& summary);
/// All of it, as text.
std::string full_summary(const runs::Summary& summary);
enum class Order : std::uint8_t { as_given, fastest_first };
/// A line a run, for runs of one program.
std::string comparison(std::span<const runs::Summary> runs, Order order);
/// Where a run's own time went; empty if that was not asked for.
std::string self_profile(const runs::Summary& summary);
/// What faults did and what that cost; empty without any.
std::string fault_summary(const runs::Summary& summary);
/// All of all of them: an array, with a line break at the end.
std::string summaries_as_json(std::span<const runs::Summary> runs);

}  // namespace railyard::cli
