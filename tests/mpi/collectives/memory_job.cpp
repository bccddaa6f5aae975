#include "mpi/collectives/memory_job.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "mpi/collectives/buffers.hpp"
#include "mpi/collectives/recording_team.hpp"

namespace railyard::mpi {

class MemoryTeam final : public Team {
  public:
    MemoryTeam(MemoryJob& job, int rank)
        : Team(rank, job.options_.ranks, job.options_.circumstances, job.options_.algorithms,
               job.nodes_ ? &*job.nodes_ : nullptr),
          job_(job),
          random_(job.options_.seed, static_cast<std::uint64_t>(rank)) {}

    void send(const ConstBuffer& data, int to) override {
        check_idle();
        start_send(data, to);
        wait_all();
    }
    void receive(const Buffer& into, int from) override {
        check_idle();
        start_receive(into, from);
        wait_all();
    }
    void exchange(const ConstBuffer& out, int to, const Buffer& in, int from) override {
        check_idle();
        start_receive(in, from);
        start_send(out, to);
        wait_all();
    }

    void start_send(const ConstBuffer& data, int to) override {
        random_delay();
        check_partner(to);
        MemoryJob::Sent sent{data, {}, nullptr};
        if (job_.options_.buffered) {
            sent.packed.resize(bytes_of(data));
            if (!sent.packed.empty()) data.type->pack(data.address, data.count, 0, sent.packed);
        } else {
            sent.sender = this;
            ++under_way_;
        }
        job_.totals_.messages += 1;
        if (nodes() != nullptr && nodes()->node_of(rank()) != nodes()->node_of(to))
            job_.totals_.between_nodes += 1;
        job_.totals_.bytes += bytes_of(data);
        job_.pipes_[{rank(), to}].sent.push_back(std::move(sent));
        job_.deliver(rank(), to);
    }
    void start_receive(const Buffer& into, int from) override {
        random_delay();
        check_partner(from);
        ++under_way_;
        job_.pipes_[{from, rank()}].awaited.push_back({into, this});
        job_.deliver(from, rank());
    }
    void wait_all() override {
        if (under_way_ > 0) ++job_.totals_.waits[static_cast<std::size_t>(rank())];
        const auto what = [this] { return fmt::format("{} messages", under_way_); };
        while (under_way_ > 0)
            job_.engine_.suspend(what);
    }

    void charge_bytes(std::size_t bytes) override { job_.totals_.charged += bytes; }

    void join(sim::Fiber& fiber) { fiber_ = &fiber; }
    void one_is_done() {
        --under_way_;
        job_.engine_.resume(*fiber_);
    }

  private:
    /// So that ranks come in another order each time.
    void random_delay() {
        sim::Engine& engine = job_.engine_;
        engine.sleep_until(engine.now() +
                           Duration::ps(static_cast<std::int64_t>(random_.below(4))));
    }
    void check_idle() const {
        if (under_way_ > 0) throw std::logic_error("a blocking call among others under way");
    }
    void check_partner(int partner) {
        if (partner < 0 || partner >= size() || partner == rank())
            throw std::logic_error(fmt::format("rank {} talks to rank {}", rank(), partner));
        job_.totals_.partners[static_cast<std::size_t>(rank())].insert(partner);
    }

    MemoryJob& job_;
    sim::Random random_;
    sim::Fiber* fiber_ = nullptr;
    std::size_t under_way_ = 0;
};

MemoryJob::MemoryJob(const Options& options) : options_(options) {
    const auto ranks = static_cast<std::size_t>(options.ranks);
    if (!options.nodes.empty()) nodes_ = Nodes::of(options.nodes);
    options_.circumstances.shares_nodes = nodes_.has_value();
    options_.circumstances.nodes_in_order = nodes_ && nodes_->are_in_order();
    totals_.partners.resize(ranks);
    totals_.waits.resize(ranks);
    for (int rank = 0; rank < options.ranks; ++rank)
        members_.push_back(std::make_unique<MemoryTeam>(*this, rank));
}

MemoryJob::~MemoryJob() = default;

void MemoryJob::run(const std::function<void(Team&)>& body) {
    for (const auto& member : members_) {
        MemoryTeam* const m = member.get();
        m->join(engine_.spawn(fmt::format("rank {}", m->rank()), [this, &body, m] {
            if (!options_.recorded) return body(*m);
            RecordingTeam recording(*m);
            body(recording);
            recording.replay(*m);
        }));
    }
    engine_.run();
    for (const auto& [pipe, left] : pipes_)
        if (!left.sent.empty() || !left.awaited.empty())
            throw std::logic_error(
                fmt::format("left over from rank {} to rank {}", pipe.first, pipe.second));
}

double MemoryJob::average_partners() const {
    double sum = 0;
    for (const std::set<int>& partners : totals_.partners)
        sum += static_cast<double>(partners.size());
    return sum / options_.ranks;
}

void MemoryJob::deliver(int from, int to) {
    Pipe& pipe = pipes_[{from, to}];
    while (!pipe.sent.empty() && !pipe.awaited.empty()) {
        Sent sent = std::move(pipe.sent.front());
        const Awaited awaited = pipe.awaited.front();
        pipe.sent.pop_front();
        pipe.awaited.pop_front();
        const std::size_t bytes = bytes_of(sent.data);
        if (bytes != bytes_of(awaited.into))
            throw std::logic_error(fmt::format("rank {} sent {} bytes where rank {} expected {}",
                                               from, bytes, to, bytes_of(awaited.into)));
        if (sent.sender && bytes > 0) {
            sent.packed.resize(bytes);
            sent.data.type->pack(sent.data.address, sent.data.count, 0, sent.packed);
        }
        if (bytes > 0)
            awaited.into.type->unpack(awaited.into.address, awaited.into.count, 0, sent.packed);
        if (sent.sender) sent.sender->one_is_done();
        awaited.receiver->one_is_done();
    }
}

}  // namespace railyard::mpi
