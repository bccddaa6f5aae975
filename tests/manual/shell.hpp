#pragma once
/// A folder as a reader has it after a build: the tree's own files, build/release, the commands on
/// the PATH, and programs of the reader's. In it, what the manual says is typed.

#include <filesystem>
#include <string>
#include <vector>

namespace railyard::manual {

/// The root of the tree.
std::filesystem::path source();
std::string read_source(const std::string& path);

struct Ended {
    int exit_code = -1;               ///< or 128 and the signal, as shells have it
    std::vector<std::string> output;  ///< both streams, in the order of writing
};

class Shell {
  public:
    Shell();
    ~Shell();
    Shell(const Shell&) = delete;
    Shell& operator=(const Shell&) = delete;

    const std::filesystem::path& folder() const { return folder_; }
    void write(const std::string& file, const std::vector<std::string>& lines) const;
    /// Compiles what the text calls `./NAME`, if examples/ or tests/manual/programs/ has a NAME.c.
    void add_programs(const std::string& text) const;

    /// A script of bash, which ends at the first command that fails. Killed if it takes minutes.
    Ended run(const std::string& script) const;
    /// Commands in one bash, one after the other whatever becomes of each.
    std::vector<Ended> run(const std::vector<std::string>& commands) const;

  private:
    std::filesystem::path folder_;
};

}  // namespace railyard::manual
