#pragma once
/// What the generated entry points and the functions behind them need.

#include <mpi.h>

#include <cstring>
#include <string_view>

#include "mpi/abi/arguments.hpp"
#include "mpi/abi/errors.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi::abi {

/// A text that the user gave room for: `room` bytes, the closing zero included.
inline void give_text(std::string_view text, char* to, std::size_t room, int& length) {
    if (to == nullptr) null_argument("the place for the text");
    const std::size_t n = text.size() < room ? text.size() : room - 1;
    if (n != 0) std::memcpy(to, text.data(), n);
    to[n] = '\0';
    length = static_cast<int>(n);
}

}  // namespace railyard::mpi::abi
