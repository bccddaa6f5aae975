#pragma once
/// Error codes in words: the ABI's classes, classes and codes that the user added, and what was
/// last said about each.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

/// The number of a class in the ABI.
int code_of(ErrorClass error_class);
/// What a class of the ABI means, in a few words; empty for a number that is none.
std::string_view meaning_of(int error_class);

class UserErrors {
  public:
    /// The first number for users: above MPI_ERR_LASTCODE.
    static constexpr int first = 0x40000000;

    int add_class();
    int add_code(int error_class);
    /// False for a code that the user did not add.
    bool set_text(int code, std::string text);
    /// The largest code in use.
    const int& last_used() const { return last_used_; }

    /// The class of a code; the code itself for a class.
    int class_of(int code) const;
    /// In a few words.
    std::string text(int code) const;
    /// In a few words, and the last cause if one is known.
    std::string explanation(int code) const;
    void remember(int code, std::string cause) { causes_[code] = std::move(cause); }

  private:
    struct Entry {
        int error_class;
        std::string text;
    };
    const Entry* find(int code) const;

    std::vector<Entry> added_;
    int last_used_ = 0x3fffffff;
    std::map<int, std::string> causes_;
};

}  // namespace railyard::mpi::abi
