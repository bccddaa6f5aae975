#include "traffic/traffic.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "traffic/random.hpp"
#include "traffic/watchdog.hpp"

namespace railyard::soak {

namespace {

/// Rounds whose tags differ, and who is ahead by more waits.
constexpr int rounds_apart = 256;
/// Of each lane, of the attached buffer: more than a round of buffered flows takes.
constexpr std::size_t buffered_bytes = std::size_t{2} << 20;

void print_usage() {
    std::fputs(
        "A random MPI program, all of it drawn from a seed.\n"
        "  --seed N --threads N --messages N   (defaults: 1, 1, 10000)\n"
        "  --rounds FIRST:LAST   these rounds only\n"
        "  --large               few and large messages\n"
        "  --burst N             flows of messages are so many times longer (default: 1)\n"
        "  --no-communicators, --no-collectives, --no-windows, --no-memory-check\n"
        "  --no-persistent-collectives\n"
        "  --cancel-sends        also MPI_Cancel of sends\n"
        "  --watchdog SECONDS    0: none (default: 60)\n"
        "  --wrong-at ROUND      sends wrong bytes there: a test of the test\n",
        stderr);
}

bool parse(int argc, char** argv, TrafficOptions& options) {
    for (int i = 1; i < argc; ++i) {
        const char* const word = argv[i];
        const auto is = [&](const char* name) { return std::strcmp(word, name) == 0; };
        const char* const next = i + 1 < argc ? argv[i + 1] : nullptr;
        if (is("--large")) {
            options.large = true;
        } else if (is("--no-communicators")) {
            options.communicators = false;
        } else if (is("--no-collectives")) {
            options.collectives = false;
        } else if (is("--no-windows")) {
            options.windows = false;
        } else if (is("--no-persistent-collectives")) {
            options.persistent_collectives = false;
        } else if (is("--no-memory-check")) {
            options.check_memory = false;
        } else if (is("--cancel-sends")) {
            options.cancel_sends = true;
        } else if (next == nullptr) {
            return false;
        } else {
            ++i;
            if (is("--seed"))
                options.seed = std::strtoull(next, nullptr, 0);
            else if (is("--threads"))
                options.threads = std::atoi(next);
            else if (is("--messages"))
                options.messages = std::strtoull(next, nullptr, 0);
            else if (is("--burst"))
                options.burst = std::atoi(next);
            else if (is("--watchdog"))
                options.watchdog_seconds = std::atoi(next);
            else if (is("--wrong-at"))
                options.wrong_at_round = std::atoi(next);
            else if (is("--rounds")) {
                if (std::sscanf(next, "%d:%d", &options.first_round, &options.last_round) != 2)
                    return false;
            } else
                return false;
        }
    }
    return options.threads >= 1 && options.threads <= 4 && options.burst >= 1;
}

/// Of the process, in bytes; 0 if it cannot be told.
std::size_t resident_bytes() {
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    unsigned long all = 0;
    unsigned long resident = 0;
    const int found = std::fscanf(file, "%lu %lu", &all, &resident);
    std::fclose(file);
    return found == 2 ? resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void play_round(Lane& lane, int round) {
    const std::uint64_t seed =
        mix(mix(lane.options->seed, static_cast<std::uint64_t>(lane.number) + 1),
            static_cast<std::uint64_t>(round));
    Draw draw(seed);
    const int place = round % (2 * rounds_apart);
    RoundTags tags;
    tags.first = place * 16;
    tags.first_in_world = (lane.number * 2 * rounds_apart + place) * 16;
    lane.where.round.store(round, std::memory_order_relaxed);
    if (round % rounds_apart == 0) {
        lane.where.at("barrier between rounds");
        MPI_Barrier(lane.team.comm);
    }
    const std::uint64_t inner = draw.next();
    const int kind = draw.below(16);
    if (kind < 2 && lane.options->communicators)
        play_communicators(lane, inner, 2, lane.team);
    else if (kind == 2 && lane.options->collectives)
        play_collectives(lane, lane.team, inner);
    else if (kind == 5 && lane.options->collectives)
        play_nonblocking(lane, lane.team, inner, tags.first);
    else if (kind == 6 && lane.options->collectives && lane.options->communicators)
        play_neighbours(lane, lane.team, inner);
    else if (kind == 7 && lane.options->windows)
        play_windows(lane, lane.team, inner);
    else if (kind == 3)
        lane.planned += play_shift(lane, lane.team, inner, tags.first);
    else if (kind == 4 && lane.options->cancel_sends)
        play_cancelled_sends(lane, lane.team, inner, tags.first);
    else
        lane.planned += play_exchange(lane, lane.team, inner, tags);
}

struct Memory {
    std::size_t at_a_third = 0;
    std::size_t in_the_end = 0;
};

/// All rounds of one lane. Where ranks share a process, that of its first says how much it takes.
void play_lane(Lane& lane, Memory& memory) {
    const TrafficOptions& options = *lane.options;
    const std::uint64_t enough = options.messages / static_cast<std::uint64_t>(options.threads);
    const auto own = [] { return resident_bytes() - Arena::all_held(); };
    for (int round = options.first_round;
         options.last_round >= 0 ? round <= options.last_round : lane.planned < enough; ++round) {
        play_round(lane, round);
        if (memory.at_a_third == 0 && 3 * lane.planned > enough) memory.at_a_third = own();
    }
    lane.where.at("barrier at the end");
    MPI_Barrier(lane.team.comm);
    memory.in_the_end = own();
}

/// Reports what all ranks did, once, and whether one's memory has grown with its messages.
int conclude(const std::vector<std::unique_ptr<Lane>>& lanes, const Memory& memory, bool alone) {
    const Lane& first = *lanes.front();
    unsigned long long counts[2] = {0, 0};
    for (const auto& lane : lanes) {
        counts[0] += lane->messages;
        counts[1] += lane->bytes;
    }
    unsigned long long all[2] = {0, 0};
    MPI_Reduce(counts, all, 2, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    // What is allocated once and late (a connection, a type's first use) is no leak; what grows
    // with messages comes to more than a few bytes for each.
    constexpr std::size_t slack = std::size_t{24} << 20;
    int code = 0;
    if (alone && first.options->check_memory && memory.at_a_third > 0 &&
        memory.in_the_end > memory.at_a_third + slack + 8 * counts[0]) {
        std::fprintf(stderr, "soak: LEAKS: rank %d: %zu KiB at a third, %zu KiB in the end\n",
                     first.world_rank, memory.at_a_third >> 10, memory.in_the_end >> 10);
        code = 10;
    }
    if (first.world_rank == 0) std::printf("soak: %llu messages, %llu bytes\n", all[0], all[1]);
    return code;
}

}  // namespace

int traffic(int argc, char** argv, ThreadHook hook) {
    TrafficOptions options;
    if (!parse(argc, argv, options)) {
        print_usage();
        return 2;
    }
    const int wanted = options.threads > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;
    int provided = 0;
    MPI_Init_thread(&argc, &argv, wanted, &provided);
    if (provided < wanted) {
        std::fputs("soak: this library has no MPI_THREAD_MULTIPLE here\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    std::vector<std::unique_ptr<Lane>> lanes;
    for (int number = 0; number < options.threads; ++number) {
        lanes.push_back(std::make_unique<Lane>());
        Lane& lane = *lanes.back();
        lane.number = number;
        lane.options = &options;
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        lane.team = team_of(comm);
        lane.world_rank = lane.team.rank;
    }
    std::vector<std::byte> buffer(buffered_bytes * lanes.size());
    MPI_Buffer_attach(buffer.data(), static_cast<int>(buffer.size()));
    // In virtual time all ranks are in one process, and nobody there waits without being found out.
    const bool alone = options.watchdog_seconds > 0;
    std::vector<Memory> memory(lanes.size());
    {
        const Watchdog watchdog(lanes, options.watchdog_seconds);
        std::vector<std::thread> threads;
        void* const rank = hook.rank_here != nullptr ? hook.rank_here() : nullptr;
        for (std::size_t i = 1; i < lanes.size(); ++i)
            threads.emplace_back([&, i] {
                if (hook.join_rank != nullptr) hook.join_rank(rank);
                play_lane(*lanes[i], memory[i]);
            });
        play_lane(*lanes.front(), memory.front());
        for (std::thread& thread : threads)
            thread.join();
    }
    void* detached = nullptr;
    int size = 0;
    MPI_Buffer_detach(&detached, &size);
    const int code = conclude(lanes, memory.front(), alone);
    for (const auto& lane : lanes)
        MPI_Comm_free(&lane->team.comm);
    MPI_Finalize();
    return code;
}

}  // namespace railyard::soak
