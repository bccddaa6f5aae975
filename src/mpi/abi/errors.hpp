#pragma once
/// Errors on their way out: the numbers of the ABI, what they mean in words, and what the entry
/// points do with a failure.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "mpi/communicators/comm.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

/// The number of a class in the ABI.
int code_of(ErrorClass error_class);
/// What a class of the ABI means, in a few words; empty for a number that is none.
std::string_view meaning_of(int error_class);

/// Classes and codes that the user added, and what was last said about each code. A number is not
/// given twice: who kept one that was removed must not meet another's error.
class UserErrors {
  public:
    int add_class();
    int add_code(int error_class);
    /// False for a code that the user did not add.
    bool set_text(int code, std::string text);
    bool has_text(int code) const;
    // These throw MpiError (arg) for what the user did not add, or has removed.
    /// And for a class that has codes.
    void remove_class(int error_class);
    void remove_code(int code);  ///< with its text
    void remove_text(int code);
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
        int error_class;  ///< its own number: it is a class
        std::optional<std::string> text;
    };
    const Entry* find(int code) const;
    void remove(int code);
    void note_last_used();

    std::map<int, Entry> added_;
    int next_ = 0x40000000;  ///< the first is above MPI_ERR_LASTCODE
    int last_used_ = 0x3fffffff;
    std::map<int, std::string> causes_;
};

class State;

/// Whose error handler hears of a failure.
struct Hearer {
    ErrorHandlerRef handler;
    int handle = 0;    ///< for the user's function
    std::string name;  ///< for messages
};
Hearer hearer_of(const ErrorScope& scope);

/// A failure whose code is the user's own, or whose hearer the entry point cannot know.
class CodedError : public MpiError {
  public:
    CodedError(int code, const std::string& what, const ErrorScope* on = nullptr)
        : MpiError(ErrorClass::other, what), code_(code) {
        if (on != nullptr) hearer_ = hearer_of(*on);
    }
    CodedError(int code, const std::string& what, Hearer hearer)
        : MpiError(ErrorClass::other, what), code_(code), hearer_(std::move(hearer)) {}
    int code() const { return code_; }
    const std::optional<Hearer>& hearer() const { return hearer_; }

  private:
    int code_;
    std::optional<Hearer> hearer_;
};

/// Does something whose failures that one hears of.
template <class Work>
void heard_by(const Hearer& hearer, Work&& work) {
    try {
        work();
    } catch (const CodedError&) {
        throw;
    } catch (const MpiError& error) {
        throw CodedError(code_of(error.error_class()), error.what(), hearer);
    }
}

/// Ends a call that failed: takes the exception under way to the error handler of `on`, or of
/// MPI_COMM_WORLD, and returns what the call returns. What is no error of ours goes on its way.
[[gnu::cold]] int failed(State* state, ErrorScope* on, const char* function);

/// A call outside of the time between MPI_Init and MPI_Finalize.
[[gnu::cold]] int not_initialised(const char* function);

/// Hands a code to a handler, as MPI_Comm_call_errhandler does.
int handle_error(State& state, const Hearer& hearer, const char* function, int code,
                 const std::string& what);

}  // namespace railyard::mpi::abi
