/// Large writes that go without help of the memory's owner, where the provider allows it: their
/// order among others, and regions that end.

#include <gtest/gtest.h>

#include <deque>
#include <vector>

#include "interconnects/real/ofi/end.hpp"

namespace railyard::ofi {
namespace {

using fabric::Access;
using fabric::Flags;

class OfiDirect : public Ends {
  protected:
    static constexpr std::size_t size = 1 << 20;

    /// Writes that many bytes of that value to there; the last of several is told of.
    void write(End& from, const fabric::RemoteRegion& to, std::byte value, std::size_t offset,
               std::size_t length, bool is_last) {
        auto& memory = sources_.emplace_back(length, value);
        regions_.push_back(from.nic().register_memory(memory, Access::local));
        const fabric::Slice slice(*regions_.back(), {}, Bytes(length));
        fabric::WorkRequest work;
        work.op = fabric::Op::rdma_write;
        work.flags = is_last ? Flags::remote_completion : Flags::unsignalled;
        work.local = std::span(&slice, 1);
        work.remote = {&to, Bytes(offset)};
        ASSERT_TRUE(from.queue_pair().post(work).ok());
    }
    /// Regions go before their Nic.
    void finish(End& a, End& b) {
        part(a, b);
        regions_.clear();
    }
    Status await_sent(End& end) {
        fabric::Completion done;
        EXPECT_TRUE(host_.wait_until([&] { return end.sent().poll(done); }, soon()));
        return done.status;
    }
    bool is_all(std::size_t from, std::size_t to, std::byte value) const {
        return std::all_of(target_.begin() + static_cast<std::ptrdiff_t>(from),
                           target_.begin() + static_cast<std::ptrdiff_t>(to),
                           [&](std::byte b) { return b == value; });
    }

    std::vector<std::byte> target_ = std::vector<std::byte>(size);
    std::deque<std::vector<std::byte>> sources_;
    std::vector<std::unique_ptr<fabric::Region>> regions_;
};

/// Two regions of the same memory, too: what is written last is there in the end.
TEST_P(OfiDirect, WritesOfAllSizesKeepTheirOrder) {
    End a(host_, GetParam()), b(host_, GetParam());
    connect(a, b);
    const auto region = b.nic().register_memory(target_, Access::all);
    const auto same = b.nic().register_memory(target_, Access::all);
    const auto remote = a.nic().import_region(region->export_blob());
    const auto remote_same = a.nic().import_region(same->export_blob());
    constexpr std::size_t half = size / 2, quarter = size / 4;
    write(a, *remote, std::byte{1}, quarter, 100, false);
    write(a, *remote_same, std::byte{2}, 0, half, false);
    write(a, *remote, std::byte{3}, half - 1, 50, false);   // over the last byte
    write(a, *remote, std::byte{4}, quarter, half, false);  // and over the last of the first
    write(a, *remote, std::byte{5}, quarter, half, false);  // the same once more
    write(a, *remote_same, std::byte{6}, 3 * quarter - 1, 1, true);
    EXPECT_EQ(await_sent(a), Code::ok);
    EXPECT_TRUE(is_all(0, quarter, std::byte{2}));
    EXPECT_TRUE(is_all(quarter, 3 * quarter - 1, std::byte{5}));
    EXPECT_EQ(target_[3 * quarter - 1], std::byte{6});
    EXPECT_TRUE(is_all(3 * quarter, size, std::byte{0}));
    finish(a, b);
}

TEST_P(OfiDirect, ARegionThatHasEndedIsNotWrittenTo) {
    End a(host_, GetParam()), b(host_, GetParam());
    connect(a, b);
    auto region = b.nic().register_memory(target_, Access::all);
    const auto remote = a.nic().import_region(region->export_blob());
    region.reset();
    write(a, *remote, std::byte{1}, 0, size, true);
    EXPECT_EQ(await_sent(a), Code::region_gone);
    EXPECT_TRUE(is_all(0, size, std::byte{0}));
    finish(a, b);
}

/// What is under way when it ends does not come later.
TEST_P(OfiDirect, ARegionEndsWhileItIsWrittenTo) {
    End a(host_, GetParam()), b(host_, GetParam());
    connect(a, b);
    auto region = b.nic().register_memory(target_, Access::all);
    const auto remote = a.nic().import_region(region->export_blob());
    for (int i = 0; i < 12; ++i)
        write(a, *remote, std::byte{1}, 0, size, i == 11);
    b.nic().progress_once();
    region.reset();
    std::ranges::fill(target_, std::byte{7});
    EXPECT_NE(await_sent(a), Code::ok);
    EXPECT_TRUE(is_all(0, size, std::byte{7}));
    finish(a, b);
}

INSTANTIATE_TEST_SUITE_P(Providers, OfiDirect, all_providers(), provider_name);

}  // namespace
}  // namespace railyard::ofi
