/// hotspot-send: a master sends one small message to each of its slaves; how long until the last of
/// them has it. liu04 fig. 11a.
/// hotspot-recv: a master releases its slaves with a small message each, and each answers with one.
/// liu04 fig. 11b.

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "experiments/core/exchange.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/user/procedures.hpp"

namespace railyard::experiments {

namespace {

/// One master and its slaves: rank 0 has a pair with each of the others.
class Star {
  public:
    Star(Context& context, const std::string& tag, Bytes buffer) : rank_(context.rank()) {
        const auto add = [&](unsigned slave, int peer) {
            const Pair::Options options{
                .buffer = buffer, .memory = context.request().memory, .peer = peer};
            pairs_.push_back(
                std::make_unique<Pair>(rank_, tag + "/" + std::to_string(slave), options));
        };
        if (!master()) {
            add(static_cast<unsigned>(rank_.id()), 0);
            return;
        }
        for (unsigned slave = 1; slave <= slaves(); ++slave)
            add(slave, static_cast<int>(slave));
    }

    job::Rank& rank() { return rank_; }
    fabric::Host& host() { return rank_.host(); }
    bool master() const { return rank_.id() == 0; }
    unsigned slaves() const { return static_cast<unsigned>(rank_.size() - 1); }
    /// The master's pair with a slave (1, 2, …); a slave has but one.
    Pair& pair(unsigned slave) { return *pairs_.at(master() ? slave - 1 : 0); }
    const Pair& any_pair() const { return *pairs_.front(); }
    void part() { pairs_.front()->part(); }

  private:
    job::Rank& rank_;
    std::vector<std::unique_ptr<Pair>> pairs_;
};

/// A line between the master and each slave, and all have met: ready for use.
class Lines {
  public:
    Lines(Star& star, fabric::Op op, Bytes size) : star_(star) {
        const unsigned count = star.master() ? star.slaves() : 1;
        for (unsigned slave = 1; slave <= count; ++slave)
            lines_.push_back(std::make_unique<Line>(star.pair(slave), op, size));
        for (const auto& line : lines_)
            line->pair().meet();
    }

    /// The master's line with a slave (1, 2, …); a slave has but one.
    Line& with(unsigned slave) { return *lines_.at(star_.master() ? slave - 1 : 0); }

  private:
    Star& star_;
    std::vector<std::unique_ptr<Line>> lines_;
};

/// {message_bytes, op, memory, slaves}
results::Parameters slave_parameters(const Context& context, fabric::Op op, Bytes size,
                                     unsigned slaves) {
    auto parameters = parameters_of(context, op, size);
    parameters[results::parameter::slaves] = std::int64_t{slaves};
    return parameters;
}

/// In virtual time: long enough for everything under way to end.
constexpr Duration silence = Duration::ms(1);

/// Iterations of one master and so many slaves, each on its own: it begins when nothing of the one
/// before is under way.
class Iterations {
  public:
    Iterations(Context& context, Star& star, Lines& lines, unsigned slaves)
        : star_(star), lines_(lines), slaves_(slaves), shared_clock_(context.virtual_time()) {}

    /// Without a shared clock: until the last slave's answer has come, in us.
    std::vector<double> master(unsigned n) {
        fabric::Host& host = star_.host();
        const Duration clock = clock_cost(host);
        std::vector<double> times;
        for (; n > 0; --n) {
            if (shared_clock_) host.compute(silence);
            const Time start = host.now();
            for (unsigned slave = 1; slave <= slaves_; ++slave)
                lines_.with(slave).send();
            if (shared_clock_) {
                starts_.push_back(start);
                host.compute(silence);
            } else {
                lines_.with(slaves_).await();
                times.push_back((host.now() - start - clock).microseconds());
                lines_.with(slaves_).tidy();
            }
            regroup();
        }
        return times;
    }

    void slave(unsigned n) {
        Line& line = lines_.with(1);
        for (; n > 0; --n) {
            line.await();
            arrivals_.push_back(star_.host().now());
            const bool last = static_cast<unsigned>(star_.rank().id()) == slaves_;
            if (last && !shared_clock_) line.send();
            line.tidy();
            line.pair().wait_received();
            line.pair().post_receives();
            line.pair().settle();
            line.pair().notify();
        }
    }

    /// With a shared clock: from the master's first post to the last arrival, in us.
    std::vector<double> collect(const std::string& key) {
        if (!star_.master()) {
            star_.rank().bootstrap().put(key, std::as_bytes(std::span<const Time>(arrivals_)));
            return {};
        }
        std::vector<double> times(starts_.size(), 0.0);
        for (unsigned slave = 1; slave <= slaves_; ++slave) {
            const auto arrivals = values_of<Time>(star_.rank(), static_cast<int>(slave), key);
            for (std::size_t i = 0; i < times.size(); ++i)
                times[i] = std::max(times[i], (arrivals.at(i) - starts_[i]).microseconds());
        }
        return times;
    }

  private:
    /// Asks every slave whether it has its message. Not timed.
    void regroup() {
        for (unsigned slave = 1; slave <= slaves_; ++slave) {
            star_.pair(slave).settle();
            star_.pair(slave).notify();
        }
        for (unsigned slave = 1; slave <= slaves_; ++slave) {
            star_.pair(slave).wait_received();
            star_.pair(slave).post_receives();
        }
    }

    Star& star_;
    Lines& lines_;
    unsigned slaves_;
    bool shared_clock_;
    std::vector<Time> starts_;
    std::vector<Time> arrivals_;
};

/// Each iteration is a sample, since each is timed on its own.
Sampling send_counts(const Context& context) {
    const Request& request = context.request();
    const bool few = context.virtual_time();
    const unsigned iterations = few ? 2 : request.quick ? 100 : 1'000;
    return {request.warmup.value_or(few ? 1 : iterations / 10),
            std::max(1U, request.iterations.value_or(iterations)), 1};
}

void measure_send(Context& context, Star& star, fabric::Op op, Bytes size) {
    Lines lines(star, op, size);
    const Sampling sampling = send_counts(context);
    const unsigned n = sampling.warmup + sampling.samples;
    double answer = 0;  // us; with one slave, an answered iteration is a ping-pong
    for (unsigned slaves = 1; slaves <= star.slaves(); ++slaves) {
        if (static_cast<unsigned>(star.rank().id()) > slaves) continue;
        Iterations iterations(context, star, lines, slaves);
        std::vector<double> times;
        if (star.master())
            times = iterations.master(n);
        else
            iterations.slave(n);
        if (context.virtual_time())
            times = iterations.collect("hotspot-send/" + std::string(fabric::name(op)) + "/" +
                                       std::to_string(size.count()) + "/" + std::to_string(slaves));
        if (!star.master()) continue;
        times.erase(times.begin(), times.begin() + sampling.warmup);
        if (slaves == 1 && !context.virtual_time()) answer = results::summarize(times).p50 / 2;
        for (double& time : times)
            time -= answer;
        context.emit(slave_parameters(context, op, size, slaves),
                     results::metric::iteration_latency, results::unit::microseconds,
                     results::summarize(times));
    }
}

Sampling receive_counts(const Context& context, Bytes size) {
    Sampling sampling = latency_sampling(context, size);
    if (context.virtual_time() || context.request().iterations) return sampling;
    // Several ranks may share a core, and take their time.
    const unsigned iterations = context.request().quick ? 100 : 1'000;
    return {iterations / 10, 20, iterations / 20};
}

void answer(Line& line, const Sampling& sampling) {
    for (std::uint64_t n = sampling.total(); n > 0; --n) {
        line.await();
        line.send();
        line.tidy();
    }
}

/// Each iteration, in us.
std::vector<double> release(fabric::Host& host, Lines& lines, unsigned slaves,
                            const Sampling& sampling) {
    const auto times = time_batches(host, sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            for (unsigned i = 1; i <= slaves; ++i)
                lines.with(i).send();
            for (unsigned i = 1; i <= slaves; ++i)
                lines.with(i).await();
            for (unsigned i = 1; i <= slaves; ++i)
                lines.with(i).tidy();
        }
    });
    return microseconds(times, sampling.batch);
}

void measure_receive(Context& context, Star& star, fabric::Op op, Bytes size) {
    Lines lines(star, op, size);
    const Sampling sampling = receive_counts(context, size);
    for (unsigned slaves = 1; slaves <= star.slaves(); ++slaves) {
        if (static_cast<unsigned>(star.rank().id()) > slaves) continue;
        // So that no completion comes in the middle of a few iterations.
        for (unsigned i = 1; i <= (star.master() ? slaves : 1); ++i)
            star.pair(i).settle();
        if (!star.master()) {
            answer(lines.with(1), sampling);
            continue;
        }
        context.emit(slave_parameters(context, op, size, slaves),
                     results::metric::iteration_latency, results::unit::microseconds,
                     results::summarize(release(star.host(), lines, slaves, sampling)));
    }
    // No slave greets the master for what comes next while the last iteration is being timed.
    star.rank().bootstrap().fence();
}

}  // namespace

void hotspot_send(Context& context) {
    Star star(context, "hotspot-send", largest_size(context));
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (watchable(context, star.any_pair(), op, size)) measure_send(context, star, op, size);
    });
    star.part();
}

void hotspot_recv(Context& context) {
    Star star(context, "hotspot-recv", largest_size(context));
    sweep(context, [&](fabric::Op op, Bytes size) {
        if (watchable(context, star.any_pair(), op, size)) measure_receive(context, star, op, size);
    });
    star.part();
}

}  // namespace railyard::experiments
