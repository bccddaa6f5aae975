// Throughput against offered load: 64 nodes that send 320 bytes at a time, as four patterns say.

#include <fmt/format.h>

#include <algorithm>

#include "interconnects/quadrics/elite/load.hpp"
#include "quadrics/rows.hpp"

using namespace railyard;
using elite::Pattern;

constexpr int width = 60;  // of a link's full rate, in characters

elite::LoadPoint offer(Pattern pattern, int percent) {
    elite::Load load;
    load.parameters.dimension = 3;
    load.pattern = pattern;
    load.offered = percent / 100.0;
    load.payload = Bytes(320);
    return run_load(load);
}

int main(int arguments, char** argument) {
    Rows rows;
    for (const Pattern pattern :
         {Pattern::bit_complement, Pattern::transpose, Pattern::uniform, Pattern::hot_spot}) {
        fmt::print("{}\n", name(pattern));
        for (int percent = 10; percent <= 100; percent += 10) {
            const elite::LoadPoint point = offer(pattern, percent);
            const double accepted = 100 * point.accepted;
            fmt::print("  offered {:3} %  accepted {:4.1f} %  {:6.1f} us  {:#<{}}\n", percent,
                       accepted, point.mean_network_latency.microseconds(), "",
                       std::max(1, static_cast<int>(accepted * width / 100)));
            const results::Parameters parameters{{"offered_percent", std::int64_t{percent}},
                                                 {"pattern", std::string(name(pattern))}};
            rows.add("quadrics-load", parameters, "accepted", accepted, results::unit::percent);
            rows.add("quadrics-load", parameters, "network_latency",
                     point.mean_network_latency.microseconds(), results::unit::microseconds);
        }
    }
    rows.write(arguments, argument);
}
