#pragma once
/// Passes a rank's output on line by line, each line with the rank in front. A line goes out whole,
/// however long it is and in however many pieces it came.

#include <string>
#include <string_view>

namespace railyard::job {

class LineLabels {
  public:
    /// Writes to descriptor `fd`, which stays the caller's.
    LineLabels(int rank, int fd);

    void feed(std::string_view piece);
    /// The rank has ended: a last line without its newline goes out with one.
    void finish();

  private:
    void pass_on(std::string_view text);

    std::string label_;
    std::string unfinished_;
    int fd_;
};

}  // namespace railyard::job
