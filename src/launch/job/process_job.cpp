#include "launch/job/process_job.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <numeric>
#include <utility>

#include "base/rank_local.hpp"
#include "launch/job/fabrics.hpp"
#include "launch/job/frames.hpp"
#include "launch/job/rank_printer.hpp"
#include "launch/job/real_rank.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

void flush_all_output() {
    std::cout.flush();
    std::cerr.flush();
    std::clog.flush();
    ::fflush(nullptr);
}

Launcher::Options launcher_options(const Plan& plan) {
    Launcher::Options options;
    options.ranks.resize(static_cast<std::size_t>(plan.ranks));
    std::iota(options.ranks.begin(), options.ranks.end(), 0);
    return options;
}

void use_as_output(RankPipes& pipes) {
    if (pipes.errors.write) ::dup2(pipes.errors.write.get(), STDERR_FILENO);
    if (!pipes.output.write) return;
    ::dup2(pipes.output.write.get(), STDOUT_FILENO);
    if (pipes.joined) ::dup2(pipes.output.write.get(), STDERR_FILENO);
    pipes.output = {};
    pipes.errors = {};
    // A pipe would make stdout wait for a full buffer; a line should be seen when it is printed.
    // With a buffer of our own: it is what makes the C library change a stream already in use.
    static char buffer[BUFSIZ];
    ::setvbuf(stdout, buffer, _IOLBF, sizeof buffer);
}

}  // namespace

ProcessJob::ProcessJob(const Plan& plan, const Body& body, const Launcher::Options& options,
                       Reactor& reactor)
    : plan_(plan),
      body_(body),
      launcher_pid_(::getpid()),
      memory_(Board::size_for(plan.ranks)),
      board_(Board::format(memory_.span(), plan.ranks, plan.nodes)),
      launcher_(options, board_, reactor) {}

Result ProcessJob::run() {
    if (plan_.fabric->prepare) plan_.fabric->prepare();
    flush_all_output();  // What is still buffered would be printed by every child again.
    return launcher_.run([this](int id, RankPipes& pipes) { return start(id, pipes); });
}

pid_t ProcessJob::start(int id, RankPipes& pipes) {
    SignalsBlocked signals;
    const pid_t pid = ::fork();
    if (pid < 0)
        throw Error(system_error(fmt::format("cannot start rank {}", id)).what() +
                    std::string("; start fewer, or raise the limit (ulimit -u)"));
    if (pid == 0) be_rank(id, pipes, signals);
    return pid;
}

void ProcessJob::be_rank(int id, RankPipes& pipes, SignalsBlocked& signals) {
    // Whatever happens to the launcher, kill -9 included, no rank stays behind.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != launcher_pid_) ::_exit(128 + SIGKILL);
    ::setsid();
    pipes.frames.read.reset();
    use_as_output(pipes);
    launcher_.forget_in_child();
    signals.release();

    const int exit_code = run_body(id, pipes.frames.write.get());
    flush_all_output();
    ::_exit(exit_code);  // Not exit(): what the launcher has to do at its end is not ours to do.
}

int ProcessJob::run_body(int id, int frames_fd) {
    const auto report = [&](const std::string& what, int exit_code) {
        flush_all_output();
        ::fputs(fmt::format("rank {}: {}\n", id, what).c_str(), stderr);
        write_frame(frames_fd, FrameKind::exception, what);
        return exit_code;
    };
    try {
        LauncherLink link = link_by_frames(frames_fd, board_.is_relayed());
        RealRank rank(plan_,
                      std::make_unique<BoardBootstrap>(board_, id, std::move(link.relay),
                                                       std::move(link.abort)),
                      find_entry, std::move(link.deliver), std::move(link.say_waiting));
        // For every thread that the process may start; and whatever we were forked from is gone.
        rank_local::here = &rank_local::of_process;
        rank_local::of_process = {.rank = static_cast<Rank*>(&rank)};
        body_(rank);
        return 0;
    } catch (const std::exception& error) {
        return report(error.what(), exit_code_for(error));
    } catch (...) {
        return report("an exception of unknown type", 1);
    }
}

Result run_processes(const Plan& plan, const Body& body) {
    Reactor reactor;
    Launcher::Options options = launcher_options(plan);
    if (!plan.label_output) return ProcessJob(plan, body, options, reactor).run();
    RankPrinter printer(reactor, plan.ranks, true);
    options.outputs = [&](int rank) { return printer.outputs(rank); };
    ProcessJob job(plan, body, options, reactor);
    printer.attach(job.launcher());
    Result result = job.run();
    printer.settle(result);
    return result;
}

}  // namespace railyard::job
