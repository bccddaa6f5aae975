#pragma once
/// What several tests of job/ need.

#include <sys/mman.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <new>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job/job.hpp"
#include "launch/within.hpp"

namespace railyard::job::testing {

/// Everything is slower then, and forking most of all.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

inline Options options(Kind kind, int ranks) {
    Options options;
    options.kind = kind;
    options.ranks = ranks;
    options.fabric = kind == Kind::fibers ? "ideal" : "shm";
    return options;
}

inline std::span<const std::byte> bytes(std::string_view text) {
    return std::as_bytes(std::span(text));
}

inline std::string text(std::span<const std::byte> bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

inline std::multiset<std::string> sorted(const std::vector<std::string>& delivered) {
    return {delivered.begin(), delivered.end()};
}

/// A counter that ranks of every kind, processes too, have in common.
class SharedCounter {
  public:
    SharedCounter()
        : value_(new (::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0)) std::atomic<int>(0)) {}
    ~SharedCounter() { ::munmap(value_, sizeof(std::atomic<int>)); }
    SharedCounter(const SharedCounter&) = delete;
    SharedCounter& operator=(const SharedCounter&) = delete;
    std::atomic<int>& operator*() { return *value_; }
    std::atomic<int>* operator->() { return value_; }

  private:
    std::atomic<int>* value_;
};

class Stopwatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    }

  private:
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

inline auto open_descriptors() {
    const std::filesystem::directory_iterator files("/proc/self/fd");
    return std::distance(begin(files), end(files));
}

}  // namespace railyard::job::testing
