#include "sim/context.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace railyard::sim {
namespace {

TEST(Stack, IsAsLargeAsAskedInWholePages) {
    const Stack stack(Bytes(10'000), Stack::Guard::page);
    EXPECT_GE(stack.size(), 10'000U);
    EXPECT_EQ(static_cast<std::byte*>(stack.top()) - static_cast<std::byte*>(stack.bottom()),
              static_cast<std::ptrdiff_t>(stack.size()));
    std::memset(stack.bottom(), 1, stack.size());
    EXPECT_TRUE(stack.intact()) << "the guard page is below";
}

TEST(Stack, AnOverwrittenGuardWordIsSeen) {
    Stack stack(Bytes(16 << 10), Stack::Guard::word);
    EXPECT_TRUE(stack.intact());
    Stack moved = std::move(stack);
    EXPECT_FALSE(stack);  // NOLINT: an empty stack is what a move leaves
    std::memset(moved.bottom(), 0, 8);
    EXPECT_FALSE(moved.intact());
}

}  // namespace
}  // namespace railyard::sim
