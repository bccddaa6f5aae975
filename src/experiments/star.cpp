#include "experiments/star.hpp"

#include "experiments/sweep.hpp"

namespace railyard::experiments {

Star::Star(Context& context, const std::string& tag, Bytes buffer) : rank_(context.rank()) {
    const auto add = [&](unsigned slave, int peer) {
        const Pair::Options options{
            .buffer = buffer, .memory = context.request().memory, .peer = peer};
        pairs_.push_back(std::make_unique<Pair>(rank_, tag + "/" + std::to_string(slave), options));
    };
    if (!master()) {
        add(static_cast<unsigned>(rank_.id()), 0);
        return;
    }
    for (unsigned slave = 1; slave <= slaves(); ++slave)
        add(slave, static_cast<int>(slave));
}

Lines::Lines(Star& star, fabric::Op op, Bytes size) : star_(star) {
    const unsigned count = star.master() ? star.slaves() : 1;
    for (unsigned slave = 1; slave <= count; ++slave)
        lines_.push_back(std::make_unique<Line>(star.pair(slave), op, size));
    for (const auto& line : lines_)
        line->pair().meet();
}

results::Parameters parameters_of(const Context& context, fabric::Op op, Bytes size,
                                  unsigned slaves) {
    auto parameters = parameters_of(context, op, size);
    parameters[results::parameter::slaves] = std::int64_t{slaves};
    return parameters;
}

}  // namespace railyard::experiments
