// Pages that are lists are held to what they list.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <set>

#include "manual/page.hpp"
#include "manual/shell.hpp"
#include "results/file.hpp"

namespace railyard::manual {
namespace {

using ::testing::IsSubsetOf;
using ::testing::SizeIs;

TEST(ManualReference, HasEveryKeyOfProfiles) {
    const std::string page = "docs/profile-keys.md";
    const Shell shell;
    const Ended ended = shell.run("railyard fabrics --keys");
    ASSERT_EQ(ended.exit_code, 0);
    EXPECT_GT(ended.output.size(), 150U);
    const std::vector<std::string> shown = split_lines(read_source(page));
    if (const char* wish = std::getenv("RAILYARD_MANUAL");
        wish != nullptr && std::string(wish) == "accept" && shown != ended.output) {
        std::string text;
        for (const std::string& line : ended.output)
            text += line + "\n";
        return results::write_file(source() / page, text);
    }
    EXPECT_EQ(shown, ended.output) << "railyard fabrics --keys > " << page;
}

bool is_part_of_name(char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Names that stand between these marks: "RAILYARD_LOG" in quotes, or `RAILYARD_LOG`.
std::set<std::string> variables_in(const std::string& text, char before, const char* after) {
    std::set<std::string> names;
    const std::string begin = "RAILYARD_";
    for (auto at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
        auto end = at;
        while (end < text.size() && is_part_of_name(text[end]))
            ++end;
        if (at > 0 && text[at - 1] == before && end < text.size() &&
            std::string(after).find(text[end]) != std::string::npos)
            names.insert(text.substr(at, end - at));
    }
    return names;
}

/// Literals of the sources, alone or with the '=' of an environment, but for settings of MPI: these
/// are one word here, and `railyard mpi-info` lists them.
std::set<std::string> variables_of_sources() {
    namespace fs = std::filesystem;
    std::set<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(source() / "src")) {
        const auto kind = entry.path().extension();
        if (kind != ".cpp" && kind != ".hpp") continue;
        names.merge(variables_in(results::read_file(entry.path()), '"', "\"="));
    }
    for (const auto& entry : fs::directory_iterator(source() / "tests/fabric"))
        if (entry.path().filename() == "spmd.cpp")
            names.merge(variables_in(results::read_file(entry.path()), '"', "\"="));
    std::erase_if(names, [](const std::string& name) { return name.starts_with("RAILYARD_MPI_"); });
    return names;
}

TEST(ManualReference, HasEveryVariableOfTheEnvironment) {
    std::set<std::string> shown = variables_in(read_source("docs/environment.md"), '`', "`");
    EXPECT_EQ(shown.erase("RAILYARD_MPI_EAGER_LIMIT"), 1U);
    shown.erase("RAILYARD_MPI_");
    EXPECT_THAT(shown, ::testing::ContainerEq(variables_of_sources()));
}

/// Man pages may leave out what only tests and ranks are told, but name nothing else.
TEST(ManualReference, ManPagesNameVariablesThatAreThere) {
    std::set<std::string> known = variables_of_sources();
    known.insert("RAILYARD_MPI_");
    for (const char* page : {"man/railyard.1", "man/mpiexec.1"}) {
        std::set<std::string> named;
        for (const char before : {' ', '\n'})
            named.merge(variables_in(read_source(page), before, " \n,"));
        EXPECT_THAT(named, ::testing::Not(SizeIs(0))) << page;
        EXPECT_THAT(named, IsSubsetOf(known)) << page;
    }
}

/// The index of the manual leads to every page.
TEST(ManualReference, EveryPageStandsInTheIndex) {
    const std::string index = read_source("docs/README.md");
    for (const auto& entry : std::filesystem::directory_iterator(source() / "docs")) {
        const std::string page = entry.path().filename().string();
        if (entry.path().extension() != ".md" || page == "README.md") continue;
        EXPECT_NE(index.find("](" + page), index.npos) << page;
    }
}

}  // namespace
}  // namespace railyard::manual
