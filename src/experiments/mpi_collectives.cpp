// allreduce-latency: a collective operation over and over, and the connections that it has made.

#include <fmt/format.h>

#include "experiments/mpi_rounds.hpp"
#include "experiments/mpi_suite.hpp"

namespace railyard::experiments {

void collective_latency(Context& context) {
    namespace parameter = results::parameter;
    const auto name = std::get<std::string>(context.parameters().at(parameter::collective));
    const suite_experiment& procedure = procedure_named(name + "-latency");
    MpiSession session(context);
    const bool has_sizes = procedure.size_count > 0;
    const std::vector<Bytes> none{Bytes(0)};
    for (const Bytes size : has_sizes ? context.request().sizes : none) {
        run_procedure(context, session, procedure, std::span(&size, has_sizes ? 1 : 0),
                      collective_rounds(context, size));
        results::Parameters parameters;
        if (has_sizes)
            parameters[parameter::message_bytes] = static_cast<std::int64_t>(size.count());
        session.emit_connections(fmt::format("connections {}", size.count()), parameters);
    }
    session.finish();
}

}  // namespace railyard::experiments
