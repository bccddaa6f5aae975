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

fabric::Traits traits_with(Settings::Named mpi) {
    fabric::Traits traits;
    traits.name = "net";
    traits.mpi_settings = std::move(mpi);
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

/// The environment, changed for as long as this lives.
class Variable {
  public:
    Variable(const char* name, const char* value) : name_(name) { ::setenv(name, value, 1); }
    ~Variable() { ::unsetenv(name_); }

  private:
    const char* name_;
};

TEST(Settings, APapersLibraryIsUsedOnlyWhereItIsAskedFor) {
    const fabric::Traits traits = traits_with({{"matching", "list"}, {"send-overhead", "2 us"}});
    EXPECT_EQ(Settings::choose(traits, {}).matching, Matching::hashed);
    const Settings paper = Settings::choose(traits, {{"library", "paper"}});
    EXPECT_EQ(paper.matching, Matching::list);
    EXPECT_EQ(paper.send_overhead, Duration::us(2));
    EXPECT_EQ(origin_of(paper, "matching"), "net");
    EXPECT_EQ(origin_of(paper, "library"), "job");
}

TEST(Settings, TheJobGoesBeforeTheEnvironmentAndThatBeforeTheFabric) {
    const fabric::Traits traits = traits_with({{"mail-credits", "5"}, {"mail-buffers", "50"}});
    const Variable credits("RAILYARD_MPI_MAIL_CREDITS", "6");
    const Variable buffers("RAILYARD_MPI_MAIL_BUFFERS", "60");
    const Settings settings =
        Settings::choose(traits, {{"library", "paper"}, {"mail-buffers", "70"}});
    EXPECT_EQ(settings.mail_credits, 6U);
    EXPECT_EQ(origin_of(settings, "mail-credits"), "environment");
    EXPECT_EQ(settings.mail_buffers, 70U);
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
    EXPECT_THAT(complaint_of([] {
                    Settings::choose(traits_with({{"piece", "much"}}), {{"library", "paper"}});
                }),
                HasSubstr("net, [mpi] piece"));
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

TEST(Settings, WhereProcessorsMoveTheBytesFewRequestsAreMade) {
    fabric::Traits traits = traits_with({});
    traits.bulk_threshold = Bytes(64 << 10);
    const Settings software = Settings::choose(traits, {});
    EXPECT_TRUE(software.gather);
    EXPECT_EQ(software.eager_limit, Bytes(64 << 10));
    EXPECT_EQ(software.watched_rings, 0U);
    EXPECT_GE(software.packet_limit(), software.eager_limit.count());

    traits.progress = fabric::Progress::hardware;
    EXPECT_FALSE(Settings::choose(traits, {}).gather);
    traits.progress = fabric::Progress::calls;
    traits.maps_allocated = true;
    EXPECT_FALSE(Settings::choose(traits, {}).gather);
}

TEST(Settings, EveryShippedProfilesLibraryIsUnderstood) {
    int libraries = 0;
    for (const fabric::Traits& traits : job::fabrics()) {
        if (traits.mpi_settings.empty()) continue;
        ++libraries;
        EXPECT_NO_THROW(Settings::choose(traits, {{"library", "paper"}})) << traits.name;
    }
    EXPECT_GE(libraries, 6) << "MVICH, MVAPICH, MVAPICH2, MPICH2-iWARP, MPICH-MX, Quadrics MPI";
}

}  // namespace
}  // namespace railyard::mpi
