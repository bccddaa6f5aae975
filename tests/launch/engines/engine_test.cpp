// Which launcher is asked, and in which words. That they do what the words say is seen with the
// launchers themselves (tests/launch/mpiexec/hosts_test.cpp).

#include "launch/engines/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "railyard/base/error.hpp"

namespace railyard::engines {
namespace {

using ::testing::HasSubstr;

std::map<std::string, std::string, std::less<>> variables_there;
std::map<std::string, std::string, std::less<>> commands_there;

std::optional<std::string> find(const auto& there, std::string_view name) {
    const auto found = there.find(name);
    return found == there.end() ? std::nullopt : std::optional(found->second);
}

Surroundings around(std::map<std::string, std::string, std::less<>> variables,
                    const std::vector<std::string>& commands) {
    variables_there = std::move(variables);
    commands_there.clear();
    for (const std::string& name : commands)
        commands_there[name] = "/opt/" + name;
    return {[](const char* name) { return find(variables_there, name); },
            [](std::string_view name) { return find(commands_there, name); }};
}

TEST(Engines, OfAnAllocationAreSlurms) {
    const Surroundings inside =
        around({{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NUM_NODES", "2"}}, {"srun", "mpiexec.hydra"});
    EXPECT_TRUE(is_allocation(inside));
    EXPECT_EQ(find_engine({}, inside).engine, Engine::slurm);
    EXPECT_EQ(find_engine({}, inside).program, "/opt/srun");
    EXPECT_EQ(find_engine(Engine::hydra, inside).program, "/opt/mpiexec.hydra");
}

TEST(Engines, OfOneHostOrOfAStepAreOurOwn) {
    EXPECT_FALSE(is_allocation(around({{"SLURM_JOB_NUM_NODES", "1"}}, {"srun"})));
    EXPECT_FALSE(
        is_allocation(around({{"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_STEP_ID", "0"}}, {"srun"})));
    EXPECT_FALSE(is_allocation(around({}, {"srun"})));
}

TEST(Engines, ElsewhereAreWhatIsThere) {
    EXPECT_EQ(find_engine({}, around({}, {"srun", "mpiexec.mpich", "orterun"})).program,
              "/opt/mpiexec.mpich");
    EXPECT_EQ(find_engine({}, around({}, {"srun", "orterun"})).engine, Engine::openmpi);
}

/// What is said instead of starting anything.
std::string complaint(const std::function<void()>& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST(Engines, ThatAreMissingAreNamedWithTheirPackage) {
    EXPECT_THAT(complaint([] { find_engine({}, around({}, {"srun"})); }),
                HasSubstr("package mpich or openmpi-bin"));
    EXPECT_THAT(complaint([] { find_engine(Engine::openmpi, around({}, {"srun"})); }),
                HasSubstr("there is no mpirun.openmpi on the PATH; install it (package "
                          "openmpi-bin)"));
    EXPECT_THAT(complaint([] { parse_engine("pbs"); }), HasSubstr("slurm, hydra or openmpi"));
}

/// Two programs on two hosts, with all that can be asked for.
HostJob a_job() {
    HostJob job;
    job.programs = {{.ranks = 1, .arguments = {"./server"}, .environment = {{"A", "b c"}}},
                    {.ranks = 3, .arguments = {"./client", "it's"}, .directory = "/data"}};
    job.hosts = {{"a", 2}, {"b", 1}};
    job.label_output = true;
    job.bound = true;
    job.limit = Duration::from_seconds(1.5);
    return job;
}

std::string words(Engine engine, const HostJob& job) {
    return text_of(command_of(engine, "engine", job, std::vector<std::string>{"HOME"}));
}

TEST(Engines, AreAskedInTheirOwnWords) {
    EXPECT_EQ(words(Engine::hydra, a_job()),
              "timeout --foreground --kill-after=2 1.5 engine -prepend-rank -bind-to core -hosts "
              "a:2,b:1 -n 1 -env A 'b c' ./server : -n 3 env -C /data ./client 'it'\\''s'");
    EXPECT_EQ(words(Engine::openmpi, a_job()),
              "timeout --foreground --kill-after=2 1.5 engine --oversubscribe --tag-output "
              "--bind-to core --host a:2,b:1 -n 1 -x HOME -x 'A=b c' ./server : --host a:2,b:1 -n "
              "3 -x HOME -wdir /data ./client 'it'\\''s'");
    EXPECT_EQ(words(Engine::slurm, a_job()),
              "timeout --foreground --kill-after=2 1.5 engine --mpi=pmi2 --kill-on-bad-exit=1 "
              "--label --cpu-bind=cores --ntasks=4 --overcommit --distribution=arbitrary "
              "--nodelist <('a\na\nb\na\n') --multi-prog <('0-0 '\\''env'\\'' '\\''A=b c'\\'' "
              "'\\''./server'\\''\n1-3 '\\''env'\\'' '\\''-C'\\'' '\\''/data'\\'' "
              "'\\''./client'\\'' \"it'\\''s\"\n')");
}

TEST(Engines, AreAskedForLittleInFewWords) {
    HostJob job;
    job.programs = {{.ranks = 4, .arguments = {"./hello"}}};
    EXPECT_EQ(words(Engine::hydra, job), "engine -n 4 ./hello");
    EXPECT_EQ(words(Engine::openmpi, job), "engine --oversubscribe -n 4 -x HOME ./hello");
    EXPECT_EQ(words(Engine::slurm, job),
              "engine --mpi=pmi2 --kill-on-bad-exit=1 --ntasks=4 --overcommit ./hello");
}

TEST(Engines, StartCommandsOnHostsAsTheyAreTold) {
    HostJob job;
    job.programs = {{.ranks = 1, .arguments = {"./hello"}}};
    job.launcher = "/opt/rsh";
    EXPECT_EQ(words(Engine::hydra, job),
              "engine -launcher rsh -launcher-exec /opt/rsh -n 1 ./hello");
    EXPECT_EQ(words(Engine::openmpi, job),
              "engine --oversubscribe --mca plm_rsh_agent /opt/rsh -n 1 -x HOME ./hello");
    EXPECT_THROW(words(Engine::slurm, job), UsageError);
    job.launcher = "fork";
    EXPECT_EQ(words(Engine::hydra, job), "engine -launcher fork -n 1 ./hello");
    EXPECT_THROW(words(Engine::openmpi, job), UsageError);
    job.launcher = "ip netns exec";
    EXPECT_THAT(complaint([&] { words(Engine::hydra, job); }), HasSubstr("make it a script"));
}

TEST(Engines, RefuseWhatTheyCannotCarry) {
    HostJob job;
    job.programs = {{.ranks = 1, .arguments = {"./hello"}}};
    job.hosts = {{"2001:db8::7", 1}};
    EXPECT_THAT(complaint([&] { words(Engine::hydra, job); }),
                HasSubstr("give 2001:db8::7 a name"));
    job.hosts.clear();
    job.programs.push_back({.ranks = 1, .arguments = {"./other", "50%"}});
    EXPECT_THAT(complaint([&] { words(Engine::slurm, job); }), HasSubstr("put it into a script"));
}

}  // namespace
}  // namespace railyard::engines
