// Documents and the tree, held against each other: the numbered statements of docs/mechanisms.md
// and whoever cites them, files that documents name, and the glossary.

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "house/pattern.hpp"
#include "house/tree.hpp"

namespace railyard::house {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

/// A row of a table: "| OD-2 | what is so | what shows it |".
struct Statement {
    std::size_t line;
    std::string group;  ///< two letters
    int number;
    std::string shown_by;
};

std::vector<Statement> statements_of(const File& document) {
    static const Pattern row(R"re(\| ([A-Z]{2})-(\d{1,2}) \| .*[^ ] \| (.*[^ ]) \|)re");
    std::vector<Statement> found;
    for (std::size_t i = 0; i < document.lines.size(); ++i) {
        if (const auto m = row.whole(document.lines[i]); !m.empty())
            found.push_back({i + 1, m[1], std::stoi(m[2]), m[3]});
    }
    return found;
}

/// What may be cited: "OD-2", and by their slugs the groups, "mech.on-demand".
std::set<std::string> citable(const File& document) {
    static const Pattern heading(R"re(#+ .*\(`(mech\.[a-z-]+)`\))re");
    std::set<std::string> names;
    for (const Statement& statement : statements_of(document))
        names.insert(statement.group + "-" + std::to_string(statement.number));
    for (const std::string& line : document.lines) {
        if (const auto m = heading.whole(line); !m.empty()) names.insert(m[1]);
    }
    return names;
}

/// Two capitals, a hyphen and a small number cite a statement; with "to", all of a range. Names of
/// standards and machines have another shape (UTF-8, MPI-3, QM-400).
Complaints check_citations(const std::vector<File>& files, const std::set<std::string>& known) {
    static const Pattern number(
        R"re(\b([A-Z]{2})-(\d{1,2})\b(?:\s+to\s+([A-Z]{2})-(\d{1,2})\b)?)re");
    static const Pattern slug(R"re(\bmech\.[a-z-]+)re");
    Complaints complaints;
    for (const File& file : files)
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string& line = file.lines[i];
            if (line.find('-') == line.npos && line.find("mech.") == line.npos) continue;
            const auto expect = [&](const std::string& name) {
                if (!known.contains(name))
                    complaints.push_back(
                        at(file, i + 1, name + " is no statement of docs/mechanisms.md"));
            };
            for (const Pattern::Match& m : number.all(line)) {
                const std::string group = m[1];
                const int first = std::stoi(m[2]);
                const int last = !m[3].empty() ? std::stoi(m[4]) : first;
                if (!m[3].empty() && (m[3] != group || last <= first))
                    complaints.push_back(at(file, i + 1, m[0] + " is no range"));
                else
                    for (int n = first; n <= last; ++n)
                        expect(group + "-" + std::to_string(n));
            }
            for (const Pattern::Match& m : slug.all(line))
                expect(m[0]);
        }
    return complaints;
}

/// Statements of a group are numbered from 1 on. Each names a test, or a record of papers.json, or
/// admits that nothing shows it. (That named tests exist is a rule for all documents.)
Complaints check_statements(const File& document, const std::set<std::string>& records) {
    static const Pattern test(R"re(`[A-Z]\w*\.\w+`)re");
    static const Pattern record(R"re(`([a-z]+\d\d[\w.]+)`)re");
    Complaints complaints;
    std::map<std::string, int> last;
    for (const Statement& statement : statements_of(document)) {
        const std::string name = statement.group + "-" + std::to_string(statement.number);
        const std::string& shown_by = statement.shown_by;
        if (statement.number != ++last[statement.group])
            complaints.push_back(at(document, statement.line, name + " is out of turn"));
        for (const Pattern::Match& m : record.all(shown_by))
            if (!records.contains(m[1]))
                complaints.push_back(at(document, statement.line, "there is no record " + m[1]));
        if (test.first(shown_by).empty() && record.first(shown_by).empty() &&
            shown_by != "not shown by a test")
            complaints.push_back(
                at(document, statement.line, name + " does not say what shows it"));
    }
    return complaints;
}

/// Tables of "| word | meaning | room |": in the order of the alphabet, each word once and with a
/// link to its room. (That links lead somewhere is a rule for all documents.)
Complaints check_glossary(const File& document) {
    static const Pattern row(R"re(\| ([^|]+) \| [^|]+ \| ([^|]+) \|)re");
    Complaints complaints;
    std::set<std::string> words;
    std::string before;
    for (std::size_t i = 0; i < document.lines.size(); ++i) {
        if (!document.lines[i].starts_with("| ")) continue;
        const auto m = row.whole(document.lines[i]);
        if (m.empty()) {
            complaints.push_back(at(document, i + 1, "expected a word, its meaning and its room"));
            continue;
        }
        std::string word = m[1];
        if (word == "word" || word == "---") {
            before.clear();
            continue;
        }
        std::transform(word.begin(), word.end(), word.begin(),
                       [](unsigned char c) { return std::tolower(c); });
        if (!words.insert(word).second)
            complaints.push_back(at(document, i + 1, word + " is there twice"));
        else if (word < before)
            complaints.push_back(at(document, i + 1, word + " comes before " + before));
        if (m[2].find("](") == std::string::npos)
            complaints.push_back(at(document, i + 1, word + " has no room"));
        before = word;
    }
    return complaints;
}

/// The statements that tests cite: by number, or at the beginning of a test's name ("NT1NT3So",
/// "MP1AndMP3So").
std::set<std::string> cited_by(const std::vector<File>& tests) {
    static const Pattern number(R"re(\b([A-Z]{2})-(\d{1,2})\b(?:\s+to\s+[A-Z]{2}-(\d{1,2})\b)?)re");
    static const Pattern name(R"re(^TEST\w*\(\w+, ((?:[A-Z]{2}\d{1,2}(?:And)?)+))re");
    static const Pattern part(R"re(([A-Z]{2})(\d{1,2}))re");
    std::set<std::string> cited;
    for (const File& file : tests)
        for (const std::string& line : file.lines) {
            for (const Pattern::Match& m : number.all(line)) {
                const int last = std::stoi(m[3].empty() ? m[2] : m[3]);
                for (int n = std::stoi(m[2]); n <= last; ++n)
                    cited.insert(m[1] + "-" + std::to_string(n));
            }
            for (const Pattern::Match& m : name.all(line))
                for (const Pattern::Match& p : part.all(m[1]))
                    cited.insert(p[1] + "-" + std::to_string(std::stoi(p[2])));
        }
    return cited;
}

/// Every statement is cited by a test, but for those that are known not to be.
Complaints check_shown(const File& document, const std::set<std::string>& cited,
                       const std::set<std::string>& missing) {
    Complaints complaints;
    for (const Statement& statement : statements_of(document)) {
        const std::string name = statement.group + "-" + std::to_string(statement.number);
        if (cited.contains(name) && missing.contains(name))
            complaints.push_back(at(document, statement.line, name + " is shown by now"));
        if (!cited.contains(name) && !missing.contains(name))
            complaints.push_back(at(document, statement.line, "no test cites " + name));
    }
    return complaints;
}

/// Files that *.md name in backquotes exist: by their path from the root or from the document, or
/// headers and sources by name alone. NAME in a path stands for any.
Complaints check_named_files(const std::vector<File>& project) {
    static const Pattern named(
        R"re(`((?:src|include|tests|bench|examples|profiles|data|docs|scripts)/[\w./-]+|\w+\.[ch]pp)`)re");
    std::set<std::string> known;
    for (const File& file : project) {
        std::string path = file.path;
        known.insert(path.substr(path.rfind('/') + 1));
        for (; !path.empty();
             path.resize(path.find_last_of('/') == path.npos ? 0 : path.rfind('/')))
            known.insert(path);
    }
    Complaints complaints;
    for (const File& file : project) {
        if (!file.path.ends_with(".md") || file.path == "CHANGELOG.md") continue;
        const std::string folder = file.path.substr(0, file.path.rfind('/') + 1);
        for (std::size_t i = 0; i < file.lines.size(); ++i) {
            const std::string& line = file.lines[i];
            for (const Pattern::Match& m : named.all(line)) {
                std::string name = m[1];
                if (name.ends_with('/')) name.pop_back();
                if (!known.contains(name) && !known.contains(folder + name) &&
                    name.find("NAME") == name.npos)
                    complaints.push_back(at(file, i + 1, "there is no file " + name));
            }
        }
    }
    return complaints;
}

File mechanisms() {
    return read_files(RAILYARD_SOURCE_DIR, {"docs/mechanisms.md"}).at(0);
}

std::set<std::string> records() {
    static const Pattern id(R"re("id":\s*"([^"]+)")re");
    std::set<std::string> ids;
    const File papers = read_files(RAILYARD_SOURCE_DIR, {"data/papers.json"}).at(0);
    for (const std::string& line : papers.lines)
        for (const Pattern::Match& m : id.all(line))
            ids.insert(m[1]);
    return ids;
}

TEST(HouseDocuments, StatementsSayWhatShowsThem) {
    EXPECT_THAT(statements_of(mechanisms()), Not(IsEmpty()));
    EXPECT_THAT(check_statements(mechanisms(), records()), IsEmpty());
}

TEST(HouseDocuments, AStatementThatNothingShowsIsFound) {
    const File document = make_file("docs/mechanisms.md",
                                    "| OD-1 | so | `Suite.Name` |\n"
                                    "| OD-2 | so | `paper02.one` |\n"
                                    "| OD-4 | so | not shown by a test |\n"
                                    "| VC-1 | so | `paper02.two`, `Suite.Name` |\n"
                                    "| VC-2 | so | by reasoning |\n");
    EXPECT_THAT(statements_of(document), SizeIs(5));
    EXPECT_THAT(check_statements(document, {"paper02.one"}),
                ElementsAre("docs/mechanisms.md:3: OD-4 is out of turn",
                            "docs/mechanisms.md:4: there is no record paper02.two",
                            "docs/mechanisms.md:5: VC-2 does not say what shows it"));
}

TEST(HouseDocuments, EveryStatementIsCitedByATest) {
    std::vector<File> tests = read_files(RAILYARD_SOURCE_DIR, {"tests"});
    // This file's are no tests of anything.
    std::erase_if(tests, [](const File& f) { return f.path.ends_with("/documents_test.cpp"); });
    EXPECT_THAT(check_shown(mechanisms(), cited_by(tests), {}), IsEmpty());
}

TEST(HouseDocuments, AStatementThatNoTestCitesIsFound) {
    const std::set<std::string> cited = cited_by({make_file("tests/a_test.cpp",
                                                            "// OD-1 to OD-3\n"
                                                            "TEST(A, VC1AndVC2AreSo) {\n"
                                                            "TEST_P(A, NT4So) {  // IB-12\n"
                                                            "call(A, MP1);\n")});
    EXPECT_THAT(cited, ElementsAre("IB-12", "NT-4", "OD-1", "OD-2", "OD-3", "VC-1", "VC-2"));
    const File document = make_file("docs/mechanisms.md",
                                    "| OD-3 | so | `Suite.Name` |\n"
                                    "| OD-4 | so | `Suite.Name` |\n"
                                    "| VC-1 | so | `Suite.Name` |\n"
                                    "| VC-3 | so | `Suite.Name` |\n");
    EXPECT_THAT(check_shown(document, cited, {"VC-1", "VC-3"}),
                ElementsAre("docs/mechanisms.md:2: no test cites OD-4",
                            "docs/mechanisms.md:3: VC-1 is shown by now"));
}

TEST(HouseDocuments, CitationsLeadToAStatement) {
    std::vector<File> files =
        read_files(RAILYARD_SOURCE_DIR, {"src", "include", "tests", "bench", "profiles", "examples",
                                         "data", "docs", "README.md", "CONTRIBUTING.md"});
    // This file shows wrong ones.
    ASSERT_EQ(
        std::erase_if(files, [](const File& f) { return f.path.ends_with("/documents_test.cpp"); }),
        1U);
    EXPECT_THAT(citable(mechanisms()), Contains("mech.iwarp"));
    EXPECT_THAT(check_citations(files, citable(mechanisms())), IsEmpty());
}

TEST(HouseDocuments, ACitationThatLeadsNowhereIsFound) {
    const File document = make_file("docs/mechanisms.md",
                                    "### On demand (`mech.on-demand`)\n"
                                    "| OD-1 | so | `A.B` |\n| OD-2 | so | `A.B` |\n");
    const std::vector<File> files = {
        make_file("src/a.cpp",
                  "// OD-1, OD-2: as they should be (OD-1 to OD-2), of mech.on-demand\n"
                  "// UTF-8, SHA-256, MPI-3, QM-400, MX-10G, FNV-1a, x86-64\n"
                  "// OD-3; ZZ-1 and mech.nothing\n"),
        make_file("tests/a_test.cpp", "// OD-1 to OD-4\n// OD-2 to OD-1, OD-1 to VC-2\n"),
    };
    const std::string none = " is no statement of docs/mechanisms.md";
    EXPECT_THAT(
        check_citations(files, citable(document)),
        ElementsAre("src/a.cpp:3: OD-3" + none, "src/a.cpp:3: ZZ-1" + none,
                    "src/a.cpp:3: mech.nothing" + none, "tests/a_test.cpp:1: OD-3" + none,
                    "tests/a_test.cpp:1: OD-4" + none, HasSubstr("OD-2 to OD-1 is no range"),
                    HasSubstr("OD-1 to VC-2 is no range")));
}

TEST(HouseDocuments, FilesThatTheyNameExist) {
    EXPECT_THAT(check_named_files(read_project(RAILYARD_SOURCE_DIR)), IsEmpty());
}

TEST(HouseDocuments, ANamedFileThatIsMissingIsFound) {
    const std::vector<File> project = {
        make_file("src/base/log.hpp", ""),
        make_file("docs/a.md",
                  "`src/base/`, `log.hpp`, `src/base/log.hpp`, `tests/NAME/`, `time.h`\n"
                  "`src/sim/`, `base.hpp`\n`base/log.hpp`, `src/base/gone.cpp`\n"),
        make_file("CHANGELOG.md", "`src/what/was`\n"),
    };
    EXPECT_THAT(check_named_files(project),
                ElementsAre("docs/a.md:2: there is no file src/sim",
                            "docs/a.md:2: there is no file base.hpp",
                            "docs/a.md:3: there is no file src/base/gone.cpp"));
}

TEST(HouseDocuments, TheGlossaryHasEachWordOnce) {
    EXPECT_THAT(check_glossary(read_files(RAILYARD_SOURCE_DIR, {"docs/glossary.md"}).at(0)),
                IsEmpty());
}

TEST(HouseDocuments, AWordWithTwoMeaningsIsFound) {
    const File glossary =
        make_file("docs/glossary.md",
                  "| word | meaning | room |\n| --- | --- | --- |\n"
                  "| credit | a right | [`a`](a) |\n| Eager | at once | [`a`](a) |\n"
                  "| cell | a line | [`a`](a) |\n\n"
                  "| word | meaning | room |\n| --- | --- | --- |\n"
                  "| eager | too soon | [`b`](b) |\n| lane | a way | somewhere |\n"
                  "| wire | a wire |\n");
    EXPECT_THAT(check_glossary(glossary),
                ElementsAre("docs/glossary.md:5: cell comes before eager",
                            "docs/glossary.md:9: eager is there twice",
                            "docs/glossary.md:10: lane has no room",
                            "docs/glossary.md:11: expected a word, its meaning and its room"));
}

}  // namespace
}  // namespace railyard::house
