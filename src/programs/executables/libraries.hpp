#pragma once
/// Which libraries an executable needs, where they are, and whose they are.

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railyard::executables {

/// By name, of the executable and of its libraries in turn: the dynamic linker itself is asked.
/// `first` is looked into before all else. Throws Error if one is not to be found.
std::vector<std::pair<std::string, std::filesystem::path>> libraries_of(
    const std::filesystem::path& executable, const std::string& first);

/// Ranks have libraries for themselves, unless they hold nothing of a rank's, or somebody says so.
class LibraryChoice {
  public:
    /// Names as users give them: "libfoo.so.1", "libfoo.so" or "libfoo".
    LibraryChoice(const std::vector<std::string>& shared,
                  const std::vector<std::string>& private_ones);

    /// The C library, its companions, and MPI: what this process has.
    bool is_of_process(std::string_view library);
    bool is_shared(std::string_view library);
    /// Throws UsageError for a name that was given and is no library of the program.
    void expect_all_used() const;

  private:
    struct Name {
        std::string text;
        bool used = false;
    };
    static bool is_among(std::vector<Name>& names, std::string_view library);

    std::vector<Name> shared_;
    std::vector<Name> private_;
};

}  // namespace railyard::executables
