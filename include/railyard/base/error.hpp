#pragma once
/// What is thrown when something cannot be built or opened, or was asked for wrongly. The message
/// names the cause and, where there is one, the remedy. Never thrown on the data path.

#include <stdexcept>
#include <string>

namespace railyard {

class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// The caller's words were wrong (exit code 2), as opposed to the work having failed (exit code 1).
class UsageError : public Error {
  public:
    using Error::Error;
};

/// "what: strerror(errno)", for a system call that just failed, and the remedy where it is the same
/// for every call: too few descriptors.
Error system_error(const std::string& what);

}  // namespace railyard
