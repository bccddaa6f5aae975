#include "experiments/ports.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/quantity.hpp"
#include "experiments/course.hpp"
#include "experiments/striped.hpp"
#include "experiments/sweep.hpp"

namespace railyard::experiments {

namespace {

enum class Mode : std::uint8_t { one_port, striping, binding };

std::string_view mode_name(Mode mode) {
    return mode == Mode::striping ? "striping" : "binding";
}

/// Where this rank stands: ranks 0 … n-1 are the processes of the first node, and each has its peer
/// on the second.
struct Place {
    int processes;
    int process;
    bool first;
    int peer;
};

Place place_of(const job::Rank& rank, const PortsPlan& plan) {
    const int n = plan.processes;
    const bool first = rank.id() < n;
    return {n, rank.id() % n, first, first ? rank.id() + n : rank.id() - n};
}

std::vector<unsigned> ports_of(Mode mode, const Place& place) {
    if (mode == Mode::one_port) return {0};
    if (mode == Mode::binding && place.processes > 1) return {static_cast<unsigned>(place.process)};
    return {0, 1};
}

/// The connections that this rank sends on.
std::vector<std::size_t> rails_of(Mode mode, const Place& place) {
    if (mode == Mode::striping) return {0, 1};
    // One process sends on one port and receives on the other.
    if (mode == Mode::binding && place.processes == 1) return {place.first ? 0U : 1U};
    return {0};
}

constexpr unsigned port_parts = 5;

/// Two pairs that share a port come to take turns, window by window, and it takes some windows to
/// get there and to see it; of large messages, where that would be many bytes, one does.
Sampling sampling_for(const Context& context, const Place& place, Bytes window) {
    Sampling sampling = window_sampling(context, window);
    const Request& request = context.request();
    const bool few = context.virtual_time() && place.processes > 1 && sampling.samples > 1;
    if (few && !request.iterations) sampling.samples = 8;
    if (few && !request.warmup) sampling.warmup = 2;
    return sampling;
}

/// One size in one mode, from one side of one pair: the course of what this side sends.
Course run(Context& context, Bundle& bundle, Striped& side, Ways ways, const Sampling& sampling) {
    const bool sends = bundle.first() || ways == Ways::both;
    const bool receives = !bundle.first() || ways == Ways::both;
    const auto windows = [&](unsigned n) {
        for (; n > 0; --n) {
            if (sends) side.send();
            if (receives) {
                side.await();
                side.reply();
            }
            if (sends) side.await_reply();
        }
    };
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

class Measurement {
  public:
    Measurement(Context& context, const PortsPlan& plan, std::string_view tag)
        : context_(context), plan_(plan), tag_(tag), place_(place_of(context.rank(), plan)) {}

    void measure(Mode mode) {
        const unsigned window = context_.request().window;
        const std::string key = tag_ + "/" + std::to_string(static_cast<int>(mode));
        const auto ports = ports_of(mode, place_);
        Bundle bundle(context_.rank(), key + pair_name(),
                      {.peer = place_.peer,
                       .ports = ports,
                       .buffer = 2 * largest_size(context_),
                       .memory = context_.request().memory,
                       .sends = Striped::sends_for(window),
                       .receives = Striped::receives_for(window, ports.size())});
        unsigned point = 0;
        for (const Bytes size : context_.request().sizes) {
            if (size == Bytes(0)) continue;
            context_.progress(mode == Mode::one_port
                                  ? "one port " + to_string(size)
                                  : std::string(mode_name(mode)) + " " + to_string(size));
            // In virtual time there are few windows, and pairs that take turns must be seen doing
            // so.
            const bool followed = context_.virtual_time() && place_.processes > 1;
            Striped side(bundle, size, window, rails_of(mode, place_), followed);
            const Course course = run(context_, bundle, side, plan_.ways,
                                      sampling_for(context_, place_, size * window));
            emit(mode, size, course, key + "/" + std::to_string(point++));
        }
        context_.rank().bootstrap().fence();
    }

  private:
    std::string pair_name() const { return "/pair" + std::to_string(place_.process); }

    void emit(Mode mode, Bytes size, const Course& course, const std::string& key) {
        const int nodes = plan_.ways == Ways::both ? 2 : 1;
        std::vector<int> senders(static_cast<std::size_t>(nodes * place_.processes));
        std::iota(senders.begin(), senders.end(), 0);
        const bool sent = place_.first || plan_.ways == Ways::both;
        if (!sent) return;
        const unsigned parts = context_.virtual_time() ? 1 : port_parts;
        const auto rates = course.rates_of_all(key, senders, parts);
        if (rates.empty()) return;
        auto parameters = parameters_of(context_, fabric::Op::rdma_write, size);
        parameters[results::parameter::window] = std::int64_t{context_.request().window};
        parameters[results::parameter::processes] = std::int64_t{place_.processes};
        parameters[results::parameter::ports] = std::int64_t{mode == Mode::one_port ? 1 : 2};
        if (mode != Mode::one_port)
            parameters[results::parameter::mode] = std::string(mode_name(mode));
        context_.emit(std::move(parameters), plan_.metric, results::unit::megabytes_per_second,
                      results::summarize(rates));
    }

    Context& context_;
    const PortsPlan& plan_;
    std::string tag_;
    Place place_;
};

}  // namespace

void measure_ports(Context& context, const PortsPlan& plan, std::string_view tag) {
    Measurement measurement(context, plan, tag);
    measurement.measure(Mode::one_port);
    if (context.rank().nic().traits().ports < 2)
        return context.left_out(plan.binding ? "striping and binding: there is only one port"
                                             : "striping: there is only one port");
    measurement.measure(Mode::striping);
    if (plan.binding) measurement.measure(Mode::binding);
}

}  // namespace railyard::experiments
