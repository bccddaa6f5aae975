// Memory that is but addresses: what comes is handed over, and takes the time that it takes
// elsewhere.

#include "railyard/parcel.hpp"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "interconnects/virtual/ideal/pair.hpp"
#include "railyard/base/error.hpp"

namespace railyard::virtual_time {
namespace {

using namespace ideal::testing;

struct Arrivals final : fabric::Inbox {
    void put(Bytes offset, fabric::Parcel parcel) override {
        all.emplace_back(offset.count(),
                         std::string(reinterpret_cast<const char*>(parcel.data()), parcel.size()));
    }
    std::vector<std::pair<std::uint64_t, std::string>> all;
};

class Parcels : public Pair {
  protected:
    fabric::Parcel parcel(const std::string& text) {
        fabric::Parcel made = a->nic->take_parcel(text.size());
        std::memcpy(made.data(), text.data(), text.size());
        return made;
    }
    /// From addresses of A's to `remote`.
    Status write(const fabric::Region& from, Bytes offset, const fabric::RemoteRegion& remote,
                 fabric::Parcel& bytes) {
        const Slice slice(from, offset, Bytes(bytes.size()));
        WorkRequest request = rdma(Op::rdma_write, 1, slice, remote, offset.count());
        request.parcel = &bytes;
        return a->pair->post(request);
    }
    Arrivals arrivals;
};

TEST_F(Parcels, WhatIsWrittenComesWholeAndInOrder) {
    run([&] {
        const auto from = a->nic->reserve_addresses(1000_B, Access::local, nullptr);
        const auto into = b->nic->reserve_addresses(1000_B, Access::remote_write, &arrivals);
        EXPECT_EQ(into->data(), nullptr);
        EXPECT_EQ(into->size(), 1000_B);
        const auto remote = a->nic->import_region(into->export_blob());
        for (const auto& [offset, text] : {std::pair(500_B, "first"), std::pair(0_B, "second")}) {
            fabric::Parcel bytes = parcel(text);
            ASSERT_TRUE(write(*from, offset, *remote, bytes).ok());
            EXPECT_FALSE(bytes) << "it is the fabric's";
        }
        a->next_sent();
        a->next_sent();
        const decltype(arrivals.all) expected{{500, "first"}, {0, "second"}};
        EXPECT_EQ(arrivals.all, expected);
    });
}

TEST_F(Parcels, TakeTheTimeThatStoredBytesTake) {
    run([&] {
        const auto time_of = [&](const fabric::Region& from, const fabric::Region& into,
                                 fabric::Parcel bytes) {
            const auto remote = a->nic->import_region(into.export_blob());
            const Time start = engine.now();
            const Slice slice(from, 64_B, 300_B);
            WorkRequest request = rdma(Op::rdma_write, 1, slice, *remote, 64);
            if (bytes) request.parcel = &bytes;
            EXPECT_TRUE(a->pair->post(request).ok());
            a->next_sent();
            return elapsed(start);
        };
        const auto from = a->nic->reserve_addresses(1000_B, Access::local, nullptr);
        const auto into = b->nic->reserve_addresses(1000_B, Access::remote_write, &arrivals);
        const Duration handed_over = time_of(*from, *into, parcel(std::string(300, 'x')));
        EXPECT_EQ(handed_over, time_of(*a->memory, *b->memory, {}));
    });
}

TEST_F(Parcels, GoIntoMemoryThatIsStoredAndComeFromThere) {
    run([&] {
        const auto from = a->nic->reserve_addresses(64_B, Access::local, nullptr);
        fabric::Parcel bytes = parcel("stored there");
        ASSERT_TRUE(write(*from, 0_B, *b_at_a, bytes).ok());
        a->next_sent();
        EXPECT_EQ(std::memcmp(b->memory->data(), "stored there", 12), 0);

        const auto into = b->nic->reserve_addresses(64_B, Access::remote_write, &arrivals);
        const auto remote = a->nic->import_region(into->export_blob());
        std::memcpy(a->memory->data(), "from memory", 11);
        const Slice slice = a->slice(0, 11);
        ASSERT_TRUE(a->pair->post(rdma(Op::rdma_write, 1, slice, *remote, 8)).ok());
        a->next_sent();
        WorkRequest inlined;
        inlined.op = Op::rdma_write;
        inlined.flags = fabric::Flags::inlined;
        inlined.bytes = std::as_bytes(std::span("inlined", 7));
        inlined.remote = {remote.get(), 16_B};
        ASSERT_TRUE(a->pair->post(inlined).ok());
        a->next_sent();
        const decltype(arrivals.all) expected{{8, "from memory"}, {16, "inlined"}};
        EXPECT_EQ(arrivals.all, expected);
    });
}

TEST_F(Parcels, AReceiveIsHandedItsMessage) {
    run([&] {
        const auto into = b->nic->reserve_addresses(1000_B, Access::local, &arrivals);
        ASSERT_TRUE(b->post_receive(7, Slice(*into, 128_B, 64_B)).ok());
        std::memcpy(a->memory->data(), "message", 7);
        const Slice slice = a->slice(0, 7);
        ASSERT_TRUE(a->pair->post(send(1, slice)).ok());
        const Completion received = b->next_received();
        EXPECT_EQ(received.id, 7U);
        EXPECT_EQ(received.length, 7_B);
        const decltype(arrivals.all) expected{{128, "message"}};
        EXPECT_EQ(arrivals.all, expected);
    });
}

TEST_F(Parcels, WhatHasLeftArrivesThoughItsAddressesAndItsQueuePairHaveGone) {
    run([&] {
        auto from = a->nic->reserve_addresses(64_B, Access::local, nullptr);
        const auto into = b->nic->reserve_addresses(64_B, Access::remote_write, &arrivals);
        const auto remote = a->nic->import_region(into->export_blob());
        fabric::Parcel bytes = parcel("left");
        ASSERT_TRUE(write(*from, 0_B, *remote, bytes).ok());
        a->pair->close();
        from.reset();
        b->host.compute(1_ms);
        const decltype(arrivals.all) expected{{0, "left"}};
        EXPECT_EQ(arrivals.all, expected);
    });
}

TEST_F(Parcels, AddressesWithoutTheirBytesAreRefused) {
    run([&] {
        const auto from = a->nic->reserve_addresses(64_B, Access::local, nullptr);
        const Slice slice(*from, 0_B, 8_B);
        EXPECT_EQ(a->pair->post(rdma(Op::rdma_write, 1, slice, *b_at_a, 0)).code(), Code::invalid);
        EXPECT_EQ(a->pair->post(send(1, slice)).code(), Code::invalid);
        EXPECT_EQ(a->pair->post(rdma(Op::rdma_read, 1, slice, *b_at_a, 0)).code(), Code::invalid);
        fabric::Parcel others = parcel("of another length");
        WorkRequest request = rdma(Op::rdma_write, 1, slice, *b_at_a, 0);
        request.parcel = &others;
        EXPECT_EQ(a->pair->post(request).code(), Code::invalid);
        EXPECT_TRUE(others) << "what was refused stays its owner's";
        EXPECT_THROW(a->nic->reserve_addresses(64_B, Access::remote_read, nullptr), UsageError);
        EXPECT_THROW(a->nic->reserve_addresses(64_B, Access::all, nullptr), UsageError);
    });
}

TEST(ParcelPool, LendsWhatCameBackLast) {
    fabric::ParcelPool pool;
    for (const std::size_t size : {0, 1, 64, 65, 4000, 16 << 10, 1 << 20}) {
        fabric::Parcel first = pool.take(size);
        fabric::Parcel second = pool.take(size);
        EXPECT_NE(first.data(), second.data());
        EXPECT_EQ(first.size(), size);
        std::memset(first.data(), 1, size);
        std::memset(second.data(), 2, size);
        if (size > 16 << 10) continue;
        const std::byte* const last = second.data();
        first.reset();
        second = {};
        EXPECT_EQ(pool.take(size).data(), last);
    }
}

TEST(ParcelPool, AParcelThatIsMovedIntoAnotherReplacesIt) {
    fabric::ParcelPool pool;
    fabric::Parcel one = pool.take(10);
    fabric::Parcel other = pool.take(20);
    const std::byte* const first = one.data();
    one = std::move(other);
    EXPECT_EQ(one.size(), 20U);
    EXPECT_FALSE(other);  // NOLINT: that is what is asked
    EXPECT_EQ(pool.take(10).data(), first) << "it went back";
}

}  // namespace
}  // namespace railyard::virtual_time
