#pragma once
/// What all programs here begin and end with: MPI_Init, the command line, a verdict that all ranks
/// share, MPI_Finalize.

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/common/session.hpp"

namespace railyard::programs {

/// The part of a program that it times, and by which runs of it are compared. Ends once.
class Timed {
  public:
    Timed();
    Timed(const Timed&) = delete;
    Timed& operator=(const Timed&) = delete;

    /// Seconds since it began; it ends here.
    double end() const;

  private:
    double start_;
};

class Session : public kernels::MpiProgram {
  public:
    /// Calls MPI_Init. `purpose` is the first line of --help.
    Session(int argc, char** argv, std::string purpose);

    // The options that the program has, each declared once, before begin().
    std::size_t bytes(const char* name, std::size_t otherwise, const char* help);
    int count(const char* name, int otherwise, const char* help, int most = 0);

    /// False if there is nothing to do but to return exit_code(): --help was asked for, or the
    /// options are wrong. Rank 0 has said so.
    bool begin();

    int size() const { return ranks(); }

    /// In a loop that may take long: so many of its steps are to come, for who waits for the end.
    void steps_left(int steps) const;

    /// Notes that a result is wrong. Any rank may.
    void check(bool right) { wrong_ += right ? 0 : 1; }
    /// 0 if all results of all ranks were right, else 1, and rank 0 says how many were not. All
    /// ranks call it.
    int verdict();

  private:
    const std::string* value_of(const char* name, const std::string& shown, const char* help);

    std::string name_;  ///< by which it was called
    std::vector<std::string> words_;
    std::vector<bool> used_;
    std::string help_;
    int wrong_ = 0;
};

}  // namespace railyard::programs
