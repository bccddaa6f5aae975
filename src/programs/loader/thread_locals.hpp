#pragma once
/// How code of loaded programs finds its thread-local variables in the room.

#include <cstddef>
#include <cstdint>

namespace railyard::loader {

/// In place of __tls_get_addr: two words, of which the first is where a module's variables begin,
/// from the thread pointer, and the second where among them the variable is.
void* thread_local_address(const std::ptrdiff_t* module_and_offset);

/// What a descriptor's first word is, for the processor's own way of calling it.
std::uint64_t thread_descriptor_function();

}  // namespace railyard::loader
