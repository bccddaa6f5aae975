#pragma once
/// What the relocations of this processor ask for, in words that both processors share.

#include <elf.h>

#include <cstdint>
#include <optional>

namespace railyard::loader {

enum class RelocationKind : std::uint8_t {
    nothing,
    relative,           ///< the base, and the addend
    symbol,             ///< a symbol's address, and the addend
    copy,               ///< the bytes of a symbol
    indirect,           ///< what the function at base + addend returns
    thread_offset,      ///< of a thread-local variable from the thread pointer
    thread_module,      ///< which module's variables: for __tls_get_addr
    thread_in_module,   ///< and where among them
    thread_descriptor,  ///< a function that gives the offset, and its argument
};

/// None: it does not occur in what a linker makes for running.
inline std::optional<RelocationKind> kind_of(std::uint32_t type) {
    using enum RelocationKind;
    switch (type) {
#if defined(__x86_64__)
        case R_X86_64_NONE:
            return nothing;
        case R_X86_64_RELATIVE:
            return relative;
        case R_X86_64_GLOB_DAT:
        case R_X86_64_JUMP_SLOT:
        case R_X86_64_64:
            return symbol;
        case R_X86_64_COPY:
            return copy;
        case R_X86_64_IRELATIVE:
            return indirect;
        case R_X86_64_TPOFF64:
            return thread_offset;
        case R_X86_64_DTPMOD64:
            return thread_module;
        case R_X86_64_DTPOFF64:
            return thread_in_module;
        case R_X86_64_TLSDESC:
            return thread_descriptor;
#elif defined(__aarch64__)
        case R_AARCH64_NONE:
            return nothing;
        case R_AARCH64_RELATIVE:
            return relative;
        case R_AARCH64_GLOB_DAT:
        case R_AARCH64_JUMP_SLOT:
        case R_AARCH64_ABS64:
            return symbol;
        case R_AARCH64_COPY:
            return copy;
        case R_AARCH64_IRELATIVE:
            return indirect;
        case R_AARCH64_TLS_TPREL:
            return thread_offset;
        case R_AARCH64_TLS_DTPMOD:
            return thread_module;
        case R_AARCH64_TLS_DTPREL:
            return thread_in_module;
        case R_AARCH64_TLSDESC:
            return thread_descriptor;
#endif
        default:
            return std::nullopt;
    }
}

}  // namespace railyard::loader
