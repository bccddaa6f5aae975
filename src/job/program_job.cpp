#include "job/program_job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/shared_memory.hpp"
#include "base/topology.hpp"
#include "interconnects/registry_entry.hpp"
#include "job/board.hpp"
#include "job/find_program.hpp"
#include "job/invitation.hpp"
#include "job/launcher.hpp"
#include "job/plan.hpp"
#include "job/spawn.hpp"

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

/// A Program with all that is the same for each of its ranks.
struct Ready {
    const Program& program;
    std::string path;
    Words arguments;
    Words environment;
};

class ProgramJob {
  public:
    ProgramJob(const ProgramOptions& options, const Plan& plan);
    Result run();

  private:
    pid_t start(int id, RankPipes& pipes);
    Spawn spawn_of(int id, Ready& program, const RankPipes& pipes) const;
    std::string invitation(int id, int frames_fd) const;

    const Plan& plan_;
    std::vector<Ready> programs_;
    std::vector<std::size_t> program_of_;  ///< by rank
    SharedMemory memory_;
    Launcher launcher_;
    Descriptor nothing_;  ///< /dev/null
};

ProgramJob::ProgramJob(const ProgramOptions& options, const Plan& plan)
    : plan_(plan),
      memory_(SharedMemory::create("railyard-board", Board::size_for(plan.ranks))),
      launcher_({.ranks = plan.ranks,
                 .label_output = plan.label_output,
                 .time_limit = options.time_limit,
                 .whole_process = true},
                Board::format({memory_.data(), memory_.size().count()}, plan.ranks)),
      nothing_(::open("/dev/null", O_RDONLY | O_CLOEXEC)) {
    for (const Program& program : options.programs) {
        program_of_.insert(program_of_.end(), static_cast<std::size_t>(program.ranks),
                           programs_.size());
        programs_.push_back({program, find_program(program), Words(program.arguments),
                             environment_of(program, plan.ranks)});
    }
}

Result ProgramJob::run() {
    const std::vector<int> all_cores = plan_.cores.empty() ? std::vector<int>{} : allowed_cores();
    const auto start_bound = [&](int id, RankPipes& pipes) {
        // A child has the cores of its parent: it is on the right one from its first instruction.
        if (!all_cores.empty()) pin_to(plan_.cores.at(static_cast<std::size_t>(id)));
        return start(id, pipes);
    };
    int started = 0;
    return launcher_.run([&](int id, RankPipes& pipes) {
        const pid_t pid = start_bound(id, pipes);
        if (++started == plan_.ranks && !all_cores.empty()) pin_to(all_cores);
        return pid;
    });
}

pid_t ProgramJob::start(int id, RankPipes& pipes) {
    Ready& program = programs_[program_of_[static_cast<std::size_t>(id)]];
    program.environment.replace(
        0, fmt::format("{}={}", Invitation::variable, invitation(id, pipes.frames.write.get())));
    program.environment.replace(1, fmt::format("RAILYARD_RANK={}", id));
    return spawn(spawn_of(id, program, pipes), [this] { launcher_.restore_for_exec(); });
}

Spawn ProgramJob::spawn_of(int id, Ready& program, const RankPipes& pipes) const {
    const std::string& directory = program.program.directory;
    return {.path = program.path.c_str(),
            .arguments = program.arguments.get(),
            .environment = program.environment.get(),
            .directory = directory.empty() ? nullptr : directory.c_str(),
            .input = id == 0 ? -1 : nothing_.get(),
            .output = pipes.output.write.get(),
            .errors = pipes.errors.write.get(),
            .kept = pipes.frames.write.get()};
}

std::string ProgramJob::invitation(int id, int frames_fd) const {
    return Invitation{.rank = id,
                      .board = memory_.handle(),
                      .frames_fd = frames_fd,
                      .frames_inode = inode_of(frames_fd),
                      .shares_core = plan_.shares_core,
                      .fabric = std::string(plan_.fabric->name())}
        .text();
}

}  // namespace

Result run_programs(const ProgramOptions& options) {
    Options plan_options;
    plan_options.ranks = 0;
    for (const Program& program : options.programs) {
        if (program.ranks < 1 || program.arguments.empty())
            throw UsageError("every program of a job has a name and at least 1 rank");
        plan_options.ranks += program.ranks;
    }
    plan_options.fabric = options.fabric;
    plan_options.kind = Kind::processes;
    plan_options.pin = options.pin;
    plan_options.label_output = options.label_output;
    const Plan plan = make_plan(plan_options);
    return ProgramJob(options, plan).run();
}

}  // namespace railyard::job
