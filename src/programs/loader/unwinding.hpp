#pragma once
/// Lets exceptions and backtraces pass through code that the dynamic linker knows nothing of: the
/// C++ runtime asks _dl_find_object for the unwind table of an address, and in an executable that
/// exports it, that is ours. What we do not know the dynamic linker is asked for.

#include <cstddef>

namespace railyard::loader {

void know_unwinding(const std::byte* begin, const std::byte* end, const std::byte* table);
/// Nothing happens if there was none.
void forget_unwinding(const std::byte* begin) noexcept;

}  // namespace railyard::loader
