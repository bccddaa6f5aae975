#include "launch/job/installation.hpp"

#include <sys/auxv.h>

#include <system_error>

namespace railyard::job {

namespace fs = std::filesystem;

fs::path own_file() {
    std::error_code failed;
    const fs::path file = fs::read_symlink("/proc/self/exe", failed);
    if (!failed) return file;
    const auto* called = reinterpret_cast<const char*>(::getauxval(AT_EXECFN));
    return fs::absolute(called != nullptr ? called : "railyard");
}

std::string library_folder() {
    std::error_code failed;
    const fs::path programs = own_file().parent_path();
    for (const char* folder : {"../lib", "../" RAILYARD_LIBDIR})
        if (fs::exists(programs / folder / "libmpi.so.12", failed))
            return (programs / folder).lexically_normal().string();
    return {};
}

}  // namespace railyard::job
