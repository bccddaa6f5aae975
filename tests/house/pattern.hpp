#pragma once
/// Regular expressions. Compiling <regex> takes long, and running it unoptimised takes minutes: so
/// one file of the tests does the former, and that one is optimised.

#include <memory>
#include <string>
#include <vector>

namespace railyard::house {

class Pattern {
  public:
    /// The whole of what matched, then each group, "" for one that has no part in it. Empty: no
    /// match.
    using Match = std::vector<std::string>;

    explicit Pattern(const std::string& expression);
    ~Pattern();

    Match whole(const std::string& text) const;
    Match first(const std::string& text) const;
    std::vector<Match> all(const std::string& text) const;

  private:
    struct Compiled;
    std::unique_ptr<const Compiled> compiled_;
};

}  // namespace railyard::house
