/// bandwidth-uni-two-port, -bi-two-port, -uni-two-process and -bi-two-process: windows of messages
/// between two nodes, by one process a node or by two, over one port, striped over two, or with
/// each bound to one; of two processes the sum while both are at work. liu04pcie figs. 8 to 11.

#include <algorithm>
#include <numeric>
#include <string>
#include <string_view>

#include "base/quantity.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/user/course.hpp"
#include "experiments/user/procedures.hpp"
#include "experiments/user/striped.hpp"

namespace railyard::experiments {

namespace {

struct PortsPlan {
    int processes = 1;  ///< a node
    Ways ways = Ways::one;
    /// Binding: different processes, or the two directions of one, use different ports (MP-4).
    bool binding = false;
    std::string_view metric{};
};

enum class PortMode : std::uint8_t { one_port, striping, binding };

std::string_view mode_name(PortMode mode) {
    return mode == PortMode::striping ? "striping" : "binding";
}

/// Where this rank stands: ranks 0 … n-1 are the processes of the first node, and each has its peer
/// on the second.
struct Position {
    int processes;
    int process;
    bool first;
    int peer;
};

Position position_of(const job::Rank& rank, const PortsPlan& plan) {
    const int n = plan.processes;
    const bool first = rank.id() < n;
    return {n, rank.id() % n, first, first ? rank.id() + n : rank.id() - n};
}

std::vector<unsigned> ports_of(PortMode mode, const Position& position) {
    if (mode == PortMode::one_port) return {0};
    if (mode == PortMode::binding && position.processes > 1)
        return {static_cast<unsigned>(position.process)};
    return {0, 1};
}

/// The connections that this rank sends on.
std::vector<std::size_t> rails_of(PortMode mode, const Position& position) {
    if (mode == PortMode::striping) return {0, 1};
    // One process sends on one port and receives on the other.
    if (mode == PortMode::binding && position.processes == 1) return {position.first ? 0U : 1U};
    return {0};
}

constexpr unsigned port_parts = 5;

/// Two pairs that share a port come to take turns, window by window, and it takes some windows to
/// get there and to see it; of large messages, where that would be many bytes, one does.
Sampling sampling_for(const Context& context, const Position& position, Bytes window) {
    Sampling sampling = window_sampling(context, window);
    const Request& request = context.request();
    const bool few = context.virtual_time() && position.processes > 1 && sampling.samples > 1;
    if (few && !request.iterations) sampling.samples = 8;
    if (few && !request.warmup) sampling.warmup = 2;
    return sampling;
}

/// One size in one mode, from one side of one pair: the course of what this side sends.
Course run(Context& context, Bundle& bundle, Striped& side, Ways ways, const Sampling& sampling) {
    const bool sends = bundle.first() || ways == Ways::both;
    const bool receives = !bundle.first() || ways == Ways::both;
    const auto windows = [&](unsigned n) { play_windows(side, sends, receives, n); };
    Course course(context.rank());
    bundle.meet();
    windows(sampling.warmup);
    course.mark(side.finished());
    side.follow([&] { course.mark(side.finished()); });
    for (unsigned i = 0; i < sampling.samples; ++i) {
        windows(sampling.batch);
        course.mark(side.finished());
    }
    side.follow({});
    // The other pair may not be done yet: what it measures is to be measured with this one at work.
    if (context.rank().size() > 2) windows(1);
    bundle.meet();
    return course;
}

class PortsMeasurement {
  public:
    PortsMeasurement(Context& context, const PortsPlan& plan, std::string_view tag)
        : context_(context), plan_(plan), tag_(tag), position_(position_of(context.rank(), plan)) {}

    void measure(PortMode mode) {
        const unsigned window = context_.request().window;
        const std::string key = tag_ + "/" + std::to_string(static_cast<int>(mode));
        const auto ports = ports_of(mode, position_);
        Bundle bundle(context_.rank(), key + pair_name(),
                      {.buffer = 2 * largest_size(context_),
                       .memory = context_.request().memory,
                       .sends = Striped::sends_for(window),
                       .receives = Striped::receives_for(window, ports.size()),
                       .peer = position_.peer,
                       .ports = ports});
        unsigned point = 0;
        for (const Bytes size : context_.request().sizes) {
            if (size == Bytes(0)) continue;
            context_.progress(mode == PortMode::one_port
                                  ? "one port " + to_string(size)
                                  : std::string(mode_name(mode)) + " " + to_string(size));
            // In virtual time there are few windows, and pairs that take turns must be seen doing
            // so.
            const bool followed = context_.virtual_time() && position_.processes > 1;
            Striped side(bundle, size, window, rails_of(mode, position_), followed);
            const Rates rates = steady_rates(
                context_, key + "/" + std::to_string(point++),
                sampling_for(context_, position_, size * window),
                [&](const Sampling& sampling, const std::string& own) {
                    return rates_of(run(context_, bundle, side, plan_.ways, sampling), own);
                });
            emit(mode, size, rates);
        }
        context_.rank().bootstrap().fence();
    }

  private:
    std::string pair_name() const { return "/pair" + std::to_string(position_.process); }

    /// Of all that send, for rank 0.
    std::vector<double> rates_of(const Course& course, const std::string& key) const {
        const int nodes = plan_.ways == Ways::both ? 2 : 1;
        std::vector<int> senders(static_cast<std::size_t>(nodes * position_.processes));
        std::iota(senders.begin(), senders.end(), 0);
        const bool sent = position_.first || plan_.ways == Ways::both;
        if (!sent) return {};
        return course.rates_of_all(key, senders, context_.virtual_time() ? 1 : port_parts);
    }

    void emit(PortMode mode, Bytes size, const Rates& rates) {
        if (rates.samples.empty()) return;
        auto parameters = parameters_of(context_, fabric::Op::rdma_write, size);
        parameters[results::parameter::window] = std::int64_t{context_.request().window};
        parameters[results::parameter::processes] = std::int64_t{position_.processes};
        parameters[results::parameter::ports] = std::int64_t{mode == PortMode::one_port ? 1 : 2};
        if (mode != PortMode::one_port)
            parameters[results::parameter::mode] = std::string(mode_name(mode));
        context_.emit(std::move(parameters), plan_.metric, results::unit::megabytes_per_second,
                      results::summarize(rates.samples), rates.steady);
    }

    Context& context_;
    const PortsPlan& plan_;
    std::string tag_;
    Position position_;
};

/// Measures one port, striping, and binding if the plan has it. Where there is only one port, what
/// needs two is left out.
void measure_ports(Context& context, const PortsPlan& plan, std::string_view tag) {
    PortsMeasurement measurement(context, plan, tag);
    measurement.measure(PortMode::one_port);
    if (context.rank().nic().traits().ports < 2)
        return context.left_out(plan.binding ? "striping and binding: there is only one port"
                                             : "striping: there is only one port");
    measurement.measure(PortMode::striping);
    if (plan.binding) measurement.measure(PortMode::binding);
}

void measure_processes(Context& context, Ways ways, std::string_view tag) {
    measure_ports(context,
                  {.processes = 2,
                   .ways = ways,
                   .binding = true,
                   .metric = results::metric::bandwidth_aggregate},
                  tag);
}

}  // namespace

void bandwidth_uni_two_port(Context& context) {
    measure_ports(context,
                  {.processes = 1,
                   .ways = Ways::one,
                   .binding = false,  // that would be one port
                   .metric = results::metric::bandwidth},
                  "bandwidth-uni-two-port");
}

void bandwidth_bi_two_port(Context& context) {
    measure_ports(context,
                  {.processes = 1,
                   .ways = Ways::both,
                   .binding = true,
                   .metric = results::metric::bandwidth_aggregate},
                  "bandwidth-bi-two-port");
}

void bandwidth_uni_two_process(Context& context) {
    measure_processes(context, Ways::one, "bandwidth-uni-two-process");
}

void bandwidth_bi_two_process(Context& context) {
    measure_processes(context, Ways::both, "bandwidth-bi-two-process");
}

}  // namespace railyard::experiments
