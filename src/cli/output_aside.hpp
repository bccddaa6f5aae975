#pragma once
/// Sends what programs print elsewhere for as long as this lives: to the standard error, so that
/// the standard output is free for what another program is to read, or nowhere.

namespace railyard::cli {

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
