#include "report/report.hpp"

#include <gtest/gtest.h>

#include "report/rows.hpp"

namespace railyard::report {
namespace {

TEST(Report, HasSizesDownAndOperationsAcross) {
    const std::vector rows{latency(8, 0.1234, "send_recv"), latency(64, 12.345, "send_recv"),
                           latency(65536, 1234.5, "send_recv"), latency(8, 0.1031, "rdma_write"),
                           latency(65536, 99.99, "rdma_write")};
    EXPECT_EQ(tables(rows),
              "latency-uni on shm: latency (us), memory nic\n"
              "\n"
              "size  send_recv  rdma_write\n"
              "   8      0.123       0.103\n"
              "  64     12.35\n"
              " 64K   1234          99.99\n");
}

TEST(Report, HasALineOfHeadersForEachThingThatVaries) {
    std::vector<results::Row> rows;
    for (const int queue : {8, 16})
        for (const char* op : {"send_recv", "rdma_write"})
            rows.push_back(row("bandwidth-uni-queue", "bandwidth", 4096, 100.0 * queue, "MB/s",
                               {.op = op, .memory = "nic", .queue = queue}));
    EXPECT_EQ(tables(rows),
              "bandwidth-uni-queue on shm: bandwidth (MB/s), memory nic\n"
              "\n"
              "      send_recv  rdma_write  send_recv  rdma_write\n"
              "size    queue 8     queue 8   queue 16    queue 16\n"
              "  4K      800.0       800.0       1600        1600\n");
}

TEST(Report, HasALineAResultWhereManyHaveNoSize) {
    std::vector<results::Row> rows;
    for (const int queue : {1, 2, 4, 8})
        for (const char* fabric : {"shm", "ideal"})
            rows.push_back(
                row("idle", "share", -1, 0.5 * queue, "us", {.fabric = fabric, .queue = queue}));
    EXPECT_EQ(tables(std::span(rows).first(4)),
              "idle: share (us)\n"
              "\n"
              "    shm    ideal      shm    ideal\n"
              "queue 1  queue 1  queue 2  queue 2\n"
              "  0.500    0.500    1.000    1.000\n");
    EXPECT_EQ(tables(rows),
              "idle: share (us)\n"
              "\n"
              "fabric  queue  value\n"
              "shm     1      0.500\n"
              "ideal   1      0.500\n"
              "shm     2      1.000\n"
              "ideal   2      1.000\n"
              "shm     4      2.000\n"
              "ideal   4      2.000\n"
              "shm     8      4.000\n"
              "ideal   8      4.000\n");
}

TEST(Report, PutsFabricsSideBySide) {
    const std::vector rows{latency(8, 0.1, "rdma_write", "shm"),
                           latency(8, 2, "rdma_write", "ideal")};
    EXPECT_EQ(tables(rows),
              "latency-uni: latency (us), rdma_write, memory nic\n"
              "\n"
              "size    shm  ideal\n"
              "   8  0.100  2.000\n");
}

TEST(Report, PutsLimitAndRatioBesideTheResult) {
    const std::vector rows{limit("cache_line_handover", -1, 0.1, "us"),
                           limit("copy", 65536, 20000, "MB/s"),
                           latency(8, 0.11, "rdma_write"),
                           latency(128, 0.15, "rdma_write"),
                           latency(8, 0.5, "rdma_read"),
                           bandwidth(65536, 19000, "rdma_write")};
    EXPECT_EQ(tables(rows),
              "limits on host: cache_line_handover (us)\n"
              "\n"
              "cache_line_handover\n"
              "              0.100\n"
              "\n"
              "limits on host: copy (MB/s)\n"
              "\n"
              "size   copy\n"
              " 64K  20000\n"
              "\n"
              "latency-uni on shm: latency (us), memory nic\n"
              "\n"
              "size  rdma_write  limit  ratio  rdma_read\n"
              "   8       0.110  0.100   1.10      0.500\n"
              " 128       0.150\n"
              "\n"
              "limit: cache_line_handover, measured on this machine with raw code; ratio: result / "
              "limit\n"
              "\n"
              "bandwidth-uni-window on shm: bandwidth (MB/s), rdma_write, memory nic\n"
              "\n"
              "size  bandwidth  limit  ratio\n"
              " 64K      19000  20000   0.95\n"
              "\n"
              "limit: copy, measured on this machine with raw code; ratio: result / limit\n");
}

TEST(Report, ShowsSeveralMetricsOfOneUnitInOneTable) {
    const std::vector rows{limit("cache_line_handover", -1, 0.0952, "us"),
                           limit("tcp", 8, 9.3, "us")};
    EXPECT_EQ(tables(rows),
              "limits on host (us)\n"
              "\n"
              "size  cache_line_handover    tcp\n"
              "   -               0.0952\n"
              "   8                       9.300\n");
}

TEST(Report, LeavesOutWhatFollowsFromTheSize) {
    std::vector rows{limit("copy", 64, 1, "MB/s"), limit("copy_pipeline", 64, 2, "MB/s"),
                     limit("copy", 128, 3, "MB/s"), limit("copy_pipeline", 128, 4, "MB/s")};
    rows[1].parameters["chunk_bytes"] = std::int64_t{16};
    rows[3].parameters["chunk_bytes"] = std::int64_t{32};
    EXPECT_EQ(tables(rows),
              "limits on host (MB/s)\n"
              "\n"
              "size   copy  copy_pipeline\n"
              "  64  1.000          2.000\n"
              " 128  3.000          4.000\n");

    // But not what alone tells two results apart.
    rows.push_back(rows[1]);
    rows.back().parameters["chunk_bytes"] = std::int64_t{8};
    EXPECT_NE(tables(rows).find("chunk_bytes 8"), std::string::npos);
}

TEST(Report, ListsStatisticsOnRequest) {
    results::Row first = latency(8, 0.1, "rdma_write");
    first.statistics = results::summarize({0.1, 0.1, 0.1, 0.2, 0.3});
    const std::vector rows{limit("cache_line_handover", -1, 0.08, "us"), first,
                           latency(128, 10, "send_recv")};
    const std::string text = tables(rows, {.statistics = true});
    EXPECT_EQ(
        text.substr(text.find("latency-uni")),
        "latency-uni on shm: latency (us), memory nic\n"
        "\n"
        "size  op           value      p1     p50     p99  spread  iterations   limit  ratio\n"
        "   8  rdma_write   0.100   0.100   0.100   0.296  100.0%           5  0.0800   1.25\n"
        " 128  send_recv   10.00   10.00   10.00   10.00     0.0%         100\n");
}

TEST(Report, MarksARateThatIsNotSteady) {
    results::Row first = row("bandwidth-uni-queue", "bandwidth", 8, 10, "MB/s");
    results::Row second = row("bandwidth-uni-queue", "bandwidth", 16, 20, "MB/s");
    EXPECT_EQ(tables(std::vector{first, second}).find('?'), std::string::npos);
    second.steady = false;
    for (const bool statistics : {false, true}) {
        const std::string text = tables(std::vector{first, second}, {.statistics = statistics});
        EXPECT_NE(text.find("10.00"), std::string::npos) << text;
        EXPECT_NE(text.find("20.00?"), std::string::npos) << text;
        EXPECT_NE(text.find("\n?: not steady"), std::string::npos) << text;
    }
}

TEST(Report, OfNothingIsNothing) {
    EXPECT_EQ(tables({}), "");
}

TEST(Report, WritesRatiosWithoutAUnit) {
    EXPECT_EQ(tables(std::vector{row("reuse", "ratio", 8, 1.5, "1")}),
              "reuse on shm: ratio\n"
              "\n"
              "size  ratio\n"
              "   8  1.500\n");
}

TEST(Report, GivesNumbersTheDigitsThatMatter) {
    EXPECT_EQ(short_number(0), "0");
    EXPECT_EQ(short_number(0.05234), "0.0523");
    EXPECT_EQ(short_number(0.1031), "0.103");
    EXPECT_EQ(short_number(1.0), "1.000");
    EXPECT_EQ(short_number(12.345), "12.35");
    EXPECT_EQ(short_number(123.45), "123.5");
    EXPECT_EQ(short_number(21345.6), "21346");
    EXPECT_EQ(short_number(1234567.8), "1234568");
    EXPECT_EQ(short_number(-0.5), "-0.500");
    EXPECT_EQ(short_number(1e-9), "0.000000");
}

TEST(Report, DescribesTheMachineWithoutADate) {
    results::Machine machine;
    machine.cpu = "Quick";
    machine.cores = 2;
    machine.threads = 4;
    machine.memory = Bytes(std::uint64_t{6} << 29);
    machine.kernel = "Linux 6.1 aarch64";
    machine.governor = "performance";
    machine.version = "0.1.0";
    machine.revision = "abc";
    machine.compiler = "GCC 12";
    machine.date = "2026-11-15T03:35:42Z";
    EXPECT_EQ(describe(machine),
              "Quick, 2 cores (4 threads), 3.0 GiB, Linux 6.1 aarch64, governor performance\n"
              "railyard 0.1.0 (abc), GCC 12\n");
}

}  // namespace
}  // namespace railyard::report
