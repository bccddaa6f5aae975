#pragma once
/// Passes a rank's output on line by line, each line with the rank in front. A line goes out whole,
/// however long it is and in however many pieces it came.

#include <functional>
#include <string>
#include <string_view>

#include "launch/job/output.hpp"

namespace railyard::job {

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
