// Jobs where something is scarce, missing or forbidden: they work, or fail with a message that says
// what is missing and what to do. They never hang, and nothing of ours dies of a signal.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <ostream>
#include <string>
#include <vector>

#include "soak/kills/watched_job.hpp"

namespace railyard::soak {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct Limit {
    std::string name;
    /// For bash. M is mpiexec, J a job of three ranks with its program, P the program, F
    /// `filtered`.
    std::string line;
    /// Part of the message if it may fail; empty: it must work.
    std::string message{};
    bool must_fail = false;
    bool as_root = false;

    friend void PrintTo(const Limit& limit, std::ostream* out) { *out << limit.line; }
};

std::vector<Limit> limits() {
    std::vector<Limit> all{
        {"FileSizeOfAll", "ulimit -f 100000; $J"},
        {"FileSizeOfArenas", "ulimit -f 2000; $J", "ulimit -f", true},
        // Behind a pipe, since the message could not be written to a file.
        {"FileSizeNone", "set -o pipefail; (ulimit -f 0; exec $J) 2>&1 | cat >&2", "ulimit -f",
         true},
        {"StackSmall", "ulimit -s 64; $J"},
        {"StackUnlimited", "ulimit -s unlimited; $J"},
        {"LockedMemoryNone", "ulimit -l 0; $J"},
        {"DataSmall", "ulimit -d 8000; $J", "memory"},
        {"QueuesAndSignalsNone", "ulimit -q 0; ulimit -i 0; $J"},
        {"InputClosed", "$J <&-"},
        {"OutputClosed", "$J >&-; code=$?; printf 'done\\ndone\\ndone\\n'; exit $code"},
        {"ErrorsClosed", "$J 2>&-"},
        {"AllClosed", "$J <&- 2>&- | cat"},
        {"FilesSome", "ulimit -n 24; $J", "ulimit -Hn", true},
        {"FilesEnough", "ulimit -n 64; $J"},
        {"FilesOfARank", "$M -n 3 bash -c \"ulimit -n 8; exec $P\"", "ulimit -n"},
        {"OneCore", "taskset -c 0 $J"},
        {"NoLoopback", "unshare -n $J", "", false, true},
        {"NoLoopbackOnIwarp", "unshare -n $M --on iwarp -n 2 $P", "is the network up", true, true},
        {"NoProc", "unshare -m bash -c 'umount -l /proc; exec $J'", "", false, true},
        {"EmptyProc", "unshare -m bash -c 'mount -t tmpfs none /proc; exec $J'", "", false, true},
        {"ProcOfOtherNames", "unshare -p -f $J", "", false, true},
        {"EmptySys", "unshare -m bash -c 'mount -t tmpfs none /sys; exec $J'", "", false, true},
        {"EmptyDev", "unshare -m bash -c 'mount -t tmpfs none /dev; exec $J'", "", false, true},
        {"TinyDevShm", "unshare -m bash -c 'mount -t tmpfs -o size=4k none /dev/shm; exec $J'", "",
         false, true},
        {"FullDevShm",
         "unshare -m bash -c 'mount -t tmpfs -o size=1m none /dev/shm; cat /dev/zero > /dev/shm/x "
         "2> /dev/null; exec $J'",
         "", false, true},
        {"OtherUser", "$OTHER $J", "", false, true},
        {"OtherUserExecuteOnly", "$OTHER $M -n 3 $COPIES/program 20", "", false, true},
        {"OtherUserExecuteOnlyLauncher", "$OTHER env LD_LIBRARY_PATH=$L $COPIES/mpiexec -n 3 $P 20",
         "", false, true},
        {"OtherUserTwoProcesses", "$OTHER prlimit --nproc=2 $J", "ulimit -u", true, true},
        {"OtherUserFourProcesses", "$OTHER prlimit --nproc=4 $J", "ulimit -u", true, true},
    };
    // Whatever is the first that there is no descriptor for, the message is the same.
    for (int files = 5; files <= 16; ++files)
        all.push_back({fmt::format("FilesOf{}", files), fmt::format("ulimit -n {}; $J", files),
                       "ulimit -", true});
    // With less than the first, the system's loader fails, before any line of ours.
    for (const int kilobytes : {18'000, 24'000, 32'000, 48'000, 64'000, 96'000, 400'000})
        all.push_back({fmt::format("AddressSpaceOf{}K", kilobytes),
                       fmt::format("ulimit -v {}; $J", kilobytes),
                       kilobytes < 400'000 ? "emory" : ""});
    for (const char* call : {"process_vm_readv", "process_vm_writev", "membarrier",
                             "sched_setaffinity", "setsid", "socket", "getrandom"})
        all.push_back({fmt::format("Without_{}", call), fmt::format("$F {} $J", call)});
    for (const char* call : {"pidfd_open", "memfd_create", "signalfd4", "epoll_create1",
                             "prlimit64", "sched_getaffinity", "ftruncate", "eventfd2", "waitid"})
        all.push_back({fmt::format("Without_{}", call), fmt::format("$F {} $J", call),
                       "Operation not permitted"});
    return all;
}

/// A sanitizer takes more of everything than there is.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool is_sanitized = true;
#else
constexpr bool is_sanitized = false;
#endif

class SoakLimits : public ::testing::TestWithParam<Limit> {};

TEST_P(SoakLimits, WorksOrSaysWhatIsMissing) {
    const Limit& limit = GetParam();
    if (is_sanitized) GTEST_SKIP() << "sanitizers have needs of their own";
    if (limit.as_root && ::geteuid() != 0) GTEST_SKIP() << "only root can arrange that";
    const std::string setup = "export M=" RAILYARD_BIN "/mpiexec P=" RAILYARD_BUSY_PROGRAM
                              " F=" RAILYARD_FILTERED_PROGRAM " L=" RAILYARD_LIB
                              "; export J=\"$M -n 3 $P 20\"; "
                              "export OTHER='setpriv --reuid=65531 --regid=65534 --clear-groups'; ";
    const std::string copies =
        "export COPIES=$(mktemp -d -p /tmp); trap 'rm -r $COPIES' EXIT; cp $P $COPIES/program; cp "
        "$M "
        "$COPIES/mpiexec; chmod 711 $COPIES/*; chmod 755 $COPIES; ";
    const bool copied = limit.line.find("$COPIES") != std::string::npos;
    WatchedJob job({"bash", "-c", setup + (copied ? copies : "") + limit.line});
    ASSERT_TRUE(job.ends_within(30)) << "it hangs\n" << job.errors();
    const std::string errors = job.errors();
    if (job.exit_code() == 0) {
        EXPECT_FALSE(limit.must_fail);
        EXPECT_EQ(job.output(), "done\ndone\ndone\n") << errors;
    } else {
        EXPECT_FALSE(limit.message.empty()) << job.exit_code() << "\n" << errors;
        EXPECT_THAT(errors, HasSubstr(limit.message));
    }
    for (const char* death : {"killed by signal", "terminate called", "Segmentation", "core dumped",
                              "assert", "internal error"})
        EXPECT_THAT(errors, Not(HasSubstr(death)));
    EXPECT_LT(job.exit_code(), 128) << errors;
    EXPECT_TRUE(job.left_after(10).empty());
}

INSTANTIATE_TEST_SUITE_P(All, SoakLimits, ::testing::ValuesIn(limits()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace railyard::soak
