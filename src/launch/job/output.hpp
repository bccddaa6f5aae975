#pragma once
/// Where what a rank prints goes, when it does not go there by itself.

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace railyard::job {

class Output {
  public:
    virtual ~Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    virtual void feed(std::string_view piece) = 0;
    /// The rank has ended.
    virtual void finish() = 0;

  protected:
    Output() = default;
};

/// Of one rank: both, or none, if it prints by itself.
struct RankOutputs {
    std::unique_ptr<Output> output;
    std::unique_ptr<Output> errors;
};

/// Writes all of it, and waits for the reader if need be. What nobody reads any more is dropped.
void write_all(int fd, std::string_view text);

/// Passes a rank's output on line by line, each line with the rank in front. A line goes out whole,
/// however long it is and in however many pieces it came.
class LineLabels final : public Output {
  public:
    /// Takes whole lines.
    using Write = std::function<void(std::string_view text)>;

    LineLabels(int rank, Write write);

    void feed(std::string_view piece) override;
    /// A last line without its newline goes out with one.
    void finish() override;

  private:
    std::string label_;
    std::string unfinished_;
    Write write_;
};

/// Both outputs of a rank with its number, to those of this process.
RankOutputs labelled_outputs(int rank);

}  // namespace railyard::job
