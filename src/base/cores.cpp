// The part of topology.hpp that needs no look at the machine, and so not the library that looks:
// whatever starts in large numbers has only this part in it.

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/topology.hpp"
#include "railyard/base/error.hpp"

namespace railyard {
namespace {

/// A set of cores as the system calls want it, however many the machine has.
class CpuSet {
  public:
    explicit CpuSet(int capacity)
        : capacity_(capacity), bytes_(CPU_ALLOC_SIZE(capacity)), set_(CPU_ALLOC(capacity)) {
        if (!set_) throw std::bad_alloc();
        CPU_ZERO_S(bytes_, set_.get());
    }
    int capacity() const { return capacity_; }
    std::size_t bytes() const { return bytes_; }
    cpu_set_t* get() { return set_.get(); }
    void add(int core) { CPU_SET_S(static_cast<std::size_t>(core), bytes_, set_.get()); }
    bool has(int core) const {
        return CPU_ISSET_S(static_cast<std::size_t>(core), bytes_, set_.get());
    }

  private:
    struct Free {
        void operator()(cpu_set_t* set) const { CPU_FREE(set); }
    };
    int capacity_;
    std::size_t bytes_;
    std::unique_ptr<cpu_set_t, Free> set_;
};

/// Linux itself can be built for no more cores than this.
constexpr int most_cores = 1 << 16;

std::string list(std::span<const int> cores) {
    // "0-3,8": a list of two hundred cores helps nobody.
    std::string text;
    for (std::size_t i = 0; i < cores.size();) {
        std::size_t last = i;
        while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1)
            ++last;
        if (!text.empty()) text += ',';
        text +=
            last == i ? fmt::format("{}", cores[i]) : fmt::format("{}-{}", cores[i], cores[last]);
        i = last + 1;
    }
    return text;
}

}  // namespace

std::vector<int> allowed_cores() {
    for (int capacity = 1024; capacity <= most_cores; capacity *= 2) {
        CpuSet set(capacity);
        if (::sched_getaffinity(0, set.bytes(), set.get()) != 0) {
            if (errno == EINVAL) continue;  // the kernel's set is longer than ours
            break;
        }
        std::vector<int> cores;
        for (int core = 0; core < set.capacity(); ++core)
            if (set.has(core)) cores.push_back(core);
        return cores;
    }
    throw system_error("cannot ask which cores this process may use");
}

void pin_to(int core) {
    pin_to(std::span(&core, 1));
}

void pin_to(std::span<const int> cores) {
    const std::string what = fmt::format("cannot pin to core {}", list(cores));
    if (cores.empty() || *std::ranges::min_element(cores) < 0 ||
        *std::ranges::max_element(cores) >= most_cores)
        throw Error(fmt::format("{}: there is no such core", what));
    CpuSet set(std::max(*std::ranges::max_element(cores) + 1, 1024));
    for (const int core : cores)
        set.add(core);
    if (::sched_setaffinity(0, set.bytes(), set.get()) == 0) return;
    const Error error = system_error(what);
    throw Error(fmt::format("{} (this process may use: {})", error.what(), list(allowed_cores())));
}

}  // namespace railyard
