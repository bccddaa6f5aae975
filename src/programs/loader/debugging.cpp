#include "programs/loader/debugging.hpp"

#include <string>

extern "C" {
const char* volatile railyard_loaded_file = nullptr;
volatile std::uintptr_t railyard_loaded_base = 0;
[[gnu::noinline]] void railyard_loaded() {
    asm volatile("" ::: "memory");  // a place to stop at
}
}

namespace railyard::loader {

void tell_debugger(const std::filesystem::path& file, std::uintptr_t base) {
    const std::string path = std::filesystem::absolute(file).string();
    railyard_loaded_file = path.c_str();
    railyard_loaded_base = base;
    railyard_loaded();
    railyard_loaded_file = nullptr;
}

}  // namespace railyard::loader
