// Our declarations of PMIx' binary interface beside its own header, where that is installed.

#include "launch/managers/pmix_abi.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#if RAILYARD_HAS_PMIX
#include <pmix.h>
#endif

namespace railyard::managers {
namespace {

TEST(PmixAbi, IsThatOfTheHeader) {
#if RAILYARD_HAS_PMIX
    EXPECT_EQ(sizeof(pmix::Proc), sizeof(pmix_proc_t));
    EXPECT_EQ(offsetof(pmix::Proc, rank), offsetof(pmix_proc_t, rank));
    EXPECT_EQ(pmix::any_rank, static_cast<pmix_rank_t>(PMIX_RANK_WILDCARD));
    EXPECT_EQ(sizeof(pmix::Value), sizeof(pmix_value_t));
    EXPECT_EQ(offsetof(pmix::Value, data), offsetof(pmix_value_t, data));
    EXPECT_EQ(sizeof(pmix::Bytes), sizeof(pmix_byte_object_t));
    EXPECT_EQ(sizeof(pmix::Info), sizeof(pmix_info_t));
    EXPECT_EQ(offsetof(pmix::Info, flags), offsetof(pmix_info_t, flags));
    EXPECT_EQ(offsetof(pmix::Info, value), offsetof(pmix_info_t, value));
    EXPECT_EQ(static_cast<int>(pmix::Type::boolean), PMIX_BOOL);
    EXPECT_EQ(static_cast<int>(pmix::Type::string), PMIX_STRING);
    EXPECT_EQ(static_cast<int>(pmix::Type::integer), PMIX_INT);
    EXPECT_EQ(static_cast<int>(pmix::Type::int32), PMIX_INT32);
    EXPECT_EQ(static_cast<int>(pmix::Type::uint32), PMIX_UINT32);
    EXPECT_EQ(static_cast<int>(pmix::Type::bytes), PMIX_BYTE_OBJECT);
    EXPECT_EQ(pmix::global_scope, PMIX_GLOBAL);
    EXPECT_EQ(sizeof(pmix_scope_t), sizeof pmix::global_scope);
    EXPECT_EQ(sizeof(pmix_status_t), sizeof(pmix::Status));
    EXPECT_STREQ(PMIX_JOB_SIZE, "pmix.job.size");
    EXPECT_STREQ(PMIX_HOSTNAME, "pmix.hname");
    EXPECT_STREQ(PMIX_COLLECT_DATA, "pmix.collect");
    EXPECT_STREQ(PMIX_IMMEDIATE, "pmix.immediate");
#else
    GTEST_SKIP() << "pmix.h is not installed (Debian: libpmix-dev)";
#endif
}

}  // namespace
}  // namespace railyard::managers
