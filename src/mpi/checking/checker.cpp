#include "mpi/checking/checker.hpp"

#include <algorithm>

#include "mpi/calls/parameters.hpp"
#include "mpi/checking/findings.hpp"
#include "mpi/checking/window_check.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi::checking {

void Checker::entered(Function function, std::span<const Word> arguments) {
    const MadeCall call(function, arguments);
    calls_.emplace_back(::pthread_self(), call);
    try {
        requests_.entered(call);
        if (const std::string why = difference_in_window(call, objects_); !why.empty())
            fail(objects_.process(), why);
        check_collective(call);
        // What blocks in it may be a collective that others have not started.
        if (calls::chapter(function) == calls::Chapter::completion) collectives_.look_around();
    } catch (const MpiError&) {
        // A rank out of reach: the call itself will say so.
    }
    if (function != Function::Finalize) return;
    collectives_.look_around();
    requests_.tell_leaks();
    has_ended_ = true;
}

void Checker::check_collective(const MadeCall& call) {
    const Together how = together(call.function);
    const auto meeting = waits_.current_meeting();
    if (how == Together::no || !meeting) return;
    // A window's communicator is the library's own, and has nothing that users could confuse.
    for (std::size_t i = 0; i < call.count; ++i)
        if (Comm* const comm = objects_.comm(static_cast<int>(call.words[i])))
            if (comm->context() == meeting->place)
                return collectives_.entered(call, *comm, meeting->number,
                                            how == Together::blocking);
}

void Checker::left(Function) {
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [](const auto& call) {
        return ::pthread_equal(call.first, ::pthread_self()) != 0;
    });
    if (found == calls_.rend()) return;
    const MadeCall call = found->second;
    calls_.erase(std::next(found).base());
    // Nothing that handles stood for is left.
    if (!has_ended_) requests_.left(call);
}

}  // namespace railyard::mpi::checking
