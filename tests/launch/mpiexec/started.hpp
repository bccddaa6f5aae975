#pragma once
/// Calls the built `mpiexec` as a user does, and tells how it ended.

#include <gtest/gtest.h>
#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "launch/within.hpp"

namespace railyard::mpiexec::testing {

using Words = std::vector<std::string>;

struct Ended {
    int exit_code = -1;  ///< or minus the signal that killed it
    std::string out;
    std::string err;
    double seconds = 0;
};

/// The program that joins without an MPI library (see ranks/rank.cpp).
std::string rank_program();

/// A call under way.
class Started {
  public:
    /// `command` is "mpiexec" or any other program of the build, or a path.
    Started(const std::string& command, const Words& words, const std::string& input = {});
    ~Started();
    Started(const Started&) = delete;
    Started& operator=(const Started&) = delete;

    pid_t pid() const { return pid_; }
    /// Until that many lines were printed; false after ten seconds.
    bool printed(std::size_t lines) const;
    Ended end();

  private:
    pid_t pid_ = -1;
    double start_;
    std::filesystem::path folder_;
};

Ended mpiexec(const Words& words, const std::string& input = {});
Ended command(const std::string& command, const Words& words);

std::multiset<std::string> lines(const std::string& text);

/// Nothing of a job stays behind: no process that was given this word, no file in /dev/shm.
class NothingLeft : public ::testing::Test {
  protected:
    void SetUp() override;
    void TearDown() override;
    /// An argument that the processes of this test have, and no others.
    const std::string& mark() const { return mark_; }
    /// How many processes there are that have it; waits up to two seconds for there to be none.
    std::size_t left() const;

  private:
    std::string mark_;
    std::set<std::string> files_;
};

}  // namespace railyard::mpiexec::testing
