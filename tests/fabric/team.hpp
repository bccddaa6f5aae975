#pragma once
/// What the ranks of one contract test share: each other's addresses, a control line that is no
/// part of what is tested, and waiting that always ends.
///
/// The control line serves barrier() and gather(). Ranks that wait on it make progress for their
/// peers, which a rank inside a bootstrap call need not. And since it is a queue pair between the
/// same ranks, every barrier after an error shows that the error harmed no other queue pair.

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "fabric/spmd.hpp"
#include "railyard/library/job.hpp"

namespace railyard::contract {

class Team {
  public:
    Team(Rank& rank, std::string fabric);

    int id() const { return rank_.id(); }
    int size() const { return rank_.size(); }
    /// The other one of two.
    int peer() const { return 1 - id(); }
    Rank& rank() { return rank_; }
    fabric::Host& host() { return rank_.host(); }
    fabric::Nic& nic() { return rank_.nic(); }
    const fabric::Traits& traits() { return nic().traits(); }
    const fabric::Address& address(int rank) const { return addresses_.at(index(rank)); }
    /// A discriminator not used before; ranks that ask in step get the same.
    fabric::Discriminator fresh() { return ++discriminators_; }
    /// A further Nic, on the fabric under test.
    std::unique_ptr<fabric::Nic> open_another() { return rank_.open(fabric_); }

    /// Returns once every rank has entered.
    void barrier(Where where = Where::current());
    /// All have posted their receives, and may send: where messages do not wait for receives, they
    /// meet here.
    void before_sends(Where where = Where::current()) {
        if (!traits().waits_for_receives) barrier(where);
    }
    /// The same for one of two, beside whom others may be.
    void before_sends_of_two();
    /// One value of every rank, in the order of ranks. Every rank takes part.
    template <class T>
    std::vector<T> gather(const T& mine, Where where = Where::current());
    /// The region that the other one of two gives for `mine`.
    std::unique_ptr<fabric::RemoteRegion> swap(const fabric::Region& mine,
                                               Where where = Where::current());

    /// Waits for something that must come.
    template <class Ready>
    void await(Ready&& ready, std::string_view what, Where where = Where::current(),
               fabric::Wait how = fabric::Wait::spin_then_sleep);
    /// Lets time pass, with the Nics at work.
    void pause(Duration duration);
    Time deadline() { return host().now() + patience(); }

    /// The last step of a test: all ranks arrive, and only then is the control line taken down.
    void finish();
    /// A test in which a rank disappears ends without finish().
    void forgo_finish() { finishes_ = false; }

  private:
    struct Line;
    struct CloseLine {
        void operator()(Line* line) const;
    };
    using LinePtr = std::unique_ptr<Line, CloseLine>;

    static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
    LinePtr open_line(int rank);
    void signal(Line& line, Where where);
    void await_signal(Line& line, Where where);
    std::string next_key() { return "contract " + std::to_string(keys_++); }

    Rank& rank_;
    std::string fabric_;
    std::vector<fabric::Address> addresses_;
    std::vector<LinePtr> lines_;  // rank 0: to every other rank; the others: to rank 0
    int keys_ = 0;
    int meetings_ = 0;
    fabric::Discriminator discriminators_ = 1'000'000;
    bool finishes_ = true;
};

template <class Ready>
void Team::await(Ready&& ready, std::string_view what, Where where, fabric::Wait how) {
    if (!host().wait_until(ready, deadline(), how))
        fail("waited " + show(patience()) + " in vain for " + std::string(what), where);
}

template <class T>
std::vector<T> Team::gather(const T& mine, Where where) {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::string key = next_key();
    rank_.put(key, std::as_bytes(std::span(&mine, 1)));
    barrier(where);  // all have put: the gets below wait for nobody
    std::vector<T> all(index(size()));
    for (int r = 0; r < size(); ++r) {
        const std::vector<std::byte> value = rank_.get(r, key);
        check_equal(value.size(), sizeof(T), "size of a value from the bootstrap", where);
        std::memcpy(&all[index(r)], value.data(), sizeof(T));
    }
    return all;
}

}  // namespace railyard::contract
