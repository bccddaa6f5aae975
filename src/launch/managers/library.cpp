#include "launch/managers/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "railyard/base/error.hpp"

namespace railyard::managers {

Library::Library(const char* name, int flags, const std::string& remedy)
    : name_(name), handle_(::dlopen(name, flags)) {
    if (handle_ == nullptr)
        throw Error(fmt::format("cannot open {}: {}; {}", name, ::dlerror(), remedy));
}

void* Library::find(const char* name) const {
    if (void* const found = ::dlsym(handle_, name)) return found;
    throw Error(fmt::format("{} has no function {}", name_, name));
}

}  // namespace railyard::managers
