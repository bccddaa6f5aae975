#include "experiments/mpi/applications.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

#include "experiments/core/exchange.hpp"
#include "experiments/mpi/recordings.hpp"
#include "experiments/mpi/suite.hpp"
#include "programs/runs/replay.hpp"
#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

constexpr MpiKernel kernels_of_wu02[] = {
    {"CG", "cg", false, 1024, false, 2, 1}, {"MG", "mg", false, 4096, true, 4, 0},
    {"IS", "is", false, 128, false, 0, 0},  {"SP", "sp", true, 16, false, 10, 0},
    {"BT", "bt", true, 16, false, 10, 0},
};

bool is_square(int n) {
    int root = 1;
    while (root * root < n)
        ++root;
    return root * root == n;
}

enum class Steps : bool { all, few };

kernels::Outcome run(const MpiKernel& kernel, const char* problem_class, int iterations,
                     Steps steps) {
    std::vector<std::string> words{kernel.kernel, "--quiet", "--class", problem_class};
    if (kernel.any_source) words.emplace_back("--any-source");
    if (kernel.iterations > 0) {
        words.emplace_back("--iterations");
        words.push_back(std::to_string(iterations));
    }
    if (kernel.steps > 0 && steps == Steps::few) {
        words.emplace_back("--steps");
        words.push_back(std::to_string(kernel.steps));
    }
    std::vector<char*> pointers;
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    kernels::Outcome outcome;
    const int code = kernels::find(kernel.kernel)
                         ->run(static_cast<int>(words.size()), pointers.data(), &outcome);
    if (code != 0) throw Error(fmt::format("'{}' ended with {}", fmt::join(words, " "), code));
    return outcome;
}

}  // namespace

std::span<const MpiKernel> mpi_kernels() {
    return kernels_of_wu02;
}

const MpiKernel& mpi_kernel(std::string_view application) {
    for (const MpiKernel& kernel : kernels_of_wu02)
        if (application == kernel.application) return kernel;
    throw Error(fmt::format("no kernel is called {}", application));
}

bool is_mpi_kernel(std::string_view application) {
    return std::ranges::any_of(kernels_of_wu02, [&](const MpiKernel& kernel) {
        return application == kernel.application;
    });
}

bool runs_on(const MpiKernel& kernel, int ranks) {
    return kernel.square ? is_square(ranks) : std::has_single_bit(static_cast<unsigned>(ranks));
}

void meet_partners(const MpiKernel& kernel, int ranks) {
    run(kernel, ranks <= kernel.small_ranks ? "S" : "W", 1, Steps::few);
}

namespace {

int rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

void expect(int found, int expected) {
    if (found != expected)
        throw Error(fmt::format("rank {} got {} in place of {}", rank(), found, expected));
}

void ring() {
    const int right = (rank() + 1) % size();
    const int left = (rank() + size() - 1) % size();
    const int mine = rank();
    int got = -1;
    MPI_Sendrecv(&mine, 1, MPI_INT, right, 0, &got, 1, MPI_INT, left, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    expect(got, left);
}

void barrier() {
    MPI_Barrier(MPI_COMM_WORLD);
}

// The others have a barrier, too, as the table's numbers tell: a broadcast alone would need 1.9
// connections on average.

void bcast() {
    int value = rank() == 0 ? 42 : 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect(value, 42);
    MPI_Barrier(MPI_COMM_WORLD);
}

void allreduce() {
    int sum = rank();
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    expect(sum, size() * (size() - 1) / 2);
    MPI_Barrier(MPI_COMM_WORLD);
}

void allgather() {
    const int mine = rank();
    std::vector<int> all(static_cast<std::size_t>(size()), -1);
    MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size(); ++i)
        expect(all[static_cast<std::size_t>(i)], i);
    MPI_Barrier(MPI_COMM_WORLD);
}

void alltoall() {
    const std::vector<int> out(static_cast<std::size_t>(size()), rank());
    std::vector<int> in(out.size(), -1);
    MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size(); ++i)
        expect(in[static_cast<std::size_t>(i)], i);
    MPI_Barrier(MPI_COMM_WORLD);
}

constexpr MpiProgram small_programs[] = {
    {"Ring", ring},           {"Barrier", barrier},     {"Bcast", bcast},
    {"Allreduce", allreduce}, {"Allgather", allgather}, {"Alltoall", alltoall},
};

}  // namespace

std::span<const MpiProgram> mpi_programs() {
    return small_programs;
}

// vi-count: how many connections the ranks of small programs and of NAS kernels make, and how many
// of them they use. destinations-per-process: to how many ranks a rank of a kernel sends.
// npb-cpu-time: how long NAS kernels take with connections made at the start, and on demand.
// allreduce-latency: a collective operation over and over, and the connections that it has made.

namespace {

std::string application(const Context& context) {
    return std::get<std::string>(context.parameters().at(results::parameter::application));
}

void run_application(Context& context) {
    const std::string name = application(context);
    if (is_mpi_kernel(name)) return meet_partners(mpi_kernel(name), context.rank().size());
    const auto programs = mpi_programs();
    const auto program = std::ranges::find(programs, name, &MpiProgram::name);
    if (program == programs.end()) throw Error("no program is called " + name);
    program->run();
}

}  // namespace

void vi_count(Context& context) {
    MpiSession session(context);
    run_application(context);
    session.emit_connections_in_full("connections", {});
    session.finish();
}

void destinations_per_process(Context& context) {
    MpiSession session(context);
    run_application(context);
    session.emit_destinations("connections", {});
    session.finish();
}

namespace {

/// With what it computes, as the paper's processor would. What the slowest rank's clock tells; on
/// rank 0.
double replay(Context& context, const MpiKernel& kernel) {
    job::Rank& rank = context.rank();
    const RecordedKernel* const recorded = find_recording(
        kernel.kernel,
        std::get<std::string>(context.parameters().at(results::parameter::problem_class)),
        rank.size());
    if (recorded == nullptr) throw Error(fmt::format("{} is not recorded so", kernel.kernel));
    const auto recording = read(*recorded);
    const auto place = static_cast<std::size_t>(rank.id());
    runs::ChargingWatch watch(rank.host(), recording->ranks.at(place).times,
                              slowdown(kernel.kernel));
    mpi::calls::watch_calls(&watch);
    double seconds = runs::replay_calls(*recording, place);
    rank.bootstrap().put("seconds", std::as_bytes(std::span(&seconds, 1)));
    for (int r = 0; rank.id() == 0 && r < rank.size(); ++r)
        seconds = std::max(seconds, values_of<double>(rank, r, "seconds").at(0));
    return seconds;
}

/// What there is of it where bytes move.
double run_class_w(const MpiKernel& kernel, Context& context) {
    MpiSession session(context);
    const kernels::Outcome outcome = run(kernel, "W", kernel.iterations, Steps::all);
    session.finish();
    return outcome.seconds;
}

}  // namespace

void npb_cpu_time(Context& context) {
    const MpiKernel& kernel = mpi_kernel(application(context));
    const double seconds =
        context.virtual_time() ? replay(context, kernel) : run_class_w(kernel, context);
    context.emit({}, results::metric::cpu_time, results::unit::microseconds,
                 results::single(seconds * 1e6));
}

void collective_latency(Context& context) {
    namespace parameter = results::parameter;
    const auto name = std::get<std::string>(context.parameters().at(parameter::collective));
    const suite_experiment& procedure = procedure_named(name + "-latency");
    MpiSession session(context);
    const bool has_sizes = procedure.size_count > 0;
    const std::vector<Bytes> none{Bytes(0)};
    for (const Bytes size : has_sizes ? context.request().sizes : none) {
        run_procedure(context, session, procedure, std::span(&size, has_sizes ? 1 : 0),
                      collective_rounds(context, size));
        results::Parameters parameters;
        if (has_sizes)
            parameters[parameter::message_bytes] = static_cast<std::int64_t>(size.count());
        session.emit_connections(fmt::format("connections {}", size.count()), parameters);
    }
    session.finish();
}

}  // namespace railyard::experiments
