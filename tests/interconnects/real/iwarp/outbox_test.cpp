// What waits for a socket.

#include "interconnects/real/iwarp/outbox.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace railyard::iwarp {
namespace {

TEST(Outbox, CopiesAreMadeInMemoryThatWasUsedBefore) {
    const auto storage = std::make_unique<Outbox::Storage>();
    Outbox out(*storage);
    const auto send_copy = [&](std::size_t n) {
        std::byte* const copy = out.keep(n);
        std::memset(copy, 1, n);
        out.refer(copy, n);
        out.sent(n);
        return copy;
    };
    const std::byte* const first = send_copy(44'000);
    EXPECT_EQ(send_copy(100), first);
    // By whoever is lent the storage next, too.
    Outbox other(*out.take_back());
    EXPECT_EQ(other.keep(64'000), first);
}

TEST(Outbox, CopiesAreApartUntilAllIsSent) {
    const auto storage = std::make_unique<Outbox::Storage>();
    Outbox out(*storage);
    std::byte* const one = out.keep(1000);
    std::byte* const two = out.keep(1000);
    std::byte* const large = out.keep(1'000'000);
    std::memset(one, 1, 1000);
    std::memset(two, 2, 1000);
    std::memset(large, 3, 1'000'000);
    EXPECT_EQ(one[999], std::byte{1});
    EXPECT_EQ(two[999], std::byte{2});
    out.refer(one, 1000);
    out.refer(two, 1000);
    out.sent(1500);
    EXPECT_NE(out.keep(1000), two);
    out.discard();
    EXPECT_TRUE(out.empty());
}

}  // namespace
}  // namespace railyard::iwarp
