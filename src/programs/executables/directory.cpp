#include "programs/executables/directory.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"
#include "railyard/base/error.hpp"

namespace railyard::executables {

namespace {

Descriptor open_working_directory() {
    return Descriptor(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/// Where the process was before a program went elsewhere; none: nobody has.
Descriptor& home() {
    static Descriptor place;
    return place;
}

/// Where it is; null: at home.
const Descriptor* now = nullptr;

void go_to(const Descriptor* place) {
    if (place == now) return;
    if (::fchdir((place != nullptr ? *place : home()).get()) != 0)
        throw system_error("the working directory of a rank");
    now = place;
}

}  // namespace

void Directory::use() const {
    go_to(place_ ? &place_ : nullptr);
}

void Directory::leave() {
    go_to(nullptr);
}

int Directory::change(const char* path) {
    if (!home()) home() = open_working_directory();
    return ::chdir(path) == 0 ? remember() : -1;
}

int Directory::change(int descriptor) {
    if (!home()) home() = open_working_directory();
    return ::fchdir(descriptor) == 0 ? remember() : -1;
}

int Directory::remember() {
    Descriptor opened = open_working_directory();
    if (!opened) {
        ::fchdir((now != nullptr ? *now : home()).get());
        return -1;
    }
    place_ = std::move(opened);
    now = &place_;
    return 0;
}

namespace {

int imported_chdir(const char* path) {
    return Process::here()->directory().change(path);
}

int imported_fchdir(int descriptor) {
    return Process::here()->directory().change(descriptor);
}

}  // namespace

std::span<const Import> imports_of_directories() {
    static const Import all[] = {import("chdir", imported_chdir),
                                 import("fchdir", imported_fchdir)};
    return all;
}

}  // namespace railyard::executables
