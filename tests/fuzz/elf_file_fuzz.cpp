/// Any bytes in the place of an executable: they are refused, or read to their end.

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "programs/loader/elf_file.hpp"
#include "railyard/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace railyard;
    const int memory = ::memfd_create("executable", MFD_CLOEXEC);
    if (memory < 0 || ::write(memory, data, size) != static_cast<ssize_t>(size)) std::abort();
    try {
        const loader::ElfFile file("/proc/self/fd/" + std::to_string(memory));
        for (const loader::Relocation& relocation : file.relocations())
            if (relocation.at > file.segments().back().end()) std::abort();
    } catch (const Error&) {
    }
    ::close(memory);
    return 0;
}
