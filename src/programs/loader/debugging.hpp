#pragma once
/// Tells a debugger of what is loaded, as it cannot know by itself: it stops at railyard_loaded()
/// and reads the two variables.

#include <cstdint>
#include <filesystem>

namespace railyard::loader {

void tell_debugger(const std::filesystem::path& file, std::uintptr_t base);

/// What makes GDB listen, and stop where a program calls MPI_Init.
inline constexpr const char* gdb_commands = R"(set confirm off
set pagination off
break railyard_loaded
commands
silent
eval "add-symbol-file %s -o 0x%lx", *(char**)&railyard_loaded_file, *(unsigned long*)&railyard_loaded_base
continue
end
break PMPI_Init
break PMPI_Init_thread
run
)";

}  // namespace railyard::loader
