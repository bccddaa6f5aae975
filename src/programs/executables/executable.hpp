#pragma once
/// An ordinary MPI executable, to be run in virtual time: its file, its libraries, and which of
/// these every rank has for itself.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "launch/job/rank.hpp"
#include "programs/executables/imports.hpp"
#include "programs/loader/program.hpp"

namespace railyard::executables {

class Executable {
  public:
    struct Options {
        /// A path, or a name to be looked for as a shell does.
        std::string name;
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

    const std::filesystem::path& path() const { return path_; }
    /// Names of libraries that each rank has for itself.
    const std::vector<std::string>& private_libraries() const { return private_libraries_; }

    struct Run {
        std::vector<std::string> words;
        bool label_output = false;
        std::function<void()> charge_computation{};
    };
    /// In a fiber of its rank. What it ends with.
    int run(job::Rank& rank, const Run& run) const;

  private:
    std::filesystem::path path_;
    std::vector<std::string> private_libraries_;
    ProgramImports imports_;
    std::unique_ptr<loader::Program> program_;
};

}  // namespace railyard::executables
