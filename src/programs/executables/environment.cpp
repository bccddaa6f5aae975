#include "programs/executables/environment.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"

namespace railyard::executables {

namespace {

bool is_named(const char* text, std::string_view name) {
    return std::strncmp(text, name.data(), name.size()) == 0 && text[name.size()] == '=';
}

}  // namespace

Environment::Environment(char** initial) {
    for (; initial != nullptr && *initial != nullptr; ++initial)
        values_.push_back(*initial);
    values_.push_back(nullptr);
}

char** Environment::place_of(std::string_view name) {
    for (char*& text : values_)
        if (text != nullptr && is_named(text, name)) return &text;
    return nullptr;
}

char* Environment::find(std::string_view name) const {
    for (char* const text : values_)
        if (text != nullptr && is_named(text, name)) return text + name.size() + 1;
    return nullptr;
}

void Environment::set(std::string_view name, std::string_view value) {
    texts_.push_back(std::make_unique<std::string>(std::string(name) + "=" + std::string(value)));
    put(texts_.back()->data());
}

void Environment::put(char* text) {
    const std::string_view all(text);
    if (char** const place = place_of(all.substr(0, all.find('='))))
        *place = text;
    else
        values_.insert(values_.end() - 1, text);
}

void Environment::unset(std::string_view name) {
    std::erase_if(values_,
                  [&](const char* text) { return text != nullptr && is_named(text, name); });
}

void Environment::clear() {
    values_.assign(1, nullptr);
}

namespace {

/// Where the program, and what the C library does for it, look for it.
void show_environment(Process& process) {
    char** const values = process.environment().values();
    process.variables().environment = values;
    process.variable<char**>("environ") = values;
    ::environ = values;
}

bool is_name(const char* name) {
    if (name != nullptr && *name != '\0' && std::strchr(name, '=') == nullptr) return true;
    errno = EINVAL;
    return false;
}

char* imported_getenv(const char* name) {
    return Process::here()->environment().find(name);
}

int imported_setenv(const char* name, const char* value, int overwrite) {
    if (!is_name(name)) return -1;
    Process& process = *Process::here();
    if (overwrite == 0 && process.environment().find(name) != nullptr) return 0;
    process.environment().set(name, value);
    show_environment(process);
    return 0;
}

int imported_unsetenv(const char* name) {
    if (!is_name(name)) return -1;
    Process& process = *Process::here();
    process.environment().unset(name);
    show_environment(process);
    return 0;
}

int imported_putenv(char* text) {
    if (std::strchr(text, '=') == nullptr) return imported_unsetenv(text);
    Process& process = *Process::here();
    process.environment().put(text);
    show_environment(process);
    return 0;
}

int imported_clearenv() {
    Process& process = *Process::here();
    process.environment().clear();
    show_environment(process);
    return 0;
}

}  // namespace

std::span<const Import> imports_of_environment() {
    static const Import all[] = {
        import("getenv", imported_getenv),          import("secure_getenv", imported_getenv),
        import("__secure_getenv", imported_getenv), import("setenv", imported_setenv),
        import("unsetenv", imported_unsetenv),      import("putenv", imported_putenv),
        import("clearenv", imported_clearenv),
    };
    return all;
}

}  // namespace railyard::executables
