#include "report/compare.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "railyard/base/error.hpp"
#include "report/rows.hpp"

namespace railyard::report {
namespace {

using results::Row;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Files = std::vector<CompareFile>;

Row mpi_latency(std::int64_t size, double us, const std::string& mpi, int ports = 0,
                const std::string& fabric = "shm") {
    Row out = row("mpi-latency", "latency", size, us, "us", {.fabric = fabric});
    out.parameters["mpi"] = mpi;
    if (ports != 0) out.parameters["ports"] = std::int64_t{ports};
    return out;
}

CompareFile file(const std::string& path, std::vector<Row> rows) {
    return {path, {.machine = {}, .rows = std::move(rows)}};
}

std::string shown(const Files& files, bool differences_only = false) {
    return compare_tables(compare(files), files, differences_only);
}

std::string summary(const Files& files) {
    return compare_summary(compare(files), files);
}

TEST(Compare, PutsTwoFilesSideBySide) {
    const Files files{
        file("old/before.json", {latency(8, 2, "rdma_write"), latency(1024, 4, "rdma_write")}),
        file("now.json", {latency(8, 1.5, "rdma_write"), latency(1024, 4.2, "rdma_write")})};
    EXPECT_EQ(shown(files),
              "latency-uni on shm: latency (us), rdma_write, memory nic\n"
              "\n"
              "size  before    now  ratio\n"
              "   8   2.000  1.500  0.750  better\n"
              "  1K   4.000  4.200  1.050  worse\n");
    EXPECT_EQ(summary(files), "2 comparisons: 1 better, 1 worse, 0 within the spread\n");
}

TEST(Compare, SaysNothingWithinTheSpread) {
    Files files{file("a.json", {latency(8, 2, "rdma_write"), bandwidth(8, 100, "rdma_write")}),
                file("b.json", {latency(8, 2.1, "rdma_write"), bandwidth(8, 90, "rdma_write")})};
    files[0].results.rows[0].statistics.spread = 0.2;
    EXPECT_THAT(shown(files), HasSubstr("   8  2.000  2.100  1.050\n"));
    EXPECT_EQ(shown(files, true),
              "bandwidth-uni-window on shm: bandwidth (MB/s), rdma_write, memory nic\n"
              "\n"
              "size      a      b  ratio\n"
              "   8  100.0  90.00  0.900  worse\n");
    EXPECT_EQ(summary(files), "2 comparisons: 0 better, 1 worse, 1 within the spread\n");
}

TEST(Compare, ComparesEachFabricWithItselfInTheOtherFile) {
    const Files files{
        file("a.json", {latency(8, 1, "rdma_write", "shm"), latency(8, 5, "rdma_write", "ideal")}),
        file("b.json", {latency(8, 1, "rdma_write", "shm"), latency(8, 5, "rdma_write", "ideal")})};
    const std::string text = shown(files);
    EXPECT_THAT(text, HasSubstr("latency-uni on shm: "));
    EXPECT_THAT(text, HasSubstr("latency-uni on ideal: "));
    EXPECT_EQ(summary(files), "2 comparisons: 0 better, 0 worse, 2 within the spread\n");
}

TEST(Compare, PutsARealFabricBesideAModel) {
    const Files files{file("a.json", {latency(8, 1, "rdma_write", "shm")}),
                      file("b.json", {latency(8, 4, "rdma_write", "quadrics")})};
    EXPECT_EQ(shown(files),
              "latency-uni: latency (us), rdma_write, memory nic\n"
              "\n"
              "size    shm  quadrics  ratio\n"
              "   8  1.000     4.000  4.000  worse\n");
}

TEST(Compare, PutsTheFabricsOfOneFileSideBySide) {
    const Files files{
        file("a.json", {latency(8, 1, "rdma_write", "shm"), latency(8, 4, "rdma_write", "quadrics"),
                        latency(8, 3, "rdma_write", "ideal")})};
    EXPECT_THAT(shown(files), HasSubstr("size    shm  quadrics  ratio         ideal  ratio\n"));
}

TEST(Compare, PutsTwoLibrariesOnOneFabricSideBySide) {
    const Files files{file("a.json", {mpi_latency(8, 2, "native"), mpi_latency(8, 3, "paper"),
                                      mpi_latency(8, 5, "native", 0, "quadrics"),
                                      mpi_latency(8, 6, "paper", 0, "quadrics")})};
    EXPECT_EQ(shown(files),
              "mpi-latency on shm: latency (us)\n"
              "\n"
              "size  native  paper  ratio\n"
              "   8   2.000  3.000  1.500  worse\n"
              "\n"
              "mpi-latency on quadrics: latency (us)\n"
              "\n"
              "size  native  paper  ratio\n"
              "   8   5.000  6.000  1.200  worse\n");
}

TEST(Compare, AParameterThatOneSideDoesNotKnowNamesColumns) {
    const Files files{
        file("ours.json", {mpi_latency(8, 2, "native", 1), mpi_latency(8, 1.8, "native", 2)}),
        file("mpich.json", {mpi_latency(8, 3, "MPICH")})};
    EXPECT_EQ(shown(files),
              "mpi-latency on shm: latency (us)\n"
              "\n"
              "       native   native\n"
              "size  ports 1  ports 2  ratio          MPICH  ratio\n"
              "   8    2.000    1.800  0.900  better  3.000  1.500  worse\n");
}

TEST(Compare, CountsWhatNothingStandsBeside) {
    const Files files{file("a.json", {latency(8, 1, "rdma_write"), latency(64, 1, "rdma_write"),
                                      limit("copy", 8, 9, "MB/s")}),
                      file("b.json", {latency(8, 1, "rdma_write"), latency(8, 1, "send_recv")})};
    EXPECT_EQ(summary(files),
              "1 comparison: 0 better, 0 worse, 1 within the spread\n"
              "nothing to compare with, in a.json: 2 rows: latency-uni 1, limits 1\n"
              "nothing to compare with, in b.json: 1 row: latency-uni 1\n");
}

TEST(Compare, RefusesFilesWithNothingInCommon) {
    const Files files{file("a.json", {latency(8, 1, "rdma_write")}), file("b.json", {})};
    try {
        compare(files);
        FAIL() << "must throw";
    } catch (const UsageError& error) {
        EXPECT_STREQ(error.what(),
                     "nothing to compare: no two results are of the same experiment, metric and "
                     "parameters; a.json has latency-uni; b.json has no rows");
    }
}

TEST(Compare, LooksOnlyAtWhatIsAskedFor) {
    const std::vector rows{latency(8, 1, "rdma_write"), bandwidth(8, 1, "rdma_write")};
    const Files files{file("a.json", rows), file("b.json", rows)};
    const auto found = compare(files, {.experiments = {"latency-uni"}, .metrics = {}});
    EXPECT_EQ(found.tables.size(), 1u);
    EXPECT_TRUE(found.alone[0].empty());
    EXPECT_EQ(compare(files, {.experiments = {}, .metrics = {"bandwidth"}}).tables.size(), 1u);
    EXPECT_THROW(compare(files, {.experiments = {"latency-uni"}, .metrics = {"bandwidth"}}),
                 UsageError);
}

TEST(Compare, CountsWhatIsWorseByMoreThanAllowed) {
    const Files files{file("a.json", {latency(8, 100, "rdma_write"), latency(64, 100, "rdma_write"),
                                      bandwidth(8, 100, "rdma_write")}),
                      file("b.json", {latency(8, 104, "rdma_write"), latency(64, 50, "rdma_write"),
                                      bandwidth(8, 80, "rdma_write")})};
    const Comparison found = compare(files);
    EXPECT_EQ(count_worse(found, 0.01), 2u);
    EXPECT_EQ(count_worse(found, 0.05), 1u);
    EXPECT_EQ(count_worse(found, 0.20), 0u);
}

TEST(Compare, ColumnsOfOneFileDoNotCountAsWorseBesideAnother) {
    const std::vector native{mpi_latency(8, 1, "native")};
    std::vector both = native;
    both.push_back(mpi_latency(8, 9, "paper"));
    EXPECT_EQ(count_worse(compare(Files{file("a.json", both), file("b.json", native)}), 0.05), 0u);
    EXPECT_EQ(count_worse(compare(Files{file("a.json", native), file("b.json", both)}), 0.05), 1u);
    EXPECT_EQ(count_worse(compare(Files{file("a.json", both)}), 0.05), 1u);
}

TEST(Compare, NamesFilesAsShortAsTellsThemApart) {
    const auto names = [](std::vector<std::string> paths) {
        Files files;
        for (const std::string& path : paths)
            files.push_back(file(path, {}));
        return short_names(files);
    };
    EXPECT_THAT(names({"/x/a.json", "/x/b.json"}), ElementsAre("a", "b"));
    EXPECT_THAT(names({"may/out.json", "june/out.json"}), ElementsAre("may/out", "june/out"));
    EXPECT_THAT(names({"a.json", "a.json"}), ElementsAre("a.json (1)", "a.json (2)"));
}

TEST(Compare, IsTheSameAsJson) {
    const Files files{file("a.json", {latency(8, 2, "rdma_write"), latency(64, 1, "send_recv")}),
                      file("b.json", {latency(8, 3, "rdma_write")})};
    const auto json = nlohmann::json::parse(compare_json(compare(files), files));
    EXPECT_EQ(json["schema"], 1);
    EXPECT_EQ(json["files"][1]["path"], "b.json");
    ASSERT_EQ(json["comparisons"].size(), 1u);
    const auto& one = json["comparisons"][0];
    EXPECT_EQ(one["experiment"], "latency-uni");
    EXPECT_EQ(one["parameters"]["message_bytes"], 8);
    EXPECT_EQ(one["first"]["value"], 2);
    EXPECT_EQ(one["other"]["file"], 1);
    EXPECT_EQ(one["ratio"], 1.5);
    EXPECT_EQ(one["verdict"], "worse");
    ASSERT_EQ(json["alone"].size(), 1u);
    EXPECT_EQ(json["alone"][0]["file"], 0);
    EXPECT_EQ(json["alone"][0]["row"]["parameters"]["op"], "send_recv");
}

TEST(Compare, TellsWhereTheFilesComeFrom) {
    Files files{file("a.json", {}), file("b.json", {})};
    files[0].results.machine.cpu = "One";
    files[0].results.machine.cores = 1;
    files[0].results.machine.version = "1.2";
    files[0].results.machine.revision = "abc";
    files[0].results.machine.date = "2026-10-15";
    files[1].results.machine.cpu = "unknown";  // as other programs write it
    files[1].results.machine.version = "unknown";
    files[1].results.machine.kernel = "Linux";
    EXPECT_EQ(file_table(files),
              "file  measured    by                  on\n"
              "a     2026-10-15  railyard 1.2 (abc)  One, 1 core\n"
              "b                                     Linux\n");
}

}  // namespace
}  // namespace railyard::report
