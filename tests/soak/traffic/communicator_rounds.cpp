// Rounds on communicators that are made for them and freed behind them, by all threads at once; and
// sends that are cancelled.

#include <algorithm>
#include <vector>

#include "traffic/lane.hpp"
#include "traffic/random.hpp"

namespace railyard::soak {

namespace {

/// Null where this rank is left over.
MPI_Comm make(const Team& parent, Draw& draw, Where& where) {
    MPI_Comm made = MPI_COMM_NULL;
    const int n = parent.size;
    switch (draw.below(6)) {
        case 0: {
            where.at("split");
            const int colors = draw.from_to(1, 3);
            const auto drawn = mix(draw.next(), static_cast<std::uint64_t>(parent.rank));
            const int color = static_cast<int>(drawn % static_cast<unsigned>(colors));
            const int key = static_cast<int>((drawn >> 32) % 5);
            MPI_Comm_split(parent.comm, color, key, &made);
            break;
        }
        case 1:
        case 2: {
            std::vector<int> ranks;
            for (int rank = 0; rank < n; ++rank)
                if (!draw.one_in(4)) ranks.push_back(rank);
            if (ranks.empty()) ranks.push_back(0);
            draw.shuffle(ranks);
            MPI_Group all = MPI_GROUP_NULL;
            MPI_Group some = MPI_GROUP_NULL;
            MPI_Comm_group(parent.comm, &all);
            MPI_Group_incl(all, static_cast<int>(ranks.size()), ranks.data(), &some);
            int mine = MPI_UNDEFINED;
            MPI_Group_rank(some, &mine);
            if (draw.one_in(2)) {
                where.at("create");
                MPI_Comm_create(parent.comm, some, &made);
            } else if (mine != MPI_UNDEFINED) {
                where.at("create_group");
                MPI_Comm_create_group(parent.comm, some, 5, &made);
            }
            MPI_Group_free(&some);
            MPI_Group_free(&all);
            break;
        }
        case 3: {
            where.at("cart_create");
            int sizes[2] = {0, 0};
            MPI_Dims_create(n, 2, sizes);
            const int periods[2] = {draw.below(2), draw.below(2)};
            MPI_Cart_create(parent.comm, 2, sizes, periods, draw.below(2), &made);
            break;
        }
        case 4:
            where.at("dup_with_info");
            MPI_Comm_dup_with_info(parent.comm, MPI_INFO_NULL, &made);
            break;
        default:
            where.at("dup");
            MPI_Comm_dup(parent.comm, &made);
            break;
    }
    return made;
}

}  // namespace

void play_communicators(Lane& lane, std::uint64_t seed, int depth, const Team& parent) {
    Draw draw(seed);
    lane.where.at("a communicator is made");
    MPI_Comm comm = make(parent, draw, lane.where);
    if (comm == MPI_COMM_NULL) return;
    const Team team = team_of(comm);
    // Those who are in it draw by who is its first: the same for all of them, and another for the
    // other parts of a split.
    int first = parent.rank;
    MPI_Bcast(&first, 1, MPI_INT, 0, comm);
    const std::uint64_t its_own = mix(seed, static_cast<std::uint64_t>(first));
    void* tag_ub = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &tag_ub, &found);
    const int first_tag = found != 0 ? *static_cast<int*>(tag_ub) - 15 : 0;
    if (depth > 0 && mix(its_own) % 4 == 0) {
        play_communicators(lane, mix(its_own, 2), depth - 1, team);
    } else {
        play_exchange(lane, team, its_own, {.first = first_tag, .first_in_world = -1, .own = true});
        if (lane.options->collectives && mix(its_own, 3) % 2 == 0)
            play_collectives(lane, team, mix(its_own, 4));
    }
    lane.where.at("a communicator is freed");
    MPI_Comm_free(&comm);
}

void play_cancelled_sends(Lane& lane, const Team& team, std::uint64_t seed, int tag) {
    Draw draw(seed);
    const int shift = draw.below(team.size);
    const int to = (team.rank + shift) % team.size;
    const int from = (team.rank + team.size - shift) % team.size;
    const int count = draw.from_to(1, 8);
    lane.where.at("cancelled sends", to, tag, count);
    lane.arena.take_back();
    for (int i = 0; i < count; ++i) {
        const int bytes = draw.below(1 << draw.below(18));
        std::byte* const memory = lane.arena.take(static_cast<std::size_t>(bytes) + 1);
        MPI_Request request = MPI_REQUEST_NULL;
        if (draw.one_in(2))
            MPI_Issend(pattern() + i, bytes, MPI_BYTE, to, tag, team.comm, &request);
        else
            MPI_Isend(pattern() + i, bytes, MPI_BYTE, to, tag, team.comm, &request);
        MPI_Cancel(&request);
        // What the wait ends with, the receiver learns: only what was not cancelled is there.
        MPI_Status status;
        MPI_Wait(&request, &status);
        int was_cancelled = 0;
        int theirs = 0;
        MPI_Test_cancelled(&status, &was_cancelled);
        MPI_Sendrecv(&was_cancelled, 1, MPI_INT, to, tag + 1, &theirs, 1, MPI_INT, from, tag + 1,
                     team.comm, MPI_STATUS_IGNORE);
        if (theirs == 0) {
            MPI_Recv(memory, bytes, MPI_BYTE, from, tag, team.comm, MPI_STATUS_IGNORE);
            if (!std::equal(memory, memory + bytes, pattern() + i))
                lane.fail("a send that was not cancelled is wrong");
        }
        int is_there = 0;
        MPI_Iprobe(from, tag, team.comm, &is_there, MPI_STATUS_IGNORE);
        if (is_there != 0) lane.fail("a send was cancelled and came all the same");
        MPI_Barrier(team.comm);
        lane.where.one_more();
    }
}

}  // namespace railyard::soak
