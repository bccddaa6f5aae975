#pragma once
/// How many scripts are played, and what the process holds meanwhile.

#include <dirent.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace railyard::soak {

/// What a variable of the environment says, if it is set.
inline std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 0) : otherwise;
}

inline std::size_t open_files() {
    std::size_t n = 0;
    DIR* const folder = ::opendir("/proc/self/fd");
    while (folder != nullptr && ::readdir(folder) != nullptr)
        ++n;
    if (folder != nullptr) ::closedir(folder);
    return n;
}

/// Resident memory in bytes; 0 if it cannot be told.
inline std::size_t resident() {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    unsigned long all = 0;
    unsigned long pages = 0;
    if (file == nullptr) return 0;
    const int found = std::fscanf(file, "%lu %lu", &all, &pages);
    std::fclose(file);
    return found == 2 ? pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

/// By how much that may grow from a third of all scripts to the end. The address sanitizer keeps
/// what was freed for a while.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr std::size_t resident_slack = std::size_t{512} << 20;
#else
inline constexpr std::size_t resident_slack = std::size_t{64} << 20;
#endif

}  // namespace railyard::soak
