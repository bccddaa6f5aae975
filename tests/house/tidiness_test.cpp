// What a reader may count on in every file, and that the documents are true to the tree.

#include <gmock/gmock.h>

#include "house/rules.hpp"

namespace railyard::house {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<File> read(const std::vector<std::string>& folders) {
    return read_files(RAILYARD_SOURCE_DIR, folders);
}

TEST(HouseTidiness, HeadersSayWhatTheyAreFor) {
    EXPECT_THAT(check_headers(read({"src", "tests", "bench"})), IsEmpty());
}

TEST(HouseTidiness, AHeaderWithoutAWordIsFound) {
    EXPECT_THAT(check_headers({make_file("src/a.hpp", "#pragma once\n/// What it is.\n"),
                               make_file("src/b.hpp", "#pragma once\n#include <vector>\n"),
                               make_file("src/c.hpp", "/// What it is.\n#pragma once\n"),
                               make_file("src/d.hpp", "")}),
                ElementsAre(HasSubstr("src/b.hpp:2:"), HasSubstr("src/c.hpp:1:"),
                            HasSubstr("src/d.hpp:1:")));
}

TEST(HouseTidiness, NoFileHoldsTwoIdeas) {
    EXPECT_THAT(check_length(read({"src"}), 400), IsEmpty());
}

TEST(HouseTidiness, ALongFileIsFound) {
    EXPECT_THAT(check_length({make_file("src/a.cpp", "\n\n\n"), make_file("src/b.cpp", "\n\n")}, 2),
                ElementsAre(HasSubstr("src/a.cpp:3: over 2 lines")));
}

TEST(HouseTidiness, EveryTestIsBuilt) {
    EXPECT_THAT(check_tests_are_built(read({"tests"})), IsEmpty());
}

TEST(HouseTidiness, ATestThatIsNotBuiltIsFound) {
    const std::vector<File> tests = {
        make_file("tests/CMakeLists.txt",
                  "#     railyard_test(attic LAYERS base)\n"
                  "railyard_test(base LAYERS base)\n"
                  "railyard_test(shm FOLDER interconnects/real/shm LAYERS shm)\n"),
        make_file("tests/base/a_test.cpp", ""),
        make_file("tests/interconnects/real/shm/b_test.cpp", ""),
        make_file("tests/interconnects/c_test.cpp", ""),
        make_file("tests/attic/d_test.cpp", ""),
    };
    EXPECT_THAT(check_tests_are_built(tests),
                ElementsAre(HasSubstr("tests/interconnects/c_test.cpp:1:"),
                            HasSubstr("tests/attic/d_test.cpp:1:")));
}

TEST(HouseTidiness, NothingIsLeftOver) {
    EXPECT_THAT(check_leftovers(read_project(RAILYARD_SOURCE_DIR)), IsEmpty());
}

TEST(HouseTidiness, ALeftOverIsFound) {
    EXPECT_THAT(check_leftovers({make_file("src/a.cpp",
                                           "// TO"
                                           "DO: later\nint mastodon;\n"),
                                 make_file("docs/b.md",
                                           "see /ho"
                                           "me/me/railyard\nhttp://h/ho"
                                           "me/\n"),
                                 make_file("c.cmake",
                                           "\"/wo"
                                           "rk/x\"\n${prefix}/ro"
                                           "ot/x\n")}),
                ElementsAre(HasSubstr("src/a.cpp:1: a note to self"),
                            HasSubstr("docs/b.md:1: a path of one machine"),
                            HasSubstr("c.cmake:1: a path of one machine")));
}

TEST(HouseDocuments, LinksLeadSomewhere) {
    EXPECT_THAT(check_links(read_project(RAILYARD_SOURCE_DIR), RAILYARD_SOURCE_DIR), IsEmpty());
}

TEST(HouseDocuments, ADeadLinkIsFound) {
    const File file = make_file("docs/a.md",
                                "[x](../LICENSE) [y](https://example.org/z)\n"
                                "[x](gone.md#part) [here](#part)\n");
    EXPECT_THAT(check_links({file}, RAILYARD_SOURCE_DIR),
                ElementsAre("docs/a.md:2: gone.md does not exist"));
}

TEST(HouseDocuments, TestsThatTheyNameExist) {
    EXPECT_THAT(check_named_tests(read_project(RAILYARD_SOURCE_DIR), read({"tests"})), IsEmpty());
}

TEST(HouseDocuments, ANamedTestThatIsMissingIsFound) {
    const std::vector<File> tests = {make_file(
        "tests/a_test.cpp", "TEST(Ring, Wraps) {}\nTEST_P(Contract,\n       Sends) {}\n")};
    const File document =
        make_file("docs/a.md", "`Ring.Wraps`, `Contract.Sends`\n`Ring.breaks` `README.md`\n");
    EXPECT_THAT(check_named_tests({document}, tests),
                ElementsAre("docs/a.md:2: there is no test Ring.breaks"));
}

}  // namespace
}  // namespace railyard::house
