#pragma once
/// Sends what programs print to the standard error for as long as this lives, so that the standard
/// output is free for what another program is to read.

namespace railyard::cli {

class OutputAside {
  public:
    OutputAside();
    ~OutputAside();
    OutputAside(const OutputAside&) = delete;
    OutputAside& operator=(const OutputAside&) = delete;

  private:
    int output_;  ///< where it goes otherwise
};

}  // namespace railyard::cli
