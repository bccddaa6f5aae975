#pragma once
/// Passes a rank's output on line by line, each line with the rank in front. A line goes out whole,
/// however long it is and in however many pieces it came.

#include <string>
#include <string_view>

#include "job/output.hpp"

namespace railyard::job {

class LineLabels final : public Output {
  public:
    /// Writes to descriptor `fd`, which stays the caller's.
    LineLabels(int rank, int fd);

    void feed(std::string_view piece) override;
    /// A last line without its newline goes out with one.
    void finish() override;

  private:
    std::string label_;
    std::string unfinished_;
    int fd_;
};

/// Both outputs of a rank with its number, to those of this process.
RankOutputs labelled_outputs(int rank);

}  // namespace railyard::job
