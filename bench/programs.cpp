#include "bench/programs.hpp"

#include <stdio.h>

#include <array>
#include <memory>

#include "railyard/base/error.hpp"

namespace railyard::bench {

std::filesystem::path own_folder() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

std::string output_of(const std::string& command) {
    std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    if (!pipe) throw Error("cannot run " + command);
    std::string text;
    std::array<char, 4096> piece;
    while (const std::size_t n = std::fread(piece.data(), 1, piece.size(), pipe.get()))
        text.append(piece.data(), n);
    if (::pclose(pipe.release()) != 0) throw Error("failed: " + command);
    return text;
}

}  // namespace railyard::bench
