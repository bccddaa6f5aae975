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
#include "base/parse.hpp"
#include "base/shared_memory.hpp"
#include "launch/job/board.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/kept_memory.hpp"
#include "launch/job/real_rank.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

constexpr const char* fabric_when_alone = "shm";

/// The board of the job that this process joins, mapped here, and the way to its launcher.
class JoinedBoard final : public BoardBootstrap {
  public:
    JoinedBoard(SharedMemory memory, Board board, int rank, Descriptor frames, LauncherLink link)
        : BoardBootstrap(board, rank, std::move(link.relay), std::move(link.abort)),
          memory_(std::move(memory)),
          board_(board),
          frames_(std::move(frames)) {}
    ~JoinedBoard() override { board_.leave(rank()); }

  private:
    SharedMemory memory_;
    Board board_;
    Descriptor frames_;
};

/// No cores: whoever started us has bound us as it wanted.
struct OwnPlan {
    OwnPlan(std::string_view fabrics, bool shares_core) {
        const FabricPair pair = FabricPair::parse(fabrics);
        plan.fabric = pair.inside;
        plan.fabric_between = pair.between;
        plan.shares_core = shares_core;
    }
    Plan plan;
};

class JoinedRank final : private OwnPlan, public RealRank {
  public:
    JoinedRank(OwnPlan own, std::unique_ptr<Bootstrap> bootstrap, Deliver deliver,
               SayWaiting say_waiting = {}, SharedMemory kept = {})
        : OwnPlan(std::move(own)),
          RealRank(plan, std::move(bootstrap), find_real_entry, std::move(deliver),
                   std::move(say_waiting)),
          kept_(std::move(kept)) {}

    SharedMemory kept_memory() override { return kept_; }

  private:
    SharedMemory kept_;
};

void deliver_to_nobody(const std::string&) {}

[[noreturn]] void end_here(int code, std::string_view why) {
    ::fputs(fmt::format("the job was ended: {}\n", why).c_str(), stderr);
    ::fflush(nullptr);
    ::_exit(as_exit_code(code));
}

std::unique_ptr<Rank> alone() {
    SharedMemory memory = SharedMemory::create("railyard-board", Board::size_for(1));
    const Board board = Board::format({memory.data(), memory.size().count()}, 1);
    return join_by(std::make_unique<JoinedBoard>(std::move(memory), board, 0, Descriptor(),
                                                 LauncherLink{.deliver = {}, .abort = end_here}),
                   fabric_when_alone, false);
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
    OwnPlan plan(invitation.fabric, invitation.shares_core);
    Descriptor frames = take_frames(invitation);
    LauncherLink link{.deliver = deliver_to_nobody, .abort = end_here};
    if (frames) link = link_by_frames(frames.get(), board.is_relayed());
    const RealRank::Deliver deliver = link.deliver;
    SharedMemory kept;
    if (invitation.kept != SharedMemory::Handle{}) kept = SharedMemory::open(invitation.kept);
    const RealRank::SayWaiting say_waiting = link.say_waiting;
    return std::make_unique<JoinedRank>(
        std::move(plan),
        std::make_unique<JoinedBoard>(std::move(memory), board, invitation.rank, std::move(frames),
                                      std::move(link)),
        deliver, say_waiting, std::move(kept));
}

}  // namespace

std::string Invitation::text() const {
    return fmt::format("{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}:{}", rank, board.pid, board.fd,
                       board.inode, board.size, frames_fd, frames_inode, shares_core ? 1 : 0,
                       kept.pid, kept.fd, kept.inode, kept.size, fabric);
}

std::optional<Invitation> Invitation::parse(std::string_view text) {
    const auto words = split(text, ':');
    // The fabric comes last, since names such as ofi:tcp have a colon.
    if (words.size() < 13 || words[12].empty()) return std::nullopt;
    Invitation found;
    int shares = 0;
    if (!parse_into(found.rank, words[0]) || !parse_into(found.board.pid, words[1]) ||
        !parse_into(found.board.fd, words[2]) || !parse_into(found.board.inode, words[3]) ||
        !parse_into(found.board.size, words[4]) || !parse_into(found.frames_fd, words[5]) ||
        !parse_into(found.frames_inode, words[6]) || !parse_into(shares, words[7]) ||
        !parse_into(found.kept.pid, words[8]) || !parse_into(found.kept.fd, words[9]) ||
        !parse_into(found.kept.inode, words[10]) || !parse_into(found.kept.size, words[11]))
        return std::nullopt;
    found.shares_core = shares != 0;
    found.fabric = text.substr(static_cast<std::size_t>(words[12].data() - text.data()));
    return found;
}

std::uint64_t inode_of(int fd) {
    struct stat status {};
    return ::fstat(fd, &status) == 0 ? status.st_ino : 0;
}

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

std::unique_ptr<Rank> join_by(std::unique_ptr<Bootstrap> bootstrap, std::string_view fabrics,
                              bool shares_core) {
    SharedMemory kept = kept_file_of(bootstrap->rank());
    return std::make_unique<JoinedRank>(OwnPlan(fabrics, shares_core), std::move(bootstrap),
                                        deliver_to_nobody, RealRank::SayWaiting{}, std::move(kept));
}

}  // namespace railyard::job
