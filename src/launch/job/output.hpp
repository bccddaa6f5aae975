#pragma once
/// What ranks print, on its way from their pipes to this process's own output.

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.hpp"
#include "base/reactor.hpp"

namespace railyard::job {

/// Takes what one rank prints.
class Output {
  public:
    virtual ~Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    virtual void feed(std::string_view piece) = 0;
    /// Nothing comes any more.
    virtual void finish() = 0;

  protected:
    Output() = default;
};

/// Of one rank. What has none, it prints by itself, where its launcher does.
struct RankOutputs {
    std::unique_ptr<Output> output;
    std::unique_ptr<Output> errors;
    bool joined = false;       ///< what it has to say of errors goes the way of its output
    int pipe_size = 64 << 10;  ///< of each way, in bytes; the kernel may grant less
};

/// Where whole lines, or pieces, go.
using WriteOutput = std::function<void(std::string_view text)>;

/// Passes a rank's output on line by line, each line with the rank in front. A line goes out whole,
/// however long it is and in however many pieces it came.
class LineLabels final : public Output {
  public:
    LineLabels(int rank, WriteOutput write);

    void feed(std::string_view piece) override;
    /// A last line without its newline goes out with one.
    void finish() override;

  private:
    std::string label_;
    std::string unfinished_;
    WriteOutput write_;
};

/// Passes a rank's output on as it is, byte by byte, and lines in one piece, so that those of other
/// ranks do not come between. A line that is very long, or is not finished soon (a question that
/// waits for its answer), goes out in pieces.
class WholeLines final : public Output {
  public:
    static constexpr std::size_t longest = 32 << 10;
    static constexpr Duration soon = Duration::ms(100);

    /// The reactor outlives it.
    WholeLines(Reactor& reactor, WriteOutput write);

    void feed(std::string_view piece) override;
    void finish() override;

  private:
    void flush();

    Reactor& reactor_;
    std::string unfinished_;
    Reactor::Timer later_;
    WriteOutput write_;
};

/// Passes a rank's output on as it comes.
class Passed final : public Output {
  public:
    explicit Passed(WriteOutput write) : write_(std::move(write)) {}
    void feed(std::string_view piece) override { write_(piece); }
    void finish() override {}

  private:
    WriteOutput write_;
};

/// A file of this process's, its standard output or error, as somebody writes it who must not wait:
/// what cannot be written yet is kept. SIGPIPE and SIGXFSZ are ignored meanwhile (see Interrupts).
class OutputFile {
  public:
    /// `changed` is called when it begins and when it ceases to be idle or to take anything. The
    /// reactor outlives it.
    OutputFile(Reactor& reactor, int fd, std::function<void()> changed);
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(std::string_view text);
    /// Whether all is written.
    bool is_idle() const { return waiting_.empty(); }
    /// Why it takes nothing any more, as errno has it; 0: it does. EPIPE: whoever read it has left.
    int error() const { return error_; }

  private:
    /// How to write without waiting.
    enum class Way {
        plain,   ///< a file: it never waits
        own,     ///< opened once more, for us alone, so that it may refuse to wait
        socket,  ///< it may be asked not to wait
        pieces,  ///< small enough for the room that there is
    };

    void choose_way();
    ssize_t write_some(std::string_view text) const;
    /// How much of it is written; all, if it is lost.
    std::size_t write_now(std::string_view text);
    void advance();

    Reactor& reactor_;
    int fd_;
    Descriptor own_;
    Way way_ = Way::plain;
    std::function<void()> changed_;
    std::deque<std::string> waiting_;
    std::size_t written_ = 0;  ///< of the first that waits
    Reactor::Watch watch_;
    int error_ = 0;
};

}  // namespace railyard::job
