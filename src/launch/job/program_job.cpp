#include "launch/job/program_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/reactor.hpp"
#include "base/shared_memory.hpp"
#include "base/topology.hpp"
#include "launch/job/board.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/join.hpp"
#include "launch/job/launcher.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/rank_printer.hpp"
#include "launch/job/spawn.hpp"

namespace railyard::job {

namespace {

/// Texts as execve wants them. The texts stay where they are.
class Words {
  public:
    explicit Words(std::vector<std::string> texts) : texts_(std::move(texts)) {
        for (std::string& text : texts_)
            pointers_.push_back(text.data());
        pointers_.push_back(nullptr);
    }
    Words(Words&&) = default;
    void replace(std::size_t at, std::string text) {
        texts_[at] = std::move(text);
        pointers_[at] = texts_[at].data();
    }
    char* const* get() const { return pointers_.data(); }

  private:
    std::vector<std::string> texts_;
    std::vector<char*> pointers_;
};

void set(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
    const std::string start = name + '=';
    std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(start); });
    environment.push_back(start + value);
}

/// Our environment with what the program adds; the first words change with each rank.
Words environment_of(const Program& program, int ranks) {
    std::vector<std::string> all;
    for (char** entry = environ; *entry != nullptr; ++entry)
        all.emplace_back(*entry);
    for (const auto& [name, value] : program.environment)
        set(all, name, value);
    set(all, "RAILYARD_SIZE", std::to_string(ranks));
    for (const std::string own : {Invitation::variable, "RAILYARD_RANK"})
        std::erase_if(all, [&](const std::string& e) { return e.starts_with(own + '='); });
    all.insert(all.begin(), 2, {});
    return Words(std::move(all));
}

Launcher::Options launcher_options(const ProgramOptions& options, int ranks) {
    Launcher::Options chosen;
    chosen.ranks.resize(static_cast<std::size_t>(ranks));
    std::iota(chosen.ranks.begin(), chosen.ranks.end(), 0);
    chosen.time_limit = options.time_limit;
    chosen.whole_process = true;
    chosen.guardian = options.guardian;
    return chosen;
}

/// The programs of a job made ready to be started as its ranks.
class ProgramRanks {
  public:
    /// All that it is given outlives it. Throws CannotStart for a program that is missing.
    ProgramRanks(const std::vector<Program>& programs, const Plan& plan,
                 const SharedMemory::Handle& board, const KeptMemories& kept)
        : plan_(plan),
          board_(board),
          kept_(kept),
          nothing_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
        for (const Program& program : programs) {
            program_of_.insert(program_of_.end(), static_cast<std::size_t>(program.ranks),
                               programs_.size());
            programs_.push_back({program, find_program(program), Words(program.arguments),
                                 environment_of(program, plan.ranks)});
        }
    }

    /// Starts them with the launcher, each on its core, and returns when they have ended. Throws
    /// CannotStart.
    Result run(Launcher& launcher);

  private:
    /// A Program with all that is the same for each of its ranks.
    struct Ready {
        const Program& program;
        std::string path;
        Words arguments;
        Words environment;
    };
    pid_t start(int id, RankPipes& pipes, const Launcher& launcher);
    std::string invitation(int id, int frames_fd) const;

    const Plan& plan_;
    SharedMemory::Handle board_;
    const KeptMemories& kept_;
    std::vector<Ready> programs_;
    std::vector<std::size_t> program_of_;  ///< by rank
    Descriptor nothing_;                   ///< /dev/null
};

Result ProgramRanks::run(Launcher& launcher) {
    const std::vector<int> all_cores = plan_.cores.empty() ? std::vector<int>{} : allowed_cores();
    const auto start_bound = [&](int id, RankPipes& pipes) {
        // A child has the cores of its parent: it is on the right one from its first instruction.
        if (!all_cores.empty()) pin_to(plan_.cores.at(static_cast<std::size_t>(id)));
        return start(id, pipes, launcher);
    };
    std::size_t started = 0;
    return launcher.run([&](int id, RankPipes& pipes) {
        const pid_t pid = start_bound(id, pipes);
        if (++started == program_of_.size() && !all_cores.empty()) pin_to(all_cores);
        return pid;
    });
}

pid_t ProgramRanks::start(int id, RankPipes& pipes, const Launcher& launcher) {
    Ready& ready = programs_[program_of_[static_cast<std::size_t>(id)]];
    ready.environment.replace(
        0, fmt::format("{}={}", Invitation::variable, invitation(id, pipes.frames.write.get())));
    ready.environment.replace(1, fmt::format("RAILYARD_RANK={}", id));
    const std::string& directory = ready.program.directory;
    const Spawn what{.path = ready.path.c_str(),
                     .arguments = ready.arguments.get(),
                     .environment = ready.environment.get(),
                     .directory = directory.empty() ? nullptr : directory.c_str(),
                     .input = id == 0 ? -1 : nothing_.get(),
                     .output = pipes.output.write.get(),
                     .errors = (pipes.joined ? pipes.output : pipes.errors).write.get(),
                     .kept = pipes.frames.write.get()};
    return spawn(what, [&launcher] { launcher.restore_for_exec(); });
}

std::string ProgramRanks::invitation(int id, int frames_fd) const {
    return Invitation{.rank = id,
                      .board = board_,
                      .frames_fd = frames_fd,
                      .frames_inode = inode_of(frames_fd),
                      .shares_core = plan_.shares_core,
                      .kept = kept_.handle(id),
                      .fabric = FabricPair{plan_.fabric, plan_.fabric_between}.text()}
        .text();
}

}  // namespace

int ranks_of(const std::vector<Program>& programs) {
    int ranks = 0;
    for (const Program& program : programs) {
        if (program.ranks < 1 || program.arguments.empty())
            throw UsageError("every program of a job has a name and at least 1 rank");
        ranks += program.ranks;
    }
    return ranks;
}

Result run_programs(const ProgramOptions& options) {
    Options plan_options;
    plan_options.ranks = ranks_of(options.programs);
    plan_options.fabric = options.fabric;
    plan_options.kind = Kind::processes;
    plan_options.pin = options.pin;
    const Plan plan = make_plan(plan_options);
    Reactor reactor;
    RankPrinter printer(reactor, plan.ranks, options.label_output);
    Launcher::Options chosen = launcher_options(options, plan.ranks);
    chosen.outputs = [&](int rank) { return printer.outputs(rank); };
    const SharedMemory memory = SharedMemory::create("railyard-board", Board::size_for(plan.ranks));
    Launcher launcher(chosen, Board::format({memory.data(), memory.size().count()}, plan.ranks),
                      reactor);
    printer.attach(launcher);
    const KeptMemories kept(options.kept, chosen.ranks);
    ProgramRanks ranks(options.programs, plan, memory.handle(), kept);
    Result result = ranks.run(launcher);
    if (options.kept.size > Bytes())
        for (const int rank : chosen.ranks)
            result.kept.emplace_back(kept.used(rank));
    printer.settle(result);
    return result;
}

}  // namespace railyard::job
