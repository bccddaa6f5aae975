#pragma once
/// Where what a rank prints goes, when it does not go there by itself.

#include <memory>
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

}  // namespace railyard::job
