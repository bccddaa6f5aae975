#include "mpi/checking/collective_check.hpp"

#include <fmt/format.h>

#include <span>

#include "base/frames.hpp"
#include "mpi/checking/check_tags.hpp"
#include "mpi/checking/findings.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi::checking {

namespace {

/// Calls that did not block, and are told with the next that does; more than these are not.
constexpr std::size_t most_to_tell = 1000;

}  // namespace

CollectiveCheck::Place& CollectiveCheck::place_of(Comm& comm) {
    Place& place = places_[comm.context()];
    if (place.serial != comm.serial()) place = {};
    place.comm = &comm;
    place.ranks = &comm.collective_ranks();
    place.groups = {static_cast<std::size_t>(comm.divided_at())};
    place.handle = comm.handle;
    place.serial = comm.serial();
    place.heard.resize(static_cast<std::size_t>(place.ranks->size()));
    return place;
}

void CollectiveCheck::entered(const MadeCall& call, Comm& comm, std::uint64_t number, bool blocks) {
    if (comm.collective_ranks().size() == 1) return;
    Process& process = objects_.process();
    CollectiveCall mine = CollectiveCall::of(call, comm, number, objects_);
    Place& place = place_of(comm);
    Communicator& ranks = *place.ranks;
    if (ranks.rank() != 0) {
        if (blocks || place.to_tell.size() < most_to_tell) place.to_tell.push_back(std::move(mine));
        if (!blocks) return;
        tell(place);
        std::byte verdict{};
        return process.receive_in(check_context(ranks), as_buffer(std::span(&verdict, 1)), 0,
                                  verdict_tag, ranks, nullptr);
    }
    add(place, 0, std::move(mine));
    if (!blocks) return;
    for (int rank = 1; rank < ranks.size(); ++rank)
        // Meanwhile look_around() may hear it.
        while (place.heard[static_cast<std::size_t>(rank)] < number) {
            process.wait_until([&] {
                return place.heard[static_cast<std::size_t>(rank)] >= number ||
                       process.probe_in(check_context(ranks), rank, told_tag, ranks);
            });
            hear(place, rank);
        }
    // What nobody told is compared with nothing.
    place.rounds.erase(place.rounds.begin(), place.rounds.lower_bound(number));
    const std::byte verdict{1};
    for (int rank = 1; rank < ranks.size(); ++rank)
        process.send_in(check_context(ranks), as_buffer(std::span(&verdict, 1)), rank, verdict_tag,
                        ranks);
}

void CollectiveCheck::look_around() {
    for (auto& [context, place] : places_) {
        // One that was freed since has nothing under way, and its object is gone.
        const Comm* const comm = objects_.comm(place.handle);
        if (comm == nullptr || comm->serial() != place.serial || place.ranks->rank() != 0) continue;
        hear_what_came(place);
    }
}

void CollectiveCheck::tell(Place& place) {
    std::vector<std::string> calls;
    for (const CollectiveCall& call : place.to_tell)
        calls.push_back(call.encoded());
    place.to_tell.clear();
    const std::string text = FieldWriter().texts(calls).take();
    objects_.process().send_in(check_context(*place.ranks),
                               as_buffer(std::as_bytes(std::span(text))), 0, told_tag,
                               *place.ranks);
}

void CollectiveCheck::hear(Place& place, int rank) {
    Process& process = objects_.process();
    Communicator& ranks = *place.ranks;
    const auto status = process.probe_in(check_context(ranks), rank, told_tag, ranks);
    if (!status) return;
    std::string text(status->bytes, '\0');
    process.receive_in(check_context(ranks), as_buffer(std::as_writable_bytes(std::span(text))),
                       rank, told_tag, ranks, nullptr);
    for (const std::string& each : FieldReader(text).texts())
        if (auto call = CollectiveCall::decoded(each)) {
            place.heard[static_cast<std::size_t>(rank)] = call->number;
            add(place, rank, std::move(*call));
        }
}

void CollectiveCheck::hear_what_came(Place& place) {
    for (int rank = 1; rank < place.ranks->size(); ++rank)
        hear(place, rank);
}

void CollectiveCheck::add(Place& place, int rank, CollectiveCall call) {
    const std::uint64_t number = call.number;
    Round& round = place.rounds[number];
    if (round.calls.empty()) {
        round.calls.resize(place.heard.size());
        round.missing = place.heard.size();
    }
    const auto index = static_cast<std::size_t>(rank);
    round.calls[index] = std::move(call);
    --round.missing;
    // At once, as the rest may never come.
    for (std::size_t other = 0; other < round.calls.size(); ++other) {
        if (other == index || !round.calls[other]) continue;
        const std::size_t first = std::min(index, other);
        const std::size_t second = std::max(index, other);
        const std::string why =
            difference(*round.calls[first], first, *round.calls[second], second, place.groups);
        if (!why.empty())
            report(place, first, *round.calls[first], second, *round.calls[second], why);
        // All others are like this one; but of two groups, each has its own view of the root.
        if (!place.groups.is_inter()) break;
    }
    if (round.missing > 0) return;
    compare(place, round);
    place.rounds.erase(number);
}

void CollectiveCheck::compare(const Place& place, const Round& round) {
    const Groups& groups = place.groups;
    for (std::size_t from = 0; from < round.calls.size(); ++from) {
        const CollectiveCall::Data& gives = round.calls[from]->gives;
        if (gives.amounts.empty() && !gives.is_of_neighbours) continue;
        for (std::size_t to = 0; to < round.calls.size(); ++to) {
            if (groups.is_inter() && groups.are_together(from, to)) continue;
            const std::string why = difference_of_data(*round.calls[from], groups.rank(from),
                                                       *round.calls[to], groups.rank(to));
            if (!why.empty()) report(place, from, *round.calls[from], to, *round.calls[to], why);
        }
    }
}

void CollectiveCheck::report(const Place& place, std::size_t one, const CollectiveCall& first,
                             std::size_t other, const CollectiveCall& second,
                             const std::string& why) {
    const auto world = [&](std::size_t rank) {
        return place.ranks->world_rank(static_cast<int>(rank));
    };
    fail(objects_.process(),
         fmt::format("collective calls do not match: rank {} called {}, rank {} called {}: {} "
                     "(number {} on {})",
                     world(one), first.text, world(other), second.text, why, first.number,
                     objects_.comm_name(place.comm->handle)));
}

}  // namespace railyard::mpi::checking
