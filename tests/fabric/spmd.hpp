#pragma once
/// How a contract test runs: one function on every rank of a job, on every fabric that the registry
/// lists. Assertions of GoogleTest do not cross from a rank to the launcher (it may be another
/// process), so ranks check with the functions here: they throw, and the job reports the message.

#include <gtest/gtest.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "railyard/base/bytes.hpp"
#include "railyard/base/status.hpp"
#include "railyard/base/time.hpp"
#include "railyard/connection.hpp"
#include "railyard/library/fabrics.hpp"
#include "railyard/library/job.hpp"
#include "railyard/traits.hpp"
#include "railyard/work.hpp"

namespace railyard::contract {

using Where = std::source_location;
using Body = std::function<void(Rank&)>;

/// A check of one rank that did not hold.
class Failure : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Values as people read them in a message.
std::string show(bool value);
std::string show(std::byte value);
std::string show(Status status);
std::string show(Bytes bytes);
std::string show(Duration duration);
std::string show(Time time);
std::string show(fabric::Op op);
std::string show(fabric::ConnectionState state);
std::string show(const void* pointer);
std::string show(std::string_view text);
template <std::integral T>
std::string show(T value) {
    return std::to_string(value);
}

[[noreturn]] void fail(std::string_view what, Where where = Where::current());
void check(bool holds, std::string_view what, Where where = Where::current());
/// The call was taken.
void check_ok(Status status, std::string_view what, Where where = Where::current());

template <class T>
void check_equal(const T& found, const std::type_identity_t<T>& expected, std::string_view what,
                 Where where = Where::current()) {
    if (found == expected) return;
    fail(std::string(what) + ": expected " + show(expected) + ", found " + show(found), where);
}

/// How long a rank waits for something that must come. Long enough for a sanitizer on a busy
/// machine; in virtual time it costs nothing.
Duration patience();

/// A fabric, and the way its ranks are run.
struct Setting {
    std::string fabric;
    RankKind kind = RankKind::processes;
};
void PrintTo(const Setting& setting, std::ostream* out);
/// Every fabric of the registry: a real one as processes and as threads (the latter so that a
/// thread sanitizer sees both sides of it), a virtual one as fibers.
std::vector<Setting> settings();
std::string setting_name(const testing::TestParamInfo<Setting>& info);

class Team;

/// The fixture of every contract test.
class Contract : public testing::TestWithParam<Setting> {
  protected:
    const fabric::Traits& traits() const;
    bool real() const { return traits().clock == fabric::Clock::real; }
    /// Leave out what is large: as threads, since those look for races and the sizes were done as
    /// processes, and with RAILYARD_CONTRACT_QUICK=1.
    bool quick() const;
    /// How often a loop is repeated that only looks for rare interleavings.
    int rounds(int full) const { return quick() ? (full + 3) / 4 : full; }

    /// Runs `body` on every rank and expects all of them to end well.
    void run_ranks(int ranks, const Body& body) const;
    void run_ranks(const Job& options, const Body& body) const;
    /// The same with a Team made before and taken down, in step, after it.
    void run(int ranks, const std::function<void(Team&)>& body) const;
    /// The same with ranks on these nodes.
    void run_on(const std::vector<fabric::NodeId>& nodes,
                const std::function<void(Team&)>& body) const;
    Job options(int ranks) const;

  private:
    void as_team(Rank& rank, const std::function<void(Team&)>& body) const;
};

}  // namespace railyard::contract

/// Runs a suite on every fabric.
#define RAILYARD_CONTRACT(suite)                                                                \
    INSTANTIATE_TEST_SUITE_P(every, suite, testing::ValuesIn(::railyard::contract::settings()), \
                             ::railyard::contract::setting_name)
