#pragma once
/// How a collective is called: blocking, non-blocking or persistent; and what a rank does before it
/// waits for one that does not block.

#include <mpi.h>

#include <cstdint>
#include <functional>
#include <utility>

#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {

struct Calling {
    enum class Form : std::uint8_t { blocking, non_blocking, persistent };

    Form form = Form::blocking;
    bool polls = false;  ///< waits by MPI_Test
    std::function<void()> meanwhile{};

    /// The three forms of one function, and what they are to be called with.
    template <class Blocking, class Started, class Made, class... Arguments>
    void operator()(Blocking blocking, Started started, Made made, Arguments... arguments) const {
        if (form == Form::blocking) {
            blocking(arguments...);
            return;
        }
        MPI_Request request = MPI_REQUEST_NULL;
        if (form == Form::persistent) {
            made(arguments..., MPI_INFO_NULL, &request);
            MPI_Start(&request);
        } else {
            started(arguments..., &request);
        }
        if (meanwhile) meanwhile();
        wait(request);
        require_equal(request == MPI_REQUEST_NULL, form == Form::non_blocking, "being null");
        if (form == Form::persistent) MPI_Request_free(&request);
    }

  private:
    void wait(MPI_Request& request) const {
        if (!polls) {
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            return;
        }
        int flag = 0;
        while (flag == 0)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
};

}  // namespace railyard::mpi::programs
