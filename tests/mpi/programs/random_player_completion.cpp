// How what is under way is waited for, and what must have come.

#include <algorithm>

#include "mpi/programs/random_player.hpp"

namespace railyard::mpi::programs {

namespace {

/// What one of MPI's calls over many requests has completed.
struct Completed {
    std::vector<int> indices;
    std::vector<MPI_Status> statuses;
};

using Requests = std::vector<MPI_Request>;

Completed all_of(Requests& requests) {
    Completed completed;
    for (std::size_t i = 0; i < requests.size(); ++i)
        completed.indices.push_back(static_cast<int>(i));
    completed.statuses.resize(requests.size());
    return completed;
}

Completed one_of(int index, const MPI_Status& status) {
    require(index != MPI_UNDEFINED, "none of active requests completed");
    return {{index}, {status}};
}

Completed some_of(int count, Completed completed) {
    require(count != MPI_UNDEFINED && count >= 0, "none of active requests completed");
    completed.indices.resize(static_cast<std::size_t>(count));
    completed.statuses.resize(static_cast<std::size_t>(count));
    return completed;
}

Completed call(std::uint64_t which, Requests& requests) {
    const int n = static_cast<int>(requests.size());
    Completed all = all_of(requests);
    MPI_Status status;
    int flag = 0;
    int index = MPI_UNDEFINED;
    int count = 0;
    switch (which) {
        case 0:
            MPI_Waitall(n, requests.data(), all.statuses.data());
            return all;
        case 1:
            MPI_Waitany(n, requests.data(), &index, &status);
            return one_of(index, status);
        case 2:
            MPI_Waitsome(n, requests.data(), &count, all.indices.data(), all.statuses.data());
            require(count > 0, "MPI_Waitsome completed nothing");
            return some_of(count, all);
        case 3:
            while (flag == 0)
                MPI_Testall(n, requests.data(), &flag, all.statuses.data());
            return all;
        case 4:
            while (flag == 0)
                MPI_Testany(n, requests.data(), &index, &flag, &status);
            return one_of(index, status);
        default:
            while (count == 0)
                MPI_Testsome(n, requests.data(), &count, all.indices.data(), all.statuses.data());
            return some_of(count, all);
    }
}

}  // namespace

/// A few that are under way, or all.
void Player::complete_some() {
    if (opens_.empty()) return;
    std::vector<Open> chosen;
    std::vector<Open> rest;
    for (const Open& open : opens_)
        (random_.below(2) == 0 ? rest : chosen).push_back(open);
    opens_ = std::move(rest);
    if (chosen.empty()) return;
    if (chosen.size() == 1 && random_.below(2) == 0) return complete_one(chosen.front());
    complete(std::move(chosen));
}

void Player::complete_one(Open& open) {
    MPI_Status status;
    int flag = 0;
    if (random_.below(2) == 0)
        MPI_Wait(&open.request, &status);
    else
        while (flag == 0)
            MPI_Test(&open.request, &flag, &status);
    done(open, status);
}

void Player::complete(std::vector<Open> chosen) {
    std::vector<MPI_Request> requests;
    for (const Open& open : chosen)
        requests.push_back(open.request);
    const Completed completed = call(random_.below(6), requests);
    std::vector<bool> is_done(chosen.size());
    for (std::size_t i = 0; i < completed.indices.size(); ++i) {
        const auto index = static_cast<std::size_t>(completed.indices[i]);
        require(index < chosen.size() && !is_done[index], "an index that makes no sense");
        is_done[index] = true;
        chosen[index].request = requests[index];
        done(chosen[index], completed.statuses[i]);
    }
    for (std::size_t i = 0; i < chosen.size(); ++i)
        if (!is_done[i]) opens_.push_back(chosen[i]);
}

void Player::done(Open& open, const MPI_Status& status) {
    if (open.is_persistent) {
        require(open.request != MPI_REQUEST_NULL, "a persistent request went away");
        MPI_Request_free(&open.request);
    }
    require(open.request == MPI_REQUEST_NULL, "a completed request is not null");
    if (!open.is_send) {
        check_status(*open.message, status, open.type);
        check_data(*open.message, open.buffer, 0);
    }
    Layout::done(open.type);
}

void Player::check_status(const PlannedMessage& message, const MPI_Status& status,
                          MPI_Datatype type) const {
    require_equal(status.MPI_SOURCE, rank_in(message, message.from), "source");
    require_equal(status.MPI_TAG, message.tag, "tag");
    int elements = -1;
    MPI_Get_elements(&status, type, &elements);
    require_equal(static_cast<std::size_t>(elements), message.elements, "elements");
    int count = -1;
    MPI_Get_count(&status, type, &count);
    const std::size_t each = message.in_layout().elements();
    const int expected =
        message.elements % each == 0 ? static_cast<int>(message.elements / each) : MPI_UNDEFINED;
    require_equal(count, expected, "count");
}

void Player::check_data(const PlannedMessage& message, const std::byte* buffer, int time) const {
    const Layout layout = message.in_layout();
    const auto pattern = message.id + 0x10000 * static_cast<std::uint64_t>(time);
    require(layout.holds(buffer, message.elements, pattern),
            "wrong bytes in message " + std::to_string(message.id) + " from rank " +
                std::to_string(message.from) + ", " + std::to_string(message.elements) +
                " elements");
    require(layout.is_clean(buffer, message.elements, message.room),
            "bytes beside the message were touched");
}

const CommPlan& Player::plan_of(const PlannedMessage& message) const {
    return plan_.comms[static_cast<std::size_t>(message.comm)];
}

int Player::rank_in(const PlannedMessage& message, int world_rank) const {
    const auto& members = plan_of(message).members[static_cast<std::size_t>(rank_)];
    return static_cast<int>(std::find(members.begin(), members.end(), world_rank) -
                            members.begin());
}

int Player::source_of(const PlannedMessage& message) const {
    return message.any_source ? MPI_ANY_SOURCE : rank_in(message, message.from);
}

int Player::count_of(const PlannedMessage& message) {
    return static_cast<int>(message.elements / message.out_layout().elements());
}

int Player::room_of(const PlannedMessage& message) {
    return static_cast<int>(message.room / message.in_layout().elements());
}

}  // namespace railyard::mpi::programs
