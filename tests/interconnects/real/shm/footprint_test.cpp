// How much shared memory a rank takes, for itself and for each peer it talks to, and that none of
// it is left behind.

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "interconnects/real/shm/pair.hpp"
#include "launch/job/job.hpp"

namespace railyard::shm::test {
namespace {

using namespace literals;

/// Bytes really taken by the shared memory that this process has created and calls its own: the
/// arena and the bell, not regions, whose size the user chose.
Bytes footprint() {
    std::uint64_t blocks = 0;
    std::set<ino_t> seen;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        const auto target = std::filesystem::read_symlink(entry.path(), error).string();
        const bool ours = target.find("railyard-arena") != std::string::npos ||
                          target.find("railyard-bell") != std::string::npos;
        struct stat status {};
        if (!ours || stat(entry.path().c_str(), &status) != 0) continue;
        if (seen.insert(status.st_ino).second)
            blocks += static_cast<std::uint64_t>(status.st_blocks);
    }
    return Bytes(blocks * 512);
}

/// Sends messages of all sizes to and from one peer, so that every way has been used.
void talk(Pair& pair) {
    for (const Bytes size : {1_B, 48_B, 4_KiB, 64_KiB, 1_MiB}) {
        pair.post_receive(1_MiB, size);
        const fabric::Slice source(*pair.memory, 0_B, size);
        fabric::WorkRequest send;
        send.flags = fabric::Flags::remote_completion;
        send.local = std::span(&source, 1);
        require(pair.qp->post(send).ok(), "send refused");
        pair.await_receive();
        fabric::Completion completion;
        require(pair.rank.host().wait_until([&] { return pair.sends->poll(completion); },
                                            pair.rank.host().now() + 10_s),
                "send not completed");
        require(completion.status.ok(), std::string(completion.status.name()));
    }
}

TEST(Footprint, ARankTakesAtMost256KiBAnd32KiBAPeer) {
    constexpr int ranks = 5;
    const auto result = job::run(ranks_on_shm(ranks), [](job::Rank& rank) {
        (void)rank.nic();
        require(footprint() <= 256_KiB, "alone: " + std::to_string(footprint().count()));
        std::vector<std::unique_ptr<Pair>> pairs;
        // Pairs meet in the order of the sum of their numbers, so that nobody waits in a circle.
        for (int sum = 1; sum < 2 * ranks; ++sum) {
            const int peer = sum - rank.id();
            if (peer < 0 || peer >= ranks || peer == rank.id()) continue;
            pairs.push_back(std::make_unique<Pair>(rank, peer, 2_MiB));
            talk(*pairs.back());
            const Bytes limit = 256_KiB + pairs.size() * 32_KiB;
            require(footprint() <= limit, std::to_string(footprint().count()) + " bytes with " +
                                              std::to_string(pairs.size()) + " peers");
        }
        require(pairs.size() == ranks - 1, "met everybody");
        rank.bootstrap().fence();
    });
    EXPECT_TRUE(result.ok) << result.failure;
}

std::set<std::string> shared_files() {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
        names.insert(entry.path().string());
    return names;
}

enum class End { normal, exception, abort, kill_one, kill_all };

class LeavesNothing : public testing::TestWithParam<End> {};

TEST_P(LeavesNothing, InDevShm) {
    const auto before = shared_files();
    const auto result = job::run(ranks_on_shm(3), [](job::Rank& rank) {
        const int peer = rank.id() == 0 ? 1 : 0;
        std::unique_ptr<Pair> pair;
        if (rank.id() < 2) {
            pair = std::make_unique<Pair>(rank, peer, 2_MiB);
            talk(*pair);
        }
        rank.bootstrap().fence();
        const bool first = rank.id() == 0;
        switch (GetParam()) {
            case End::normal:
                break;
            case End::exception:
                require(!first, "on purpose");
                break;
            case End::abort:
                if (first) raise(SIGABRT);
                break;
            case End::kill_one:
                if (first) raise(SIGKILL);
                break;
            case End::kill_all:
                raise(SIGKILL);
                break;
        }
        // Whoever is left over waits to be ended by the launcher.
        if (GetParam() != End::normal) pause();
    });
    EXPECT_EQ(shared_files(), before);
    // It ended as it was meant to.
    const std::map<End, std::string> expected = {{End::normal, ""},
                                                 {End::exception, "on purpose"},
                                                 {End::abort, "signal 6"},
                                                 {End::kill_one, "signal 9"},
                                                 {End::kill_all, "signal 9"}};
    EXPECT_EQ(result.ok, GetParam() == End::normal);
    EXPECT_NE(result.failure.find(expected.at(GetParam())), std::string::npos) << result.failure;
}

std::string name_of(const testing::TestParamInfo<End>& test) {
    switch (test.param) {
        case End::normal:
            return "normal";
        case End::exception:
            return "exception";
        case End::abort:
            return "abort";
        case End::kill_one:
            return "kill_one";
        case End::kill_all:
            return "kill_all";
    }
    return "?";
}

INSTANTIATE_TEST_SUITE_P(AfterEveryEnd, LeavesNothing,
                         testing::Values(End::normal, End::exception, End::abort, End::kill_one,
                                         End::kill_all),
                         name_of);

}  // namespace
}  // namespace railyard::shm::test
