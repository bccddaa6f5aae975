#pragma once
/// A library of others that is opened when it is needed, and never closed.

#include <string>

namespace railyard::managers {

class Library {
  public:
    /// `flags` as dlopen has them. `remedy`: what to do if it is not there. Throws Error.
    Library(const char* name, int flags, const std::string& remedy);

    /// Throws Error if it has no such function.
    template <class Function>
    Function function(const char* name) const {
        return reinterpret_cast<Function>(find(name));
    }

  private:
    void* find(const char* name) const;

    std::string name_;
    void* handle_;
};

}  // namespace railyard::managers
