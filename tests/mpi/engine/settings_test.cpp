// Where settings come from, and which of two has the last word.

#include "mpi/engine/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {
namespace {

using ::testing::HasSubstr;

/// As if its profile, net.toml, had these keys on its second line and those that follow.
fabric::Traits traits_with(const Settings::Named& mpi) {
    fabric::Traits traits;
    traits.name = "net";
    if (mpi.empty()) return traits;
    fabric::Section& section = traits.sections.emplace_back();
    section.name = "mpi";
    unsigned line = 1;
    for (const auto& [key, value] : mpi) {
        fabric::Source source;
        source.file = "net.toml";
        source.line = ++line;
        const bool quoted = value.find_first_not_of("0123456789") != value.npos;
        section.entries.push_back({key, value, quoted, source, 3});
    }
    return traits;
}

std::string origin_of(const Settings& settings, std::string_view name) {
    for (const Setting& setting : settings.describe())
        if (setting.name == name) return setting.origin;
    return "?";
}

template <class Call>
std::string complaint_of(Call&& call) {
    try {
        call();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "none";
}

std::string all_keys() {
    std::string keys;
    for (const SettingRow& row : setting_rows())
        if (row.in_profiles) keys += (keys.empty() ? "" : ", ") + row.key();
    return keys;
}

/// The environment, changed for as long as this lives.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }

  private:
    const char* name_;
};

TEST(Settings, APapersLibraryIsUsedOnlyWhereItIsAskedFor) {
    const fabric::Traits traits = traits_with({{"matching", "list"}, {"send_overhead", "2 us"}});
    EXPECT_EQ(Settings::choose(traits, {}).matching, Matching::hashed);
    const Settings paper = Settings::choose(traits, {{"library", "paper"}});
    EXPECT_EQ(paper.matching, Matching::list);
    EXPECT_EQ(paper.send_overhead, Duration::us(2));
    EXPECT_EQ(origin_of(paper, "matching"), "net");
    EXPECT_EQ(origin_of(paper, "library"), "job");
}

TEST(Settings, TheJobGoesBeforeTheEnvironmentAndThatBeforeTheFabric) {
    const fabric::Traits traits = traits_with({{"credits", "5"}, {"srq_buffers", "50"}});
    const Variable credits("RAILYARD_MPI_CREDITS", "6");
    const Variable buffers("RAILYARD_MPI_SRQ_BUFFERS", "60");
    const Settings settings =
        Settings::choose(traits, {{"library", "paper"}, {"srq-buffers", "70"}});
    EXPECT_EQ(settings.credits, 6U);
    EXPECT_EQ(origin_of(settings, "credits"), "environment");
    EXPECT_EQ(settings.srq_buffers, 70U);
}

TEST(Settings, ComplaintsNameThePlace) {
    EXPECT_THAT(complaint_of([] {
                    Settings::choose(traits_with({}), {{"matching", "lists"}});
                }),
                HasSubstr("matching: 'lists' is none of hashed, list"));
    EXPECT_THAT(complaint_of([] {
                    Settings::choose(traits_with({}), {{"colour", "red"}});
                }),
                HasSubstr("no setting 'colour'"));
    // The names of earlier versions, as any that is unknown.
    EXPECT_THAT(complaint_of([] {
                    Settings::choose(traits_with({}), {{"mail-buffers", "8"}});
                }),
                HasSubstr("no setting 'mail-buffers' (see `railyard mpi-info`)"));
    {
        const Variable old("RAILYARD_MPI_GATHER", "on");
        EXPECT_THAT(complaint_of([] { Settings::choose(traits_with({}), {}); }),
                    HasSubstr("no setting 'RAILYARD_MPI_GATHER' (see `railyard mpi-info`)"));
    }
    EXPECT_THAT(
        complaint_of([] {
            Settings::choose(traits_with({{"segment_size", "much"}}), {{"library", "paper"}});
        }),
        HasSubstr("net.toml:2:3: mpi.segment_size: "));
    EXPECT_THAT(complaint_of([] {
                    Settings::choose(traits_with({}), {{"library", "paper"}});
                }),
                HasSubstr("no paper's MPI library is known for net"));
    fabric::Traits silent = traits_with({});
    silent.client_server = false;
    EXPECT_THAT(complaint_of([&] {
                    Settings::choose(silent, {{"connections", "static-client-server"}});
                }),
                HasSubstr("take static-peer"));
}

TEST(Settings, AllMistakesOfAProfilesSectionAreToldWithTheirPlace) {
    EXPECT_EQ(complaint_of([] {
                  check_section(traits_with({{"eager_limits", "4 KiB"},
                                             {"ring_cells", "eight"},
                                             {"name", "fine"},
                                             {"matching", "lists"},
                                             {"eager_limit", "4096"},
                                             {"send_rest", "2 s"},
                                             {"library", "paper"}}));
              }),
              "net.toml:2:3: mpi.eager_limits: there is no such key in [mpi]; did you mean "
              "'eager_limit'?\n"
              "net.toml:3:3: mpi.ring_cells: expected no quotes, found eight\n"
              "net.toml:5:3: mpi.matching: 'lists' is none of hashed, list\n"
              "net.toml:6:3: mpi.eager_limit: expected a text in quotes, found 4096\n"
              "net.toml:7:3: mpi.send_rest: '2 s' is over 1 s\n"
              "net.toml:8:3: mpi.library: there is no such key in [mpi]; there are " +
                  all_keys());
    EXPECT_NO_THROW(check_section(traits_with({})));
}

TEST(Settings, ADatasheetSaysWhatTheKeysMean) {
    fabric::Datasheet sheet;
    fabric::Parameter size;
    size.name = "segment_size";
    sheet.parts = {{"link", "as ever", {size}}, {"mpi", "", {size}}};
    explain(sheet);
    EXPECT_EQ(sheet.parts[0].parameters[0].explanation, "");
    EXPECT_EQ(sheet.parts[1].parameters[0].explanation, "of a streamed message: its segments");
    EXPECT_THAT(sheet.parts[1].explanation, HasSubstr("the MPI library of its time"));
}

TEST(Settings, EachIsCalledAlikeEverywhere) {
    for (const SettingRow& row : setting_rows()) {
        if (row.name != "eager-limit") continue;
        EXPECT_EQ(row.variable(), "RAILYARD_MPI_EAGER_LIMIT");
        EXPECT_EQ(row.key(), "eager_limit");
    }
}

TEST(Settings, WhereProcessorsMoveTheBytesFewRequestsAreMade) {
    fabric::Traits traits = traits_with({});
    traits.bulk_threshold = Bytes(64 << 10);
    const Settings software = Settings::choose(traits, {});
    EXPECT_TRUE(software.coalescing);
    EXPECT_EQ(software.eager_limit, Bytes(64 << 10));
    EXPECT_EQ(software.watched_rings, 0U);
    EXPECT_GE(software.packet_limit(), software.eager_limit.count());

    traits.progress = fabric::Progress::hardware;
    EXPECT_FALSE(Settings::choose(traits, {}).coalescing);
    traits.progress = fabric::Progress::calls;
    traits.maps_allocated = true;
    EXPECT_FALSE(Settings::choose(traits, {}).coalescing);
}

TEST(Settings, NobodyWaitsForAPeerThatCannotKnow) {
    const fabric::Traits traits = traits_with({});
    const auto complaint = [&](const Settings::Named& chosen) {
        return complaint_of([&] { Settings::choose(traits, chosen); });
    };
    const Settings::Named off{{"answer-requests", "off"}, {"receive-connects", "on"}};
    EXPECT_THAT(complaint(off), testing::HasSubstr("wildcard-connects"));
    Settings::Named right = off;
    right.emplace_back("wildcard-connects", "on");
    EXPECT_EQ(complaint(right), "none");
    Settings::Named at_start = off;
    at_start.emplace_back("connections", "static-peer");
    EXPECT_EQ(complaint(at_start), "none");
}

TEST(Settings, ABoundOnConnectionsNeedsThoseThatComeBack) {
    const fabric::Traits traits = traits_with({});
    const auto complaint = [&](Settings::Named chosen, const char* bound) {
        chosen.emplace_back("max-connections", bound);
        return complaint_of([&] { Settings::choose(traits, chosen); });
    };
    EXPECT_EQ(complaint({}, "2"), "none");
    EXPECT_THAT(complaint({}, "1"), testing::HasSubstr("at least 2"));
    const Settings::Named at_start{{"connections", "static-peer"}};
    EXPECT_EQ(complaint(at_start, "0"), "none");
    EXPECT_THAT(complaint(at_start, "4"), testing::HasSubstr("on demand"));
    EXPECT_THAT(
        complaint(
            {{"answer-requests", "off"}, {"receive-connects", "on"}, {"wildcard-connects", "on"}},
            "4"),
        testing::HasSubstr("answer-requests on"));
}

TEST(Settings, EveryShippedProfilesLibraryIsUnderstood) {
    int libraries = 0;
    for (const fabric::Traits& traits : job::fabrics()) {
        if (traits.section(Settings::section) == nullptr) continue;
        ++libraries;
        EXPECT_NO_THROW(Settings::choose(traits, {{"library", "paper"}})) << traits.name;
    }
    EXPECT_GE(libraries, 6) << "MVICH, MVAPICH, MVAPICH2, MPICH2-iWARP, MPICH-MX, Quadrics MPI";
}

}  // namespace
}  // namespace railyard::mpi
