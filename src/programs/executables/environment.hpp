#pragma once
/// The environment of one rank's program: at first that of this process.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::executables {

class Environment {
  public:
    explicit Environment(char** initial);

    /// As `environ` has it, until the next change.
    char** values() { return values_.data(); }
    /// Null: there is none.
    char* find(std::string_view name) const;
    void set(std::string_view name, std::string_view value);
    /// The text is the program's, and stays so.
    void put(char* text);
    void unset(std::string_view name);
    void clear();

  private:
    char** place_of(std::string_view name);

    std::vector<char*> values_;                        ///< the last is null
    std::vector<std::unique_ptr<std::string>> texts_;  ///< those that were set; never freed
};

}  // namespace railyard::executables
