// Calls that are wrong, and calls for help: nothing is measured here.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/program.hpp"

namespace railyard::cli {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Usage, VersionIsPrinted) {
    const Ended ended = railyard({"--version"});
    EXPECT_EQ(ended.exit_code, 0);
    EXPECT_THAT(ended.out, StartsWith("railyard 0."));
    EXPECT_EQ(ended.err, "");
}

TEST(Usage, HelpIsPrintedForEveryCommand) {
    const Ended help = railyard({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    for (const char* command : {"fabrics", "experiments", "measure"}) {
        EXPECT_THAT(help.out, HasSubstr(command));
        const Ended ended = railyard({command, "--help"});
        EXPECT_EQ(ended.exit_code, 0) << command;
        EXPECT_THAT(ended.out, HasSubstr(std::string("Examples:\n  railyard ") + command));
        EXPECT_EQ(ended.err, "");
    }
}

TEST(Usage, OutputThatIsLostIsAnError) {
    for (const Arguments& call :
         {Arguments{"--help"}, Arguments{"--version"}, Arguments{"fabrics"},
          Arguments{"experiments"}, Arguments{"mpi-info", "--on", "shm"}, Arguments{"run", "hello"},
          Arguments{"run", "--summary", "text", "hello"}}) {
        const Ended ended = railyard_into("/dev/full", call);
        EXPECT_EQ(ended.exit_code, 1) << call.front();
        EXPECT_THAT(ended.err, HasSubstr("cannot write")) << call.front();
    }
}

TEST(Usage, ACommandIsNeeded) {
    EXPECT_THAT(complaint({}), HasSubstr("fabrics"));
}

TEST(Usage, UnknownCommandsGetTheNearest) {
    EXPECT_EQ(complaint({"mesure", "latency-uni"}),
              "railyard: unknown command 'mesure'; did you mean 'measure'? `railyard --help` lists "
              "all\n");
}

TEST(Usage, UnknownOptionsGetTheNearest) {
    EXPECT_EQ(
        complaint({"measure", "latency-uni", "--sizs=8"}),
        "railyard: unknown option '--sizs'; did you mean '--sizes'? `railyard measure --help` "
        "lists all\n");
    EXPECT_EQ(complaint({"--verson"}),
              "railyard: unknown option '--verson'; did you mean '--version'? `railyard --help` "
              "lists all\n");
    EXPECT_EQ(complaint({"fabrics", "--log-levle=info"}),
              "railyard: unknown option '--log-levle'; did you mean '--log-level'? `railyard "
              "fabrics --help` lists all\n");
}

TEST(Usage, OptionsNeedTheirValues) {
    EXPECT_THAT(complaint({"measure", "latency-uni", "--sizes"}), HasSubstr("--sizes"));
    EXPECT_THAT(complaint({"fabrics", "shm", "ideal"}), HasSubstr("'ideal'"));
}

TEST(Usage, UnknownNamesGetTheNearest) {
    EXPECT_EQ(complaint({"measure", "latncy-uni"}),
              "railyard: unknown experiment 'latncy-uni'; did you mean 'latency-uni'? `railyard "
              "experiments` lists all\n");
    EXPECT_EQ(complaint({"experiments", "latency-un"}),
              "railyard: unknown experiment 'latency-un'; did you mean 'latency-uni'? `railyard "
              "experiments` lists all\n");
    EXPECT_EQ(complaint({"measure", "latency-uni", "--on", "idael"}),
              "railyard: unknown fabric 'idael'; did you mean 'ideal'? `railyard fabrics` lists "
              "all\n");
    EXPECT_EQ(complaint({"fabrics", "smh"}),
              "railyard: unknown fabric 'smh'; did you mean 'shm'? `railyard fabrics` lists all\n");
    EXPECT_EQ(complaint({"measure", "latency-uni", "--ops", "rdma_wirte"}),
              "railyard: --ops: unknown operation 'rdma_wirte'; did you mean 'rdma_write'? there "
              "are send_recv, rdma_write, rdma_write_imm, rdma_read, fetch_add, compare_swap\n");
}

TEST(Usage, AWholeWordOfANameIsEnough) {
    EXPECT_THAT(complaint({"measure", "latency"}), HasSubstr("did you mean 'latency-uni'?"));
    EXPECT_THAT(complaint({"measure", "bandwidth"}),
                HasSubstr("did you mean 'bandwidth-uni-queue'?"));
    EXPECT_THAT(complaint({"measure", "allreduce"}), HasSubstr("'allreduce-latency'"));
}

TEST(Usage, NetworksOfTodayGetAnHonestPointer) {
    EXPECT_EQ(complaint({"measure", "latency-uni", "--on", "infiniband-ndr"}),
              "railyard: no model of InfiniBand NDR yet (asked for as 'infiniband-ndr'); a profile "
              "of your own: `railyard fabrics infiniband-pcie --toml > mine.toml`, change its "
              "values, and name it with --on ./mine.toml; an adapter that is in this machine: --on "
              "ofi\n");
    EXPECT_THAT(complaint({"run", "--on", "RoCEv2", "hello"}), HasSubstr("no model of RoCE yet"));
    EXPECT_THAT(complaint({"fabrics", "slingshot-11"}), HasSubstr("no model of Slingshot yet"));
    EXPECT_THAT(complaint({"fabrics", "hdr200"}), HasSubstr("no model of InfiniBand HDR yet"));
    EXPECT_THAT(complaint({"fabrics", "sandra"}), HasSubstr("unknown fabric 'sandra'"));
}

TEST(Usage, SizesThatCannotFitAreRefused) {
    EXPECT_THAT(complaint({"measure", "latency-uni", "--on", "shm", "--sizes", "8,1T"}),
                ContainsRegex("--sizes: latency-uni with messages of 1 TiB needs 2048.0 GiB for "
                              "its buffers at least, and this machine has [0-9.]+ GiB\n"));
}

TEST(Usage, PowersOfTenAreToldFromPowersOfTwo) {
    const auto said = [](const char* sizes) {
        return railyard({"measure", "latency-uni", "--on", "ideal", "--sizes", sizes}).err;
    };
    EXPECT_EQ(said("8,8KB"), "railyard: --sizes: 8KB is 8000 bytes; 8K is 8192\n");
    EXPECT_EQ(said("1..1MB*8"), "railyard: --sizes: 1MB is 1000000 bytes; 1M is 1048576\n");
    EXPECT_EQ(said("8,8K,8KiB,8B"), "");
}

TEST(Usage, AnExperimentIsNeeded) {
    EXPECT_EQ(complaint({"measure"}),
              "railyard: measure what? Name an experiment; `railyard experiments` lists them\n");
}

TEST(Usage, BadValuesSayWhatIsAllowed) {
    const auto said = [](const char* option, const char* value) {
        return complaint({"measure", "latency-uni", std::string(option) + "=" + value});
    };
    EXPECT_THAT(said("--sizes", "8..x"), StartsWith("railyard: --sizes: "));
    EXPECT_EQ(said("--iterations", "0"),
              "railyard: --iterations: expected a whole number from 1 to 1000000000, found '0'\n");
    EXPECT_EQ(said("--window", "many"),
              "railyard: --window: expected a whole number from 1 to 1048576, found 'many'\n");
    EXPECT_EQ(said("--memory", "mine"), "railyard: --memory: expected nic or user, found 'mine'\n");
    EXPECT_EQ(said("--mpi", "ours"), "railyard: --mpi: expected native or paper, found 'ours'\n");
    EXPECT_EQ(said("--only", "static"),
              "railyard: --only: expected a parameter such as mode=static, found 'static'\n");
    EXPECT_EQ(said("--ranks", "3"), "railyard: --ranks 3: latency-uni runs on exactly 2 ranks\n");
    EXPECT_THAT(said("--log-level", "loud"), HasSubstr("debug"));
}

TEST(Usage, OptionsMustMeanSomethingToAnExperiment) {
    EXPECT_EQ(
        complaint({"measure", "latency-uni", "--queues", "8"}),
        "railyard: --queues: none of the experiments named has this parameter; it is for "
        "bandwidth-uni-queue, bandwidth-bi-queue, host-overhead-bandwidth, buffer-reuse-fifo, "
        "buffer-reuse-percent, quadrics-ping-uni, quadrics-ping-bi, mpi-unexpected-queue, "
        "mpi-receive-queue\n");
    EXPECT_EQ(complaint({"measure", "latency-uni", "--ops", "rdma_read"}),
              "railyard: --ops: 'rdma_read' is not measured by any of the experiments named; it is "
              "by latency-rdma-read, quadrics-hotspot\n");
    EXPECT_EQ(complaint({"measure", "latency-uni", "latency-rdma-read", "--ops", "rdma_read"}),
              "railyard: --ops: latency-uni measures none of these; it measures send_recv, "
              "rdma_write, rdma_write_imm\n");
}

TEST(Usage, MpiOptionsAreForMpiExperiments) {
    EXPECT_THAT(complaint({"measure", "latency-uni", "--mpi", "paper"}),
                StartsWith("railyard: --mpi: none of the experiments named has this parameter; it "
                           "is for mpi-latency, "));
    EXPECT_EQ(complaint({"measure", "mpi-latency", "--on", "ideal", "--mpi", "paper"}),
              "railyard: --mpi paper: no paper's MPI library is known for ideal; leave the fabric "
              "out, or measure with --mpi native\n");
    EXPECT_THAT(complaint({"measure", "mpi-latency", "--memory", "user"}),
                StartsWith("railyard: --memory: none of the experiments named"));
    EXPECT_EQ(complaint({"measure", "latency-uni", "--only", "mode=static"}),
              "railyard: --only: none of the experiments named consists of several runs\n");
    EXPECT_EQ(complaint({"measure", "vi-count", "--on", "ideal", "--only", "program=Ring"}),
              "railyard: --only: no run of the experiments named has a parameter 'program'; there "
              "are application, mode, processes\n");
    EXPECT_EQ(complaint({"measure", "vi-count", "--on", "ideal", "--only", "application=Rung"}),
              "railyard: --only: no run of the experiments named is such a one on these fabrics\n");
}

TEST(Usage, LimitsNeedTheRealClock) {
    EXPECT_EQ(complaint({"measure", "limits", "--on", "ideal"}),
              "railyard: limits measures this machine, and needs a fabric that runs in real time; "
              "ideal does not\n");
}

TEST(Usage, FilesMustDiffer) {
    EXPECT_EQ(complaint({"measure", "latency-uni", "--json=-", "--csv=-"}),
              "railyard: --json and --csv name the same file\n");
}

TEST(Usage, TheLogLevelComesFromOptionOrEnvironment) {
    EXPECT_EQ(railyard({"fabrics", "--log-level", "error"}).exit_code, 0);
    EXPECT_EQ(railyard({"--log-level", "error", "fabrics"}).exit_code, 0);
    EXPECT_EQ(railyard({"fabrics"}, {"RAILYARD_LOG=debug"}).err, "");
    EXPECT_THAT(railyard({"fabrics"}, {"RAILYARD_LOG=loud"}).err, HasSubstr("RAILYARD_LOG: "));
    // The option is the one that counts.
    EXPECT_EQ(railyard({"fabrics", "--log-level=info"}, {"RAILYARD_LOG=loud"}).err, "");
}

TEST(Usage, TheWayToUserMemoryComesFromOptionOrEnvironment) {
    const Arguments call{"measure", "latency-uni", "--on", "ideal", "--sizes", "8"};
    EXPECT_EQ(complaint({"measure", "latency-uni", "--shm-user-memory", "magic"}),
              "railyard: --shm-user-memory: expected one of auto, process_vm, bounce, found "
              "'magic'\n");
    const Ended bad = railyard(call, {"RAILYARD_SHM_USER_MEMORY=magic"});
    EXPECT_EQ(bad.exit_code, 2);
    EXPECT_THAT(bad.err, StartsWith("railyard: RAILYARD_SHM_USER_MEMORY: expected one of "));
    Arguments overruled = call;
    overruled.emplace_back("--shm-user-memory=bounce");
    EXPECT_EQ(railyard(overruled, {"RAILYARD_SHM_USER_MEMORY=magic"}).exit_code, 0);
}

TEST(Usage, ExperimentsAreListedWithTheirFigures) {
    const Ended all = railyard({"experiments"});
    EXPECT_EQ(all.exit_code, 0);
    EXPECT_THAT(all.out, HasSubstr("liu04 fig. 2; liu04pcie figs. 2, 3"));
    EXPECT_THAT(all.out, HasSubstr("\nbandwidth-bi-window "));
    const Ended one = railyard({"experiments", "bandwidth-uni-queue"});
    EXPECT_EQ(one.exit_code, 0);
    EXPECT_THAT(one.out, HasSubstr("8,16,100"));
}

}  // namespace
}  // namespace railyard::cli
