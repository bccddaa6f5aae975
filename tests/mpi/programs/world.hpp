#pragma once
/// MPI programs as ranks of a job: on what they run, and how they say that something is wrong. A
/// rank that is not content throws, which ends the job: that is heard also where it is a process.

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <initializer_list>
#include <source_location>
#include <sstream>
#include <string>
#include <vector>

#include "launch/job/job.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi::programs {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif

struct JobSpec {
    std::string fabric;
    int ranks = 1;
    job::Kind kind = job::Kind::fibers;
};

/// For the names of tests.
std::string name_of(const JobSpec& spec);
inline void PrintTo(const JobSpec& spec, std::ostream* out) {
    *out << name_of(spec);
}

/// shm (see real_fabric()) as threads, so that sanitizers see all of it, and four fabrics in
/// virtual time: shared receive queues and rings, RDMA and streams, and matching by the adapter.
std::vector<JobSpec> job_specs(std::initializer_list<int> ranks);
/// Real processes.
std::vector<JobSpec> processes(std::initializer_list<int> ranks);

/// The body runs between MPI_Init and MPI_Finalize.
using Program = std::function<void(int rank, int size)>;
job::Result run(const JobSpec& spec, const Program& program);
/// The same; all must end well.
void expect_to_run(const JobSpec& spec, const Program& program);

[[noreturn]] inline void complain(const std::string& what, const std::source_location& where) {
    throw Error(std::string(where.file_name()) + ":" + std::to_string(where.line()) + ": " + what);
}
inline void require(bool so, const std::string& what,
                    std::source_location where = std::source_location::current()) {
    if (!so) complain(what, where);
}
template <class Got, class Expected>
void require_equal(const Got& got, const Expected& expected, const char* what,
                   std::source_location where = std::source_location::current()) {
    if (got == static_cast<Got>(expected)) return;
    std::ostringstream text;
    text << what << " is " << got << ", not " << expected;
    complain(text.str(), where);
}

/// A test of programs on one of them.
class OnFabrics : public testing::TestWithParam<JobSpec> {
  protected:
    void run(const Program& program) { expect_to_run(GetParam(), program); }
};

inline std::string spec_name(const testing::TestParamInfo<JobSpec>& info) {
    return name_of(info.param);
}

}  // namespace railyard::mpi::programs
