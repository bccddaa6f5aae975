#pragma once
/// What is wrong with a file that a person wrote: each mistake with its place, and all told at
/// once.

#include <string>
#include <string_view>
#include <vector>

namespace railyard::model {

struct TextPosition {
    unsigned line = 1;
    unsigned column = 1;
};

/// "file:line:column: key: what"
std::string complaint(const std::string& file, TextPosition place, std::string_view key,
                      std::string_view what);

class Complaints {
  public:
    void add(const std::string& file, TextPosition place, std::string_view key,
             std::string_view what);
    /// Throws UsageError, a line for each, in the order of their places.
    void throw_if_any();

  private:
    struct Complaint {
        unsigned line;
        std::string text;
    };
    std::vector<Complaint> all_;
};

}  // namespace railyard::model
