#include "mpi/engine/engine_team.hpp"

#include "mpi/types/error.hpp"

namespace railyard::mpi {

void EngineTeam::exchange(const ConstBuffer& out, int to, const Buffer& in, int from) {
    Request& receive = process_.start_receive_in(context_, in, from, tag, comm_);
    process_.send_in(context_, out, to, tag, comm_);
    finish(receive);
}

void EngineTeam::wait_all() {
    std::vector<Request*> all;
    all.swap(under_way_);
    // All of them first: an error must not leave any behind that still writes into a buffer.
    for (const Request* request : all)
        process_.wait(*request);
    for (Request* request : all)
        finish(*request);
    all.clear();
    under_way_.swap(all);  // the memory, for the next time
}

void EngineTeam::finish(Request& request) {
    process_.wait(request);
    const ErrorClass error = request.result.error;
    process_.release(request);
    if (error != ErrorClass::success)
        throw MpiError(error,
                       "the ranks disagree on how much data a collective moves; all must "
                       "give matching counts and types");
}

}  // namespace railyard::mpi
