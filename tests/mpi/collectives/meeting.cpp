#include "mpi/collectives/meeting.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "mpi/collectives/local.hpp"

namespace railyard::mpi {

class Member final : public Team {
  public:
    Member(Meeting& meeting, int rank)
        : Team(rank, meeting.options_.ranks, meeting.options_.circumstances,
               meeting.options_.algorithms),
          meeting_(meeting),
          random_(meeting.options_.seed, static_cast<std::uint64_t>(rank)) {}

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
        dawdle();
        check_partner(to);
        Meeting::Sent sent{data, {}, nullptr};
        if (meeting_.options_.buffered) {
            sent.packed.resize(bytes_of(data));
            if (!sent.packed.empty()) data.type->pack(data.address, data.count, 0, sent.packed);
        } else {
            sent.sender = this;
            ++under_way_;
        }
        meeting_.deeds_.messages += 1;
        meeting_.deeds_.bytes += bytes_of(data);
        meeting_.ways_[{rank(), to}].sent.push_back(std::move(sent));
        meeting_.deliver(rank(), to);
    }
    void start_receive(const Buffer& into, int from) override {
        dawdle();
        check_partner(from);
        ++under_way_;
        meeting_.ways_[{from, rank()}].awaited.push_back({into, this});
        meeting_.deliver(from, rank());
    }
    void wait_all() override {
        if (under_way_ > 0) ++meeting_.deeds_.waits[static_cast<std::size_t>(rank())];
        const auto what = [this] { return fmt::format("{} messages", under_way_); };
        while (under_way_ > 0)
            meeting_.engine_.suspend(what);
    }

    void charge_bytes(std::size_t bytes) override { meeting_.deeds_.charged += bytes; }

    void join(sim::Fiber& fiber) { fiber_ = &fiber; }
    void one_is_done() {
        --under_way_;
        meeting_.engine_.resume(*fiber_);
    }

  private:
    /// So that ranks come in another order each time.
    void dawdle() {
        sim::Engine& engine = meeting_.engine_;
        engine.sleep_until(engine.now() +
                           Duration::ps(static_cast<std::int64_t>(random_.below(4))));
    }
    void check_idle() const {
        if (under_way_ > 0) throw std::logic_error("a blocking call among others under way");
    }
    void check_partner(int partner) {
        if (partner < 0 || partner >= size() || partner == rank())
            throw std::logic_error(fmt::format("rank {} talks to rank {}", rank(), partner));
        meeting_.deeds_.partners[static_cast<std::size_t>(rank())].insert(partner);
    }

    Meeting& meeting_;
    sim::Random random_;
    sim::Fiber* fiber_ = nullptr;
    std::size_t under_way_ = 0;
};

Meeting::Meeting(const Options& options) : options_(options) {
    const auto ranks = static_cast<std::size_t>(options.ranks);
    deeds_.partners.resize(ranks);
    deeds_.waits.resize(ranks);
    for (int rank = 0; rank < options.ranks; ++rank)
        members_.push_back(std::make_unique<Member>(*this, rank));
}

Meeting::~Meeting() = default;

void Meeting::run(const std::function<void(Team&)>& body) {
    for (const auto& member : members_) {
        Member* const m = member.get();
        m->join(engine_.spawn(fmt::format("rank {}", m->rank()), [&body, m] { body(*m); }));
    }
    engine_.run();
    for (const auto& [way, left] : ways_)
        if (!left.sent.empty() || !left.awaited.empty())
            throw std::logic_error(
                fmt::format("left over from rank {} to rank {}", way.first, way.second));
}

double Meeting::average_partners() const {
    double sum = 0;
    for (const std::set<int>& partners : deeds_.partners)
        sum += static_cast<double>(partners.size());
    return sum / options_.ranks;
}

void Meeting::deliver(int from, int to) {
    Way& way = ways_[{from, to}];
    while (!way.sent.empty() && !way.awaited.empty()) {
        Sent sent = std::move(way.sent.front());
        const Awaited awaited = way.awaited.front();
        way.sent.pop_front();
        way.awaited.pop_front();
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
