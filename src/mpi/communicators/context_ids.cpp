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
// window's words stand for contexts; the last says that all ranks gave their words. A rank that can
// have no other agreement under way gives them at once, and so where all are such, one round is
// enough.
//
// With threads, or where calls do not block, a rank may have several under way. Only one at a time
// may give the rank's words, its owner; the others give zeros, so that nobody waits for them, and
// try again. Who is owner goes by stamps (Lamport's clock), which all ranks of an agreement know
// alike: the lowest on this rank, once the last owner's round has ended. Why each agreement
// succeeds:
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

ContextIds::Agreement::Agreement(ContextIds& ids, Place place, bool begins_alone)
    : ids_(ids), place_(place), alone_(begins_alone && ids.under_way_ == 0) {
    ++ids_.under_way_;
}

ContextIds::Agreement::~Agreement() {
    give_up();
    std::erase(ids_.stamped_, this);
    --ids_.under_way_;
}

void ContextIds::Agreement::give_up() {
    if (ids_.owner_ == this) ids_.owner_ = nullptr;
}

bool ContextIds::Agreement::operator<(const Agreement& other) const {
    return std::tie(stamp_, place_) < std::tie(other.stamp_, other.place_);
}

bool ContextIds::Agreement::awaits_turn() const {
    return stamp_ != 0 && ids_.is_first(*this) && ids_.owner_ != nullptr && ids_.owner_ != this;
}

void ContextIds::Agreement::give_words(Team& team) {
    if (alone_ || (stamp_ != 0 && ids_.is_first(*this) && ids_.owner_ == nullptr))
        ids_.owner_ = this;
    mine_ = {};
    if (ids_.owner_ == this) {
        mine_ = ids_.words_at(window_);
        mine_.back() |= all_gave;
    }
    common_ = {};
    step_ = Step::words;
    allreduce(team, ConstBuffer(mine_.data(), window, word()),
              Buffer{common_.data(), window, &word()}, *predefined(Operation::Kind::band));
}

ContextIds::Agreement::Next ContextIds::Agreement::advance(Team& team) {
    if (step_ == Step::words && (common_.back() & all_gave) != 0) {
        common_.back() &= ~all_gave;
        for (std::size_t i = 0; i < window; ++i) {
            if (common_[i] == 0) continue;
            const auto bit = static_cast<unsigned>(std::countr_zero(common_[i]));
            ids_.free_[window_ + i] &= ~(std::uint64_t{1} << bit);
            context_ = static_cast<std::uint32_t>(2 * ((window_ + i) * 64 + bit));
            return Next::agreed;
        }
        window_ += window;
        if (window_ >= windows * window)
            throw MpiError(ErrorClass::other,
                           "all " + std::to_string(windows * (window * 64 - 1)) +
                               " contexts are in use; free communicators that are not needed");
    } else if (step_ == Step::words) {
        give_up();
        if (stamp_ == 0) {
            own_clock_ = ++ids_.clock_;
            step_ = Step::stamp;
            allreduce(team, ConstBuffer(&own_clock_, 1, word()), Buffer{&highest_, 1, &word()},
                      *predefined(Operation::Kind::max));
            return Next::collective;
        }
    } else if (step_ == Step::stamp) {
        ids_.clock_ = std::max(ids_.clock_, highest_);
        stamp_ = highest_;
        ids_.stamped_.push_back(this);
    }
    if (awaits_turn()) {
        step_ = Step::turn;
        return Next::turn;
    }
    give_words(team);
    return Next::collective;
}

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

std::uint32_t ContextIds::agree(Process& process, Team& team, Place place) {
    Agreement agreement(*this, place, !process.has_threads());
    for (;;)
        switch (agreement.advance(team)) {
            case Agreement::Next::collective:
                if (agreement.was_put_off()) process.give_way();
                break;
            case Agreement::Next::turn:
                process.wait_until([&] { return !agreement.awaits_turn(); });
                break;
            case Agreement::Next::agreed:
                return agreement.context();
        }
}

void ContextIds::give_back(std::uint32_t context) {
    const std::size_t number = context / 2;
    free_[number / 64] |= std::uint64_t{1} << (number % 64);
}

}  // namespace railyard::mpi
