#include "railyard/results/results.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "railyard/base/error.hpp"
#include "results/file.hpp"
#include "results/samples.hpp"

namespace railyard::results {
namespace {

Results sample() {
    return {.machine = sample_machine(), .rows = {sample_row(), sample_row()}};
}

std::string complaint(const std::string& text) {
    try {
        from_json(text, "out.json");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string with(std::string text, const std::string& old, const std::string& fresh) {
    const auto at = text.find(old);
    EXPECT_NE(at, std::string::npos) << old;
    return text.replace(at, old.size(), fresh);
}

TEST(Results, ComeBackAsTheyWere) {
    EXPECT_EQ(from_json(to_json(sample()), "out.json"), sample());
    const Results empty{.machine = sample_machine(), .rows = {}};
    EXPECT_EQ(from_json(to_json(empty), "out.json"), empty);
}

TEST(Results, AlwaysGiveTheSameBytes) {
    EXPECT_EQ(to_json(sample()), to_json(sample()));
}

TEST(Results, HaveOneRowALine) {
    const std::string text = to_json(sample());
    EXPECT_NE(text.find("\n    " + to_json_line(sample_row()) + ",\n"), std::string::npos);
    EXPECT_TRUE(text.ends_with("\n  ]\n}\n"));
}

TEST(Results, BeginWithTheSchema) {
    EXPECT_TRUE(to_json(sample()).starts_with("{\n  \"schema\": 1,\n  \"machine\": {\n"));
}

TEST(Results, OfAnUnknownSchemaAreRefused) {
    EXPECT_EQ(complaint(with(to_json(sample()), "\"schema\": 1", "\"schema\": 2")),
              "out.json: schema: 2 is not known here (known: 1); use the version of railyard that "
              "wrote the file, or a newer one");
    EXPECT_EQ(complaint(with(to_json(sample()), "\"schema\": 1", "\"schema\": \"1\"")),
              "out.json: schema: expected a whole number, not negative, found string");
    EXPECT_EQ(complaint("{}"), "out.json: schema: missing");
}

TEST(Results, SayWhichFieldOfWhichRowIsMissing) {
    std::string text = to_json(sample());
    const auto second = text.rfind("\"unit\"");
    text.replace(second, 6, "\"Unit\"");
    EXPECT_EQ(complaint(text), "out.json: rows[1].unit: missing");
    EXPECT_EQ(complaint(with(to_json(sample()), "\"cores\": 2", "\"cores\": \"two\"")),
              "out.json: machine.cores: expected a whole number, not negative, found string");
    EXPECT_EQ(complaint(with(to_json(sample()), "\"cores\": 2", "\"cores\": -2")),
              "out.json: machine.cores: expected a whole number, not negative, found number");
}

TEST(Results, FieldsThatAreNewAreLeftAlone) {
    const std::string text = with(to_json(sample()), "\"cores\"", "\"colour\": \"red\", \"cores\"");
    EXPECT_EQ(from_json(text, "out.json"), sample());
}

TEST(Results, ThatAreNoJsonSayWhere) {
    const std::string what = complaint("{\n  \"schema\" 1}");
    EXPECT_TRUE(what.starts_with("out.json: not JSON: ")) << what;
    EXPECT_NE(what.find("line 2"), std::string::npos) << what;
}

TEST(Results, AreReadFromFiles) {
    const auto path = std::filesystem::temp_directory_path() /
                      ("railyard-results-" + std::to_string(::getpid()) + ".json");
    write_file(path, to_json(sample()));
    EXPECT_EQ(read(path), sample());
    std::filesystem::remove(path);
    try {
        read(path);
        FAIL() << "a file that is gone was read";
    } catch (const Error& error) {
        EXPECT_EQ(std::string(error.what()),
                  "cannot read '" + path.string() + "': No such file or directory");
    }
}

TEST(Machine, KnowsItself) {
    const Machine machine = this_machine();
    EXPECT_GE(machine.cores, 1u);
    EXPECT_GE(machine.threads, machine.cores);
    EXPECT_GT(machine.memory.count(), 0u);
    EXPECT_TRUE(machine.kernel.starts_with("Linux "));
    EXPECT_FALSE(machine.governor.empty());
    EXPECT_FALSE(machine.cpu.empty());
    EXPECT_FALSE(machine.version.empty());
    EXPECT_FALSE(machine.revision.empty());
    ASSERT_EQ(machine.date.size(), std::string("2026-11-15T03:35:42Z").size());
    EXPECT_EQ(machine.date[10], 'T');
    EXPECT_EQ(machine.date.back(), 'Z');
}

}  // namespace
}  // namespace railyard::results
