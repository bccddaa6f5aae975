#include "mpi/checking/collective_check.hpp"

#include <fmt/format.h>

#include <span>

#include "base/frames.hpp"
#include "mpi/checking/findings.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi::checking {

namespace {

// In the context of collectives, where tags of persistent ones come last and never so far.
constexpr int told_tag = max_tag;
constexpr int verdict_tag = max_tag - 1;

std::uint32_t context_of(const Communicator& comm) {
    return comm.context() + 1;
}

/// Calls that did not block, and are told with the next that does; more than these are not.
constexpr std::size_t most_to_tell = 1000;

}  // namespace

CollectiveCheck::Place& CollectiveCheck::place_of(Comm& comm) {
    Place& place = places_[comm.context()];
    if (place.handle != comm.handle) place = {};
    place.comm = &comm;
    place.handle = comm.handle;
    place.heard.resize(static_cast<std::size_t>(comm.size()));
    return place;
}

void CollectiveCheck::entered(const MadeCall& call, Comm& comm, std::uint64_t number, bool blocks) {
    if (comm.size() == 1 || comm.is_inter()) return;
    Process& process = objects_.process();
    CollectiveCall mine = CollectiveCall::of(call, comm, number, objects_);
    Place& place = place_of(comm);
    if (comm.rank() != 0) {
        if (blocks || place.to_tell.size() < most_to_tell) place.to_tell.push_back(std::move(mine));
        if (!blocks) return;
        tell(place);
        std::byte verdict{};
        return process.receive_in(context_of(comm), as_buffer(std::span(&verdict, 1)), 0,
                                  verdict_tag, comm, nullptr);
    }
    add(place, 0, std::move(mine));
    if (!blocks) return;
    for (int rank = 1; rank < comm.size(); ++rank)
        // Meanwhile look_around() may hear it.
        while (place.heard[static_cast<std::size_t>(rank)] < number) {
            process.wait_until([&] {
                return place.heard[static_cast<std::size_t>(rank)] >= number ||
                       process.probe_in(context_of(comm), rank, told_tag, comm);
            });
            hear(place, rank);
        }
    // What nobody told is compared with nothing.
    place.rounds.erase(place.rounds.begin(), place.rounds.lower_bound(number));
    const std::byte verdict{1};
    for (int rank = 1; rank < comm.size(); ++rank)
        process.send_in(context_of(comm), as_buffer(std::span(&verdict, 1)), rank, verdict_tag,
                        comm);
}

void CollectiveCheck::look_around() {
    for (auto& [context, place] : places_) {
        // One that was freed since has nothing under way, and its object is gone.
        if (objects_.comm(place.handle) != place.comm || place.comm->rank() != 0) continue;
        hear_what_came(place);
    }
}

void CollectiveCheck::tell(Place& place) {
    std::vector<std::string> calls;
    for (const CollectiveCall& call : place.to_tell)
        calls.push_back(call.encoded());
    place.to_tell.clear();
    const std::string text = FieldWriter().texts(calls).take();
    objects_.process().send_in(context_of(*place.comm), as_buffer(std::as_bytes(std::span(text))),
                               0, told_tag, *place.comm);
}

void CollectiveCheck::hear(Place& place, int rank) {
    Process& process = objects_.process();
    Comm& comm = *place.comm;
    const auto status = process.probe_in(context_of(comm), rank, told_tag, comm);
    if (!status) return;
    std::string text(status->bytes, '\0');
    process.receive_in(context_of(comm), as_buffer(std::as_writable_bytes(std::span(text))), rank,
                       told_tag, comm, nullptr);
    for (const std::string& each : FieldReader(text).texts())
        if (auto call = CollectiveCall::decoded(each)) {
            place.heard[static_cast<std::size_t>(rank)] = call->number;
            add(place, rank, std::move(*call));
        }
}

void CollectiveCheck::hear_what_came(Place& place) {
    for (int rank = 1; rank < place.comm->size(); ++rank)
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
        const std::string why = difference(*round.calls[first], *round.calls[second]);
        if (!why.empty())
            report(place, first, *round.calls[first], second, *round.calls[second], why);
        break;  // all others are like this one
    }
    if (round.missing > 0) return;
    compare(place, round);
    place.rounds.erase(number);
}

void CollectiveCheck::compare(const Place& place, const Round& round) {
    for (std::size_t from = 0; from < round.calls.size(); ++from) {
        if (round.calls[from]->gives.bytes.empty()) continue;
        for (std::size_t to = 0; to < round.calls.size(); ++to) {
            const std::string why = difference(*round.calls[from], from, *round.calls[to], to);
            if (!why.empty()) report(place, from, *round.calls[from], to, *round.calls[to], why);
        }
    }
}

void CollectiveCheck::report(const Place& place, std::size_t one, const CollectiveCall& first,
                             std::size_t other, const CollectiveCall& second,
                             const std::string& why) {
    const auto world = [&](std::size_t rank) {
        return place.comm->world_rank(static_cast<int>(rank));
    };
    fail(objects_.process(),
         fmt::format("collective calls do not match: rank {} called {}, rank {} called {}: {} "
                     "(number {} on {})",
                     world(one), first.text, world(other), second.text, why, first.number,
                     objects_.comm_name(place.comm->handle)));
}

}  // namespace railyard::mpi::checking
