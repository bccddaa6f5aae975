/// multiconn-latency and multiconn-throughput: many connections between two ranks. A ping-pong in
/// which each round sends a message over every connection, one after the other, and as many come
/// back; and both sides streaming over all connections in turn. rashti07 fig. 2.

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/quantity.hpp"
#include "experiments/core/exchange.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/user/bundle.hpp"

namespace railyard::experiments {

namespace {

constexpr unsigned most_connections = 256;

/// 1, 2, 4 … 256, as far as the fabric goes; only some of them for a first look.
std::vector<unsigned> connection_counts(Context& context) {
    const std::uint32_t limit = context.rank().nic().traits().max_queue_pairs;
    const unsigned step = context.request().quick ? 8 : 2;
    std::vector<unsigned> counts;
    for (unsigned n = 1; n <= most_connections; n *= step)
        if (limit == 0 || n <= limit) counts.push_back(n);
    if (limit != 0 && limit < most_connections)
        context.left_out("more than " + std::to_string(limit) +
                         " connections: the fabric holds no more");
    return counts;
}

/// Messages of one size, one a connection: each writes from a slot of its own into a slot of its
/// own.
class Slots {
  public:
    Slots(Bundle& bundle, Bytes size)
        : bundle_(bundle),
          size_(size),
          sources_(bundle.connections()),
          requests_(bundle.connections()) {
        for (std::size_t i = 0; i < count(); ++i) {
            const Bytes at = i * stride_of(size);
            sources_[i] = fabric::Slice(bundle.local(), at, size);
            requests_[i].op = fabric::Op::rdma_write;
            requests_[i].local = {&sources_[i], 1};
            requests_[i].remote = {&bundle.peer_target(), at};
            *in(i) = std::byte{0};
        }
    }
    Slots(const Slots&) = delete;  // requests point into this object
    Slots& operator=(const Slots&) = delete;

    /// What a bundle of so many connections needs for messages of up to that size.
    static Bytes buffer(unsigned connections, Bytes largest) {
        return connections * stride_of(largest);
    }

    std::size_t count() const { return requests_.size(); }
    fabric::WorkRequest& request(std::size_t connection) { return requests_[connection]; }
    /// The last byte of what is sent next, and of what comes.
    std::byte& out(std::size_t connection) {
        return sources_[connection].data()[size_.count() - 1];
    }
    std::byte* in(std::size_t connection) const {
        return bundle_.target().data() + (connection * stride_of(size_) + size_).count() - 1;
    }

  private:
    Bundle& bundle_;
    Bytes size_;
    std::vector<fabric::Slice> sources_;
    std::vector<fabric::WorkRequest> requests_;
};

/// {message_bytes, op, memory, connections}
results::Parameters connection_parameters(const Context& context, Bytes size,
                                          std::size_t connections) {
    auto parameters = parameters_of(context, fabric::Op::rdma_write, size);
    parameters[results::parameter::connections] = static_cast<std::int64_t>(connections);
    return parameters;
}

/// Calls `measure(bundle, slots, size, key)` for each number of connections and each size; `key` is
/// unique in the job. A connection holds up to `sends` requests.
void for_connections(
    Context& context, std::string_view tag, unsigned sends,
    const std::function<void(Bundle&, Slots&, Bytes, const std::string&)>& measure) {
    for (const unsigned count : connection_counts(context)) {
        const std::string key = std::string(tag) + "/" + std::to_string(count);
        // Just so many: on some interconnects even idle connections cost something.
        Bundle bundle(context.rank(), key,
                      {.buffer = Slots::buffer(count, largest_size(context)),
                       .memory = context.request().memory,
                       .sends = sends,
                       .ports = std::vector<unsigned>(count, 0)});
        unsigned point = 0;
        for (const Bytes size : context.request().sizes) {
            if (size == Bytes(0)) continue;
            context.progress(std::to_string(count) + " connections, " + to_string(size));
            Slots slots(bundle, size);
            measure(bundle, slots, size, key + "/" + std::to_string(point++));
        }
        context.rank().bootstrap().fence();
    }
}

/// Rounds, not messages: the more connections, the fewer.
Sampling rounds_for(const Context& context, Bytes size, std::size_t connections) {
    Sampling sampling = latency_sampling(context, size * connections);
    if (context.virtual_time()) return sampling;
    const auto fewer = [&](unsigned n) {
        return std::max(2U, n / static_cast<unsigned>(connections));
    };
    return {fewer(sampling.warmup), sampling.samples, fewer(sampling.batch)};
}

std::vector<double> rounds(Bundle& bundle, Slots& slots, const Sampling& sampling) {
    Stamp sent;
    Stamp seen;
    const auto send = [&] {
        const std::byte stamp = sent.next();
        for (std::size_t i = 0; i < slots.count(); ++i) {
            slots.out(i) = stamp;
            bundle.post_quietly(i, slots.request(i));
        }
    };
    const auto await = [&] {
        const std::byte stamp = seen.next();
        std::size_t next = 0;
        bundle.wait([&] {
            while (next < slots.count() && fabric::arrived(slots.in(next), stamp))
                ++next;
            return next == slots.count();
        });
    };
    bundle.meet();
    const auto times = time_batches(bundle.host(), sampling, [&](unsigned n) {
        for (; n > 0; --n) {
            if (bundle.first()) send();
            await();
            if (!bundle.first()) send();
        }
    });
    bundle.meet();
    return microseconds(times, 2.0 * sampling.batch * static_cast<double>(slots.count()));
}

/// Messages under way, over all connections together: enough to fill a pipeline, the same for every
/// number of connections, so that nothing else changes with it.
constexpr unsigned most_outstanding = 64;

class Turns {
  public:
    Turns(Bundle& bundle, Slots& slots) : bundle_(bundle), slots_(slots) {}

    /// Posts and finishes `n` more messages, but for those under way.
    void run(std::uint64_t n) {
        for (const std::uint64_t goal = finished_ + n; finished_ < goal;) {
            while (posted_ - finished_ < most_outstanding)
                post();
            bundle_.wait([&] {
                const unsigned done = bundle_.poll_sent();
                finished_ += done;
                return done > 0;
            });
        }
    }
    std::uint64_t finished() const { return finished_; }
    void settle() { bundle_.settle(); }

  private:
    void post() {
        bundle_.post(next_, slots_.request(next_));
        next_ = next_ + 1 == slots_.count() ? 0 : next_ + 1;
        ++posted_;
    }

    Bundle& bundle_;
    Slots& slots_;
    std::size_t next_ = 0;
    std::uint64_t posted_ = 0;
    std::uint64_t finished_ = 0;
};

/// MB/s of what this side sends, batch by batch.
std::vector<double> stream(Bundle& bundle, Slots& slots, Bytes size, const Sampling& sampling) {
    Turns turns(bundle, slots);
    bundle.meet();
    turns.run(sampling.warmup);
    std::vector<double> rates;
    for (unsigned i = 0; i < sampling.samples; ++i) {
        const Time start = bundle.host().now();
        const std::uint64_t before = turns.finished();
        turns.run(sampling.batch);
        const auto bytes = static_cast<double>((turns.finished() - before) * size.count());
        rates.push_back(bytes / (bundle.host().now() - start).microseconds());
    }
    // A peer that is not done yet is to find this side at work until its end.
    turns.run(most_outstanding);
    turns.settle();
    bundle.meet();
    return rates;
}

}  // namespace

void multiconn_latency(Context& context) {
    if (context.rank().nic().traits().placement != fabric::Placement::last_byte_last)
        return context.left_out("all: this fabric does not place the last byte last");
    constexpr unsigned sends = 16;
    for_connections(context, "multiconn-latency", sends,
                    [&](Bundle& bundle, Slots& slots, Bytes size, const std::string&) {
                        const auto samples =
                            rounds(bundle, slots, rounds_for(context, size, slots.count()));
                        context.emit(connection_parameters(context, size, slots.count()),
                                     results::metric::normalized_latency,
                                     results::unit::microseconds, results::summarize(samples));
                    });
}

void multiconn_throughput(Context& context) {
    for_connections(
        context, "multiconn-throughput", most_outstanding,
        [&](Bundle& bundle, Slots& slots, Bytes size, const std::string& key) {
            // Whole rounds of all connections, and no less than what is outstanding.
            const unsigned round = std::max(most_outstanding, static_cast<unsigned>(slots.count()));
            const Rates both =
                steady_rates(context, key, queue_sampling(context, size, round),
                             [&](const Sampling& sampling, const std::string& run) {
                                 return rates_of_both(context.rank(), run,
                                                      stream(bundle, slots, size, sampling));
                             });
            context.emit(connection_parameters(context, size, slots.count()),
                         results::metric::throughput, results::unit::megabytes_per_second,
                         results::summarize(both.samples), both.steady);
        });
}

}  // namespace railyard::experiments
