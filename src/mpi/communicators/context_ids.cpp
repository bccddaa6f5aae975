#include "mpi/communicators/context_ids.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <string>
#include <tuple>

#include "mpi/collectives/collectives.hpp"
#include "mpi/engine/process.hpp"
#include "mpi/types/error.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi {

// The ranks of a team combine copies of their free words by "and", in rounds. All but one bit of a
// window's words stand for contexts; the last says that all ranks gave their words. A rank without
// threads gives them at once, and so where no rank has any, one round is enough.
//
// With threads, a rank may have several agreements under way. Only one at a time may give the
// rank's words, its owner; the others give zeros, so that nobody waits for them, and try again.
// Who is owner goes by stamps (Lamport's clock), which all ranks of an agreement know alike: the
// lowest on this rank, once the last owner's round has ended. Why each agreement succeeds:
//
// - Nobody owns anything before its first round, to which it gives zeros, has ended: then all ranks
//   of its team are inside agree(). From there on they wait for nothing but each other's rounds,
//   or, if they are the lowest of their rank, for the end of the round of an owner, whose stamp is
//   higher. Along a chain of such waits stamps rise, so it has an end, and all rounds end.
// - Of all that have stamps, take the lowest. On each of its ranks no other becomes owner any more,
//   and who is owner ceases to be at the end of its round, or, if that was a success, after some
//   more that are, too. Then a round comes in which it is owner on all of its ranks.
// - A stamp is higher than all that any rank of its team has seen, so those below a given one do
//   not become more: each agreement is the lowest in the end.

namespace {

constexpr std::uint64_t all_gave = std::uint64_t{1} << 63;  ///< in the last word of a window

const Datatype& word() {
    return *predefined(Basic::uint64);
}

}  // namespace

/// One call of agree(). It is gone, and what it owned is free, whatever ends the call.
class ContextIds::Agreement {
  public:
    Agreement(ContextIds& ids, Place place) : ids_(ids), place_(place) {}
    ~Agreement() {
        give_up();
        std::erase(ids_.stamped_, this);
    }
    Agreement(const Agreement&) = delete;
    Agreement& operator=(const Agreement&) = delete;

    void set_stamp(std::uint64_t stamp) {
        stamp_ = stamp;
        ids_.stamped_.push_back(this);
    }
    bool has_stamp() const { return stamp_ != 0; }
    void give_up() {
        if (ids_.owner_ == this) ids_.owner_ = nullptr;
    }
    bool operator<(const Agreement& other) const {
        return std::tie(stamp_, place_) < std::tie(other.stamp_, other.place_);
    }

  private:
    ContextIds& ids_;
    Place place_;
    std::uint64_t stamp_ = 0;  ///< 0: none yet
};

// A context is twice its number here: the odd one after it is for collectives.
ContextIds::ContextIds() {
    words_at(0);
    free_[0] &= ~std::uint64_t{0b11};  // world and self
}

ContextIds::Words ContextIds::words_at(std::size_t first) {
    while (free_.size() < first + window) {
        free_.resize(free_.size() + window, ~std::uint64_t{0});
        free_.back() &= ~all_gave;
    }
    Words words;
    std::copy_n(free_.begin() + static_cast<std::ptrdiff_t>(first), window, words.begin());
    return words;
}

bool ContextIds::is_first(const Agreement& agreement) const {
    return std::none_of(stamped_.begin(), stamped_.end(),
                        [&](const Agreement* other) { return *other < agreement; });
}

std::uint64_t ContextIds::next_stamp(Team& team) {
    const std::uint64_t mine = ++clock_;
    std::uint64_t highest = 0;
    allreduce(team, ConstBuffer(&mine, 1, word()), Buffer{&highest, 1, &word()},
              *predefined(Operation::Kind::max));
    clock_ = std::max(clock_, highest);
    return highest;
}

std::uint32_t ContextIds::agree(Process& process, Team& team, Place place) {
    const bool has_threads = process.lock() != nullptr;
    Agreement agreement(*this, place);
    for (std::size_t first = 0; first < windows * window;) {
        if (agreement.has_stamp() && is_first(agreement))
            process.wait_until(
                [&] { return owner_ == nullptr || owner_ == &agreement || !is_first(agreement); });
        if (!has_threads || (agreement.has_stamp() && is_first(agreement) && owner_ == nullptr))
            owner_ = &agreement;
        Words mine{};
        if (owner_ == &agreement) {
            mine = words_at(first);
            mine.back() |= all_gave;
        }
        Words common{};
        allreduce(team, ConstBuffer(mine.data(), window, word()),
                  Buffer{common.data(), window, &word()}, *predefined(Operation::Kind::band));
        if ((common.back() & all_gave) == 0) {
            agreement.give_up();
            if (!agreement.has_stamp()) agreement.set_stamp(next_stamp(team));
            process.give_way();
            continue;
        }
        common.back() &= ~all_gave;
        for (std::size_t i = 0; i < window; ++i) {
            if (common[i] == 0) continue;
            const auto bit = static_cast<unsigned>(std::countr_zero(common[i]));
            free_[first + i] &= ~(std::uint64_t{1} << bit);
            return static_cast<std::uint32_t>(2 * ((first + i) * 64 + bit));
        }
        first += window;
    }
    throw MpiError(ErrorClass::other, "all " + std::to_string(windows * (window * 64 - 1)) +
                                          " contexts are in use; free communicators that are not "
                                          "needed");
}

void ContextIds::give_back(std::uint32_t context) {
    const std::size_t number = context / 2;
    free_[number / 64] |= std::uint64_t{1} << (number % 64);
}

}  // namespace railyard::mpi
