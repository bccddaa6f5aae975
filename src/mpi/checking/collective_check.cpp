#include "mpi/checking/collective_check.hpp"

#include <fmt/format.h>

#include <span>

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

/// Room for any call that is told.
std::size_t room_for(const Communicator& comm) {
    return 4096 + 32 * static_cast<std::size_t>(comm.size());
}

std::span<const std::byte> bytes_of_text(const std::string& text) {
    return std::as_bytes(std::span(text));
}

}  // namespace

CollectiveCheck::Place& CollectiveCheck::place_of(Comm& comm) {
    Place& place = places_[comm.context()];
    place.comm = &comm;
    place.heard.resize(static_cast<std::size_t>(comm.size()));
    return place;
}

void CollectiveCheck::entered(const MadeCall& call, Comm& comm, std::uint64_t number, bool blocks) {
    if (comm.size() == 1 || comm.is_inter()) return;
    Process& process = objects_.process();
    CollectiveCall mine = CollectiveCall::of(call, comm, number, objects_);
    let_sends_go();
    if (comm.rank() != 0) {
        tell(comm, mine);
        std::byte verdict{};
        if (blocks)
            process.receive_in(context_of(comm), as_buffer(std::span(&verdict, 1)), 0, verdict_tag,
                               comm, nullptr);
        return;
    }
    Place& place = place_of(comm);
    add(place, 0, std::move(mine));
    if (!blocks) return hear_what_came(place);
    for (int rank = 1; rank < comm.size(); ++rank)
        while (place.heard[static_cast<std::size_t>(rank)] < number)
            hear(place, rank);
    const std::byte verdict{1};
    for (int rank = 1; rank < comm.size(); ++rank)
        process.send_in(context_of(comm), as_buffer(std::span(&verdict, 1)), rank, verdict_tag,
                        comm);
}

void CollectiveCheck::look_around() {
    for (auto& [context, place] : places_)
        hear_what_came(place);
}

void CollectiveCheck::tell(Comm& comm, const CollectiveCall& call) {
    auto& [request, text] = under_way_.emplace_back(nullptr, call.encoded());
    text.resize(std::min(text.size(), room_for(comm)));
    request = &objects_.process().start_send_in(context_of(comm), as_buffer(bytes_of_text(text)), 0,
                                                told_tag, comm);
}

void CollectiveCheck::let_sends_go() {
    while (!under_way_.empty() && under_way_.front().first->complete) {
        objects_.process().release(*under_way_.front().first);
        under_way_.pop_front();
    }
}

void CollectiveCheck::hear(Place& place, int rank) {
    std::string text(room_for(*place.comm), '\0');
    Status status;
    objects_.process().receive_in(context_of(*place.comm),
                                  as_buffer(std::as_writable_bytes(std::span(text))), rank,
                                  told_tag, *place.comm, &status);
    text.resize(status.bytes);
    auto call = CollectiveCall::decoded(text);
    // What did not fit in is counted, and compared with nothing.
    if (!call) {
        ++place.heard[static_cast<std::size_t>(rank)];
        return;
    }
    place.heard[static_cast<std::size_t>(rank)] = call->number;
    add(place, rank, std::move(*call));
}

void CollectiveCheck::hear_what_came(Place& place) {
    for (int rank = 1; rank < place.comm->size(); ++rank)
        while (objects_.process().probe_in(context_of(*place.comm), rank, told_tag, *place.comm))
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
