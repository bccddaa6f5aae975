#include "programs/loader/thread_locals.hpp"

#include "programs/loader/thread_room.hpp"

// Takes the descriptor's address and gives back its second word; all other registers stay.
extern "C" void railyard_thread_descriptor();
#if defined(__x86_64__)
asm(R"(
    .text
    .type railyard_thread_descriptor, @function
railyard_thread_descriptor:
    movq 8(%rax), %rax
    ret
    .size railyard_thread_descriptor, . - railyard_thread_descriptor
)");
#elif defined(__aarch64__)
asm(R"(
    .text
    .type railyard_thread_descriptor, %function
railyard_thread_descriptor:
    ldr x0, [x0, #8]
    ret
    .size railyard_thread_descriptor, . - railyard_thread_descriptor
)");
#endif

namespace railyard::loader {

void* thread_local_address(const std::ptrdiff_t* module_and_offset) {
    return thread_room::thread_pointer() + module_and_offset[0] + module_and_offset[1];
}

std::uint64_t thread_descriptor_function() {
    return reinterpret_cast<std::uint64_t>(&railyard_thread_descriptor);
}

}  // namespace railyard::loader
