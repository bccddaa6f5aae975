// Other benchmarks' output as rows.

#include "report/foreign.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "railyard/base/error.hpp"

namespace railyard::report {
namespace {

using results::Row;
using ::testing::HasSubstr;

const Foreign from{"there.txt", "mpich"};

template <class Read>
std::string complaint(Read read, const std::string& text) {
    try {
        read(text, from);
    } catch (const Error& error) {
        return error.what();
    }
    return "none";
}

std::int64_t number(const Row& row, const char* name) {
    return std::get<std::int64_t>(row.parameters.at(name));
}

std::string text(const Row& row, const char* name) {
    return std::get<std::string>(row.parameters.at(name));
}

const char* const osu_latency =
    "mpirun -n 2 osu_latency\n"
    "\n"
    "# OSU MPI Latency Test v7.3\n"
    "# Datatype: MPI_CHAR.\n"
    "# Size          Latency (us)\n"
    "1                       0.21\n"
    "4096                    1.75\n"
    "that was all\n";

TEST(Osu, ReadsATableAndPassesOverWhatATerminalHadAround) {
    const std::vector<Row> rows = read_osu(osu_latency, from);
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].experiment, "mpi-latency");
    EXPECT_EQ(rows[0].fabric, "mpich");
    EXPECT_EQ(rows[0].metric, "latency");
    EXPECT_EQ(rows[0].unit, "us");
    EXPECT_EQ(rows[1].value, 1.75);
    EXPECT_EQ(number(rows[1], "message_bytes"), 4096);
    EXPECT_EQ(rows[1].statistics.p50, 1.75);
}

TEST(Osu, ReadsSeveralTablesWithAllTheirColumns) {
    const std::vector<Row> rows = read_osu(
        "# OSU MPI Bi-Directional Bandwidth Test v5.8\n"
        "# Size      Bandwidth (MB/s)\n"
        "8                      28.51\n"
        "\n"
        "# OSU MPI Allreduce Latency Test v5.8\n"
        "# Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n"
        "4                       1.40              1.10              1.90        1000\n"
        "# OSU MPI Barrier Latency Test v5.8\n"
        "# Avg Latency(us)\n"
        "             1.50\n",
        from);
    ASSERT_EQ(rows.size(), 3u);
    EXPECT_EQ(rows[0].metric, "bandwidth_aggregate");
    EXPECT_EQ(number(rows[0], "window"), 64);
    EXPECT_EQ(text(rows[1], "collective"), "allreduce");
    EXPECT_EQ(rows[1].statistics.max, 1.9);
    EXPECT_EQ(rows[1].statistics.iterations, 1000u);
    EXPECT_EQ(text(rows[2], "collective"), "barrier");
    EXPECT_FALSE(rows[2].parameters.contains("message_bytes"));
}

TEST(Osu, GivesTestsThatWeDoNotHaveANameOfTheirOwn) {
    const std::vector<Row> rows = read_osu(
        "# OSU MPI Multi Latency Test v5.8\n# Size          Latency (us)\n8    2.5\n", from);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].experiment, "osu-multi-latency");
}

TEST(Osu, SaysInWhichLineWhatIsWrong) {
    EXPECT_EQ(complaint(read_osu, "nothing\n"),
              "there.txt: line 1: the file ends, and there was no table of results");
    EXPECT_EQ(complaint(read_osu, "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1\n"),
              "there.txt: line 3: expected 2 numbers (Size, Latency (us)), found 1: '1'");
    EXPECT_EQ(
        complaint(read_osu, "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1  fast\n"),
        "there.txt: line 3: Latency (us): expected a number, found 'fast'");
    EXPECT_EQ(
        complaint(read_osu, "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n1.5  2\n"),
        "there.txt: line 3: Size: expected a whole number, found 1.5");
    EXPECT_THAT(complaint(read_osu, "# OSU MPI Latency Test v7.3\n1 2\n"),
                HasSubstr("line 2: Latency: expected headings"));
    EXPECT_THAT(
        complaint(read_osu, "# OSU MPI Latency Test v7.3\n# Size          Latency (us)\n\n"),
        HasSubstr("has no results"));
}

const char* const imb =
    "#    Intel(R) MPI Benchmarks 2021.3, MPI-1 part\n"
    "#---------------------------------------------------\n"
    "# Benchmarking PingPong \n"
    "# #processes = 2 \n"
    "#---------------------------------------------------\n"
    "       #bytes #repetitions      t[usec]   Mbytes/sec\n"
    "            0         1000         0.40         0.00\n"
    "         1000         1000         2.00       476.84\n"
    "\n"
    "# Benchmarking Allreduce \n"
    "# #processes = 4 \n"
    "# ( 2 additional processes waiting in MPI_Barrier)\n"
    "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]\n"
    "            8         1000         1.00         3.00         2.00\n"
    "\n"
    "# Benchmarking Sendrecv \n"
    "# #processes = 2 \n"
    "       #bytes #repetitions  t_min[usec]  t_max[usec]  t_avg[usec]   Mbytes/sec\n"
    "            8         1000         1.00         3.00         2.50       100.00\n"
    "\n"
    "# All processes entering MPI_Finalize\n";

TEST(Imb, ReadsAllTables) {
    const std::vector<Row> rows = read_imb(imb, from);
    ASSERT_EQ(rows.size(), 5u);
    EXPECT_EQ(rows[0].experiment, "mpi-latency");
    EXPECT_EQ(rows[0].value, 0.4);
    // By the time, since a megabyte is not the same in all versions.
    EXPECT_EQ(rows[2].experiment, "mpi-bandwidth-pingpong");
    EXPECT_EQ(rows[2].value, 500);
    EXPECT_EQ(rows[3].experiment, "allreduce-latency");
    EXPECT_EQ(rows[3].value, 2);
    EXPECT_EQ(number(rows[3], "processes"), 4);
    EXPECT_EQ(rows[4].experiment, "imb-sendrecv");
}

TEST(Imb, MakesRatesOfCounts) {
    const std::vector<Row> rows = read_imb(
        "# Benchmarking Uniband\n# #processes = 2\n"
        "  #bytes #repetitions   Mbytes/sec      Msg/sec\n"
        "       0         1000         0.00      2189915\n"
        "    1000         1000       953.67      1000000\n",
        from);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].value, 1000);
    EXPECT_EQ(rows[0].metric, "bandwidth");
}

TEST(Imb, SaysInWhichLineWhatIsWrong) {
    EXPECT_EQ(complaint(read_imb, "# Benchmarking PingPong\n# #processes = two\n"),
              "there.txt: line 2: expected '# #processes = 2', found '# #processes = two'");
    EXPECT_THAT(complaint(read_imb, "# Benchmarking PingPong\n#bytes #repetitions t[usec]\n"),
                HasSubstr("line 2: expected '# #processes = ...' before the headings"));
    EXPECT_THAT(complaint(read_imb,
                          "# Benchmarking X\n# #processes = 2\n#bytes #repetitions speed\n1 2 3\n"),
                HasSubstr("line 4: x: expected a column"));
    EXPECT_THAT(complaint(read_imb, ""), HasSubstr("there was no table"));
}

TEST(Perftest, ReadsLatency) {
    const std::vector<Row> rows = read_perftest(
        R"({"test_info": {"test": "Send_LAT"}, "results": {"MsgSize": 2, "n_iterations": 1000,
            "t_min": 0.9, "t_max": 3.5, "t_typical": 1.02, "t_avg": 1.04, "percentile_99": 1.4}})",
        from);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].experiment, "latency-uni");
    EXPECT_EQ(text(rows[0], "op"), "send_recv");
    EXPECT_EQ(rows[0].value, 1.02);
    EXPECT_EQ(rows[0].statistics.p99, 1.4);
    EXPECT_EQ(rows[0].statistics.iterations, 1000u);
}

TEST(Perftest, FindsTheUnitOfARateByTheRateOfMessages) {
    const auto rate = [](const char* average) {
        return read_perftest(std::string(R"({"test_info": {"test": "RDMA_Write_BW"}, "results": [
                       {"MsgSize": 1000, "BW_average": )") +
                                 average + R"(, "MsgRate": 1.0}]})",
                             from)
            .at(0)
            .value;
    };
    EXPECT_NEAR(rate("953.674316"), 1000, 0.001);  // MiB/s
    EXPECT_NEAR(rate("8.0"), 1000, 0.001);         // Gbit/s
}

TEST(Perftest, SaysWhereWhatIsWrong) {
    EXPECT_THAT(complaint(read_perftest, "{"), HasSubstr("there.txt: "));
    EXPECT_EQ(complaint(read_perftest, "{}"), "there.txt: test_info: missing");
    EXPECT_EQ(complaint(read_perftest, R"({"test_info": {"test": "Send_LAT"}})"),
              "there.txt: results: missing");
    EXPECT_THAT(
        complaint(read_perftest, R"({"test_info": {"test": "Dance"}, "results": {"MsgSize": 2}})"),
        HasSubstr("test_info.test: expected a test of Send, Write, Read or Atomic, found 'Dance'"));
    EXPECT_EQ(
        complaint(read_perftest, R"({"test_info": {"test": "Send"}, "results": {"MsgSize": 2}})"),
        "there.txt: results.t_typical: missing");
}

TEST(Foreign, IsToldApartByItsFirstWords) {
    EXPECT_EQ(kind_of(osu_latency), FileKind::osu);
    EXPECT_EQ(kind_of(imb), FileKind::imb);
    EXPECT_EQ(kind_of(R"({"test_info": {}})"), FileKind::perftest);
    EXPECT_EQ(kind_of(R"({"schema": 3, "records": []})"), FileKind::verdicts);
    EXPECT_EQ(kind_of(R"({"schema": 1, "rows": []})"), FileKind::results);
    EXPECT_EQ(kind_of(R"([{"virtual_seconds": 1}])"), FileKind::summary);
    EXPECT_EQ(kind_of("a poem"), std::nullopt);
}

}  // namespace
}  // namespace railyard::report
