#pragma once
/// What happens when a call on a communicator fails.

#include <cstdint>
#include <functional>
#include <memory>

namespace railyard::mpi {

struct ErrorHandler {
    enum class Kind : std::uint8_t {
        fatal,    ///< a message, and the job ends
        abort,    ///< the same, for the communicator's ranks, which end the job as well
        returns,  ///< the call returns the error's code
        user,     ///< the user's function is called, then the call returns
    };

    Kind kind = Kind::fatal;
    int handle = 0;  ///< of a predefined one: what users know it by
    /// Of a user's: takes the communicator's handle and the error's code.
    std::function<void(int, int)> call;
};

using ErrorHandlerRef = std::shared_ptr<const ErrorHandler>;

}  // namespace railyard::mpi
