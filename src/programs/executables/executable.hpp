#pragma once
/// An ordinary MPI executable, to be run in virtual time: its file, its libraries, and which of
/// these every rank has for itself.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "launch/job/rank.hpp"
#include "programs/executables/imports.hpp"
#include "programs/executables/start.hpp"
#include "programs/loader/program.hpp"

namespace railyard::executables {

class Executable {
  public:
    struct Options {
        std::filesystem::path path;
        /// Libraries that ranks share though they would each have their own, or the other way
        /// round.
        std::vector<std::string> shared{};
        std::vector<std::string> private_ones{};
        /// Where the libraries of MPI for other languages are looked for first.
        std::string library_folder{};
    };

    /// Throws Error: there is no such file, or it cannot run so; the message says what to do
    /// instead.
    explicit Executable(const Options& options);

    /// In a fiber of its rank. What it ends with.
    int run(job::Rank& rank, const Start& start) const;

  private:
    ProgramImports imports_;
    std::unique_ptr<loader::Program> program_;
};

}  // namespace railyard::executables
