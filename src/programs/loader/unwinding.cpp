#include "programs/loader/unwinding.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <shared_mutex>

namespace railyard::loader {

namespace {

struct Code {
    const std::byte* end;
    const std::byte* table;
};

// Threads of programs may throw at any time.
std::shared_mutex mutex;
std::map<const std::byte*, Code>& all_code() {
    static std::map<const std::byte*, Code> all;
    return all;
}

}  // namespace

void know_unwinding(const std::byte* begin, const std::byte* end, const std::byte* table) {
    const std::unique_lock lock(mutex);
    all_code()[begin] = {end, table};
}

void forget_unwinding(const std::byte* begin) noexcept {
    const std::unique_lock lock(mutex);
    all_code().erase(begin);
}

}  // namespace railyard::loader

/// The C library's contract; it has no lock on the way back, since copies outlive what runs in
/// them.
extern "C" int _dl_find_object(void* address, struct dl_find_object* result) noexcept {
    using namespace railyard::loader;
    {
        const std::shared_lock lock(mutex);
        const auto* const at = static_cast<const std::byte*>(address);
        auto found = all_code().upper_bound(at);
        if (found != all_code().begin() && at < (--found)->second.end) {
            result->dlfo_flags = 0;
            result->dlfo_map_start = const_cast<std::byte*>(found->first);
            result->dlfo_map_end = const_cast<std::byte*>(found->second.end);
            result->dlfo_link_map = nullptr;
            result->dlfo_eh_frame = const_cast<std::byte*>(found->second.table);
            return 0;
        }
    }
    using Find = int (*)(void*, struct dl_find_object*);
    static const auto next = reinterpret_cast<Find>(::dlsym(RTLD_NEXT, "_dl_find_object"));
    return next != nullptr ? next(address, result) : -1;
}
