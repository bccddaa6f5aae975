/// quadrics-hotspot: several ranks read, then write, the same block of one rank's memory. The rate
/// of all together, and each one's share. petrini02 fig. 8.

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>

#include "base/quantity.hpp"
#include "experiments/core/experiment.hpp"
#include "experiments/core/sampling.hpp"
#include "experiments/user/bundle.hpp"
#include "experiments/user/course.hpp"

namespace railyard::experiments {

namespace {

using fabric::Op;

/// Requests that each accessing rank keeps under way: enough that the memory never waits for one.
constexpr unsigned outstanding = 4;
constexpr unsigned hotspot_parts = 5;

/// Rank 0 owns the block; all others access it.
class Hotspot {
  public:
    explicit Hotspot(Context& context) : context_(context), rank_(context.rank()) {
        const Bytes largest = largest_size(context);
        const Memory memory = context.request().memory;
        if (rank_.id() == 0)
            block_ = std::make_unique<Buffer>(rank_.nic(), largest, fabric::Access::all, memory);
        const int first = rank_.id() == 0 ? 1 : 0;
        const int last = rank_.id() == 0 ? rank_.size() : 1;
        for (int peer = first; peer < last; ++peer)
            bundles_.push_back(std::make_unique<Bundle>(
                rank_, "quadrics-hotspot/" + std::to_string(std::max(peer, rank_.id())),
                Bundle::Options{.buffer = largest,
                                .memory = memory,
                                .sends = outstanding,
                                .peer = peer,
                                .target = block_.get()}));
    }

    void measure(Op op, Bytes size, int nodes) {
        const Rates rates =
            steady_rates(context_, "course/" + std::to_string(point_++), sampling_for(size),
                         [&](const Sampling& sampling, const std::string& key) {
                             return run(op, size, nodes, sampling, key);
                         });
        if (!rates.samples.empty()) emit(rates, op, size, nodes);
    }

  private:
    /// The rate of all that access the block, for rank 0.
    std::vector<double> run(Op op, Bytes size, int nodes, const Sampling& sampling,
                            const std::string& key) {
        Course course(rank_);
        if (rank_.id() == 0) {
            // Here all the while, ready to make progress where a fabric needs that.
            for (int i = 0; i < nodes && wakes(); ++i)
                bundle(i).meet();
            for (int i = 0; i < nodes; ++i)
                bundle(i).meet();
        } else if (rank_.id() <= nodes) {
            access(course, op, size, sampling);
        } else {
            return {};
        }
        std::vector<int> ranks(static_cast<std::size_t>(nodes));
        std::iota(ranks.begin(), ranks.end(), 1);
        return course.rates_of_all(key, ranks, hotspot_parts);
    }

    /// Real ranks meet before they start, so that all are awake. In virtual time they are, and the
    /// greetings would have to wait behind the first ones' data.
    bool wakes() const { return !context_.virtual_time(); }
    Bundle& bundle(int i) { return *bundles_[static_cast<std::size_t>(i)]; }

    void access(Course& course, Op op, Bytes size, const Sampling& sampling) {
        Bundle& to_block = bundle(0);
        const fabric::Slice here(to_block.local(), Bytes(0), size);
        fabric::WorkRequest request;
        request.op = op;
        request.content = Bytes(0);  // nobody looks at it
        request.local = {&here, 1};
        request.remote = {&to_block.peer_target(), Bytes(0)};
        std::uint64_t posted = 0;
        std::uint64_t finished = 0;
        const auto run = [&](unsigned n) {
            for (const std::uint64_t goal = finished + n; finished < goal;) {
                for (; posted - finished < outstanding; ++posted)
                    to_block.post(0, request);
                to_block.wait([&] {
                    const unsigned done = to_block.poll_sent();
                    finished += done;
                    return done > 0;
                });
            }
        };
        if (wakes()) to_block.meet();
        run(sampling.warmup);
        course.mark(size * finished);
        for (unsigned i = 0; i < sampling.samples; ++i) {
            run(sampling.batch);
            course.mark(size * finished);
        }
        run(outstanding);  // while others may still be measuring
        to_block.meet();
    }

    Sampling sampling_for(Bytes size) const {
        if (context_.virtual_time()) return with_wishes(context_, 2 * outstanding, 8, 8);
        return queue_sampling(context_, size, outstanding);
    }

    void emit(Rates rates, Op op, Bytes size, int nodes) {
        auto parameters = parameters_of(context_, op, size);
        parameters[results::parameter::access] =
            std::string(op == Op::rdma_read ? "read" : "write");
        parameters[results::parameter::nodes] = std::int64_t{nodes};
        context_.emit(parameters, results::metric::bandwidth_aggregate,
                      results::unit::megabytes_per_second, results::summarize(rates.samples),
                      rates.steady);
        for (double& rate : rates.samples)
            rate /= nodes;
        context_.emit(std::move(parameters), results::metric::bandwidth_per_node,
                      results::unit::megabytes_per_second, results::summarize(rates.samples),
                      rates.steady);
    }

    Context& context_;
    job::Rank& rank_;
    std::unique_ptr<Buffer> block_;
    std::vector<std::unique_ptr<Bundle>> bundles_;  ///< rank 0: to each of the others
    unsigned point_ = 0;
};

/// 1, 2, 4 … and all that there are.
std::vector<int> node_counts(int most) {
    std::vector<int> counts;
    for (int n = 1; n < most; n *= 2)
        counts.push_back(n);
    counts.push_back(most);
    return counts;
}

}  // namespace

void quadrics_hotspot(Context& context) {
    Hotspot hotspot(context);
    for (const int nodes : node_counts(context.rank().size() - 1)) {
        sweep(context, [&](Op op, Bytes size) {
            if (size > Bytes(0)) hotspot.measure(op, size, nodes);
        });
    }
    context.rank().bootstrap().fence();
}

}  // namespace railyard::experiments
