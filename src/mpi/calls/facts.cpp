#include "mpi/calls/facts.hpp"

#include <algorithm>

#include "mpi/calls/parameters.hpp"

namespace railyard::mpi::calls {

namespace {

/// Reads arguments one after the other. Handles and what depends on them come in any order, so
/// ranks are translated at the end.
class Reader {
  public:
    Reader(Function function, std::span<const Word> arguments, const HandleResolver& resolver)
        : function_(function), arguments_(arguments), resolver_(resolver) {}

    CallFacts read() {
        const std::span<const Parameter> all = parameters(function_);
        const std::size_t n = std::min(all.size(), arguments_.size());
        for (std::size_t i = 0; i < n; ++i)
            take(all[i].kind, arguments_[i]);
        finish();
        return facts_;
    }

  private:
    static constexpr std::size_t most_sides = 2;

    void take(Kind kind, Word word) {
        const int number = static_cast<int>(word);
        switch (kind) {
            case Kind::in:
                return open(facts_.send, word);
            case Kind::out:
                return open(facts_.receive, word);
            case Kind::count:
                last_count_ = word;
                is_counted_ = true;
                for (Side* const side : open_)
                    if (side != nullptr) side->count = word;
                return;
            case Kind::type:
                return set_type(number);
            case Kind::counts:
            case Kind::wide_counts:
                by_rank_.counts = reinterpret_cast<const void*>(word);
                by_rank_.wide = kind == Kind::wide_counts;
                return;
            case Kind::types:
                by_rank_.types = reinterpret_cast<const int*>(word);
                return set_type(absent);
            case Kind::dest:
            case Kind::target:
                (function_ == Function::Precv_init ? facts_.receive : facts_.send).peer = number;
                return;
            case Kind::source:
                facts_.receive.peer = number;
                return;
            case Kind::tag:
                // The first of two is the send's.
                if (facts_.send.peer != absent && facts_.send.tag == absent)
                    facts_.send.tag = number;
                else
                    facts_.receive.tag = number;
                return;
            case Kind::root:
                facts_.root = number;
                return;
            case Kind::op:
                facts_.op = number;
                return;
            case Kind::comm:
                if (facts_.comm == absent) facts_.comm = number;
                return;
            case Kind::win:
                facts_.window = number;
                return;
            case Kind::comm_at:
                facts_.new_comm = reinterpret_cast<const int*>(word);
                return;
            case Kind::request_at:
                facts_.requests = {reinterpret_cast<int*>(word), word == 0 ? 0U : 1U};
                return;
            case Kind::requests:
                facts_.requests = {
                    reinterpret_cast<int*>(word),
                    word == 0 ? 0 : static_cast<std::size_t>(std::max<Word>(last_count_, 0))};
                return;
            default:
                return;
        }
    }

    void open(Side& side, Word address) {
        side.data = reinterpret_cast<const void*>(address);
        if (open_[0] == nullptr)
            open_[0] = &side;
        else
            open_[1] = &side;
    }

    /// Closes the buffers that came before: what follows is of others.
    void set_type(int handle) {
        for (Side*& side : open_) {
            if (side == nullptr) continue;
            side->type = handle;
            (side == &facts_.send ? send_by_rank_ : receive_by_rank_) = by_rank_;
            side = nullptr;
        }
        by_rank_ = {};
    }

    /// Of collectives in which each peer has its own.
    struct ByRank {
        const void* counts = nullptr;
        const int* types = nullptr;  ///< null: one for all
        bool wide = false;

        std::int64_t count(int i) const {
            return wide ? static_cast<const std::int64_t*>(counts)[i]
                        : static_cast<const int*>(counts)[i];
        }
    };

    void finish() {
        const bool of_window = facts_.comm == absent && facts_.window != absent;
        std::optional<HandleResolver::CommFacts> comm;
        if (facts_.comm != absent) comm = resolver_.comm(facts_.comm);
        if (of_window) comm = resolver_.window(facts_.window);
        if (!comm) return;
        facts_.context = comm->context;
        // One buffer for both directions.
        if (facts_.send.peer != absent && facts_.send.data == nullptr && !of_window) {
            facts_.send.count = facts_.receive.count;
            facts_.send.type = facts_.receive.type;
            facts_.send.data = facts_.receive.data;
        }
        measure(facts_.send, send_by_rank_, *comm, &HandleResolver::Neighbours::out);
        measure(facts_.receive, receive_by_rank_, *comm, &HandleResolver::Neighbours::in);
        for (int* const rank : {&facts_.send.peer, &facts_.receive.peer, &facts_.root}) {
            if (*rank == absent) continue;
            *rank = of_window ? resolver_.world_rank_in_window(facts_.window, *rank)
                              : resolver_.world_rank(facts_.comm, *rank);
        }
    }

    void measure(Side& side, const ByRank& by_rank, const HandleResolver::CommFacts& comm,
                 int HandleResolver::Neighbours::*neighbours) const {
        if (by_rank.counts != nullptr) {
            // Only the root's count where there is one: others may give anything.
            if (facts_.root >= 0 && facts_.root != comm.rank) return;
            const int n =
                is_among_neighbours() ? resolver_.neighbours(facts_.comm).*neighbours : comm.peers;
            for (int i = 0; i < n; ++i) {
                const auto count = std::max<std::int64_t>(by_rank.count(i), 0);
                const int type = by_rank.types != nullptr ? by_rank.types[i] : side.type;
                side.count += count;
                side.bytes += static_cast<std::uint64_t>(count) * resolver_.type_size(type);
            }
        } else if (side.type != absent) {
            if (!is_counted_) side.count = 1;  // MPI_Fetch_and_op
            side.bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(side.count, 0)) *
                         resolver_.type_size(side.type);
        }
    }

    bool is_among_neighbours() const {
        const Chapter its = chapter(function_);
        return its == Chapter::neighbourhoods || its == Chapter::nonblocking_neighbourhoods ||
               its == Chapter::persistent_neighbourhoods;
    }

    const Function function_;
    const std::span<const Word> arguments_;
    const HandleResolver& resolver_;
    CallFacts facts_;
    Side* open_[most_sides] = {};  ///< buffers whose type comes yet
    Word last_count_ = 0;
    bool is_counted_ = false;  ///< it has a count at all
    ByRank by_rank_;           ///< of the open buffers
    ByRank send_by_rank_;
    ByRank receive_by_rank_;
};

}  // namespace

CallFacts facts_of(Function function, std::span<const Word> arguments,
                   const HandleResolver& resolver) {
    return Reader(function, arguments, resolver).read();
}

}  // namespace railyard::mpi::calls
