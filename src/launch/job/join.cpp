#include "launch/job/join.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/descriptor.hpp"
#include "base/shared_memory.hpp"
#include "launch/job/board.hpp"
#include "launch/job/fabric_pair.hpp"
#include "launch/job/find_entry.hpp"
#include "launch/job/invitation.hpp"
#include "launch/job/rank_line.hpp"
#include "launch/job/real_rank.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

constexpr const char* fabric_when_alone = "shm";

/// What a rank stands on, and outlives it.
struct Ground {
    SharedMemory memory;
    Board board;
    Plan plan;
    Descriptor frames;
};

class JoinedRank final : private Ground, public RealRank {
  public:
    JoinedRank(Ground ground, int id, Starter starter)
        : Ground(std::move(ground)),
          RealRank(Ground::plan, id, board, find_real_entry, std::move(starter)) {}
    ~JoinedRank() override { board.leave(id()); }
};

Plan plan_of(const Board& board, const std::string& fabric, bool shares_core) {
    Plan plan;
    plan.ranks = board.ranks();
    const FabricPair fabrics = FabricPair::parse(fabric);
    plan.fabric = fabrics.inside;
    plan.fabric_between = fabrics.between;
    for (int rank = 0; rank < plan.ranks; ++rank)
        plan.nodes.push_back(board.node_of(rank));
    plan.shares_core = shares_core;
    return plan;  // No cores: whoever started us has bound us as it wanted.
}

[[noreturn]] void end_here(int code, std::string_view why) {
    ::fputs(fmt::format("the job was ended: {}\n", why).c_str(), stderr);
    ::fflush(nullptr);
    ::_exit(as_exit_code(code));
}

std::unique_ptr<Rank> alone() {
    SharedMemory memory = SharedMemory::create("railyard-board", Board::size_for(1));
    const Board board = Board::format({memory.data(), memory.size().count()}, 1);
    Ground ground{std::move(memory), board, plan_of(board, fabric_when_alone, false), {}};
    return std::make_unique<JoinedRank>(std::move(ground), 0,
                                        RealRank::Starter{[](const std::string&) {}, end_here});
}

/// Two links and one for each thread.
bool has_one_thread(pid_t process) {
    struct stat tasks {};
    return ::stat(fmt::format("/proc/{}/task", process).c_str(), &tasks) == 0 &&
           tasks.st_nlink == 3;
}

/// The launcher's children die with it. We may be a grandchild, started by a shell script.
void die_with_parent(pid_t launcher) {
    // The kernel means the thread that started us: of a parent with several, one may end and all be
    // well.
    const pid_t parent = ::getppid();
    if (parent != launcher && has_one_thread(parent)) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/// The way to the launcher, if it was not closed on the way here.
Descriptor take_frames(const Invitation& invitation) {
    if (inode_of(invitation.frames_fd) != invitation.frames_inode) return {};
    Descriptor frames(invitation.frames_fd);
    ::fcntl(frames.get(), F_SETFD, FD_CLOEXEC);
    return frames;
}

std::unique_ptr<Rank> accept(const Invitation& invitation) {
    SharedMemory memory = SharedMemory::open(invitation.board);
    Board board = Board::attach({memory.data(), memory.size().count()});
    if (!board.join(invitation.rank))
        throw Error(
            fmt::format("rank {} of this job was here before: a launcher serves one program of "
                        "each rank; start the second with a launcher of its own",
                        invitation.rank));
    die_with_parent(invitation.board.pid);
    Ground ground{std::move(memory), board,
                  plan_of(board, invitation.fabric, invitation.shares_core),
                  take_frames(invitation)};
    RealRank::Starter starter{[](const std::string&) {}, end_here};
    if (ground.frames)
        starter = starter_by_frames(ground.frames.get(), board.is_relayed());
    else if (board.is_relayed())
        throw Error(
            "the descriptor by which this rank reaches the other hosts was closed on the way here; "
            "see what closes it: a script, or a program between mpiexec and this one");
    return std::make_unique<JoinedRank>(std::move(ground), invitation.rank, std::move(starter));
}

}  // namespace

std::unique_ptr<Rank> join() {
    const char* text = std::getenv(Invitation::variable);
    if (text == nullptr) return alone();
    const auto invitation = Invitation::parse(text);
    if (!invitation)
        throw Error(
            fmt::format("{}={}: not of this version of Railyard; unset it, or start the "
                        "program with the mpiexec that belongs to this library",
                        Invitation::variable, text));
    // What we start is not this rank.
    ::unsetenv(Invitation::variable);
    return accept(*invitation);
}

}  // namespace railyard::job
