#include "interconnects/real/common/shape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace railyard::real {
namespace {

using fabric::Flags;
using fabric::Op;
using fabric::Slice;
using fabric::WorkRequest;

class Memory final : public fabric::Region {
  public:
    Memory(const void* nic, std::span<std::byte> memory)
        : Region(nic, memory.data(), Bytes(memory.size()), fabric::Access::all) {}
    fabric::RegionBlob export_blob() const override { return {}; }
};

class Remote final : public fabric::RemoteRegion {
  public:
    explicit Remote(const void* nic) : RemoteRegion(nic, Bytes(64)) {}
};

class RequestShape : public ::testing::Test {
  protected:
    Slice slice(std::uint64_t offset, std::uint64_t length) const {
        return Slice(memory_, Bytes(offset), Bytes(length));
    }
    WorkRequest request(Op op, std::span<const Slice> local) const {
        WorkRequest made;
        made.op = op;
        made.local = local;
        if (op != Op::send) made.remote = {&remote_, Bytes()};
        return made;
    }

    static constexpr Limits limits{2, 16, 40};
    std::array<std::byte, 64> bytes_{};
    const int nic_ = 0;  ///< only its address counts
    const int another_nic_ = 0;
    Memory memory_{&nic_, bytes_};
    Remote remote_{&nic_};
};

TEST_F(RequestShape, CountsAllSlices) {
    const std::vector<Slice> local = {slice(0, 8), slice(60, 4)};
    const Shape shape = shape_of(request(Op::send, local), limits, &nic_);
    EXPECT_EQ(shape.refusal, Code::ok);
    EXPECT_EQ(shape.fault, Code::ok);
    EXPECT_EQ(shape.length, 12u);
}

TEST_F(RequestShape, TooManySlicesNoRegionAndTooManyBytesAreRefused) {
    const std::vector<Slice> many = {slice(0, 1), slice(1, 1), slice(2, 1)};
    EXPECT_EQ(shape_of(many, limits, &nic_).refusal, Code::invalid);
    const std::vector<Slice> nowhere = {Slice{}};
    EXPECT_EQ(shape_of(nowhere, limits, &nic_).refusal, Code::invalid);
    const std::vector<Slice> longer = {slice(0, 41)};
    EXPECT_EQ(shape_of(longer, limits, &nic_).refusal, Code::too_long);
}

TEST_F(RequestShape, WhatLiesOutsideIsAFaultOfTheRequestNotOfTheCall) {
    const std::vector<Slice> beyond = {slice(60, 5)};
    const Shape shape = shape_of(beyond, limits, &nic_);
    EXPECT_EQ(shape.refusal, Code::ok);
    EXPECT_EQ(shape.fault, Code::out_of_bounds);
}

TEST_F(RequestShape, InlinedBytesStandAlone) {
    WorkRequest work = request(Op::send, {});
    work.flags = Flags::inlined;
    work.bytes = std::span(bytes_).first(16);
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::ok);
    EXPECT_EQ(shape_of(work, limits, &nic_).length, 16u);
    work.bytes = std::span(bytes_).first(17);
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::too_long);
    work.bytes = std::span(bytes_).first(16);
    const std::vector<Slice> local = {slice(0, 1)};
    work.local = local;
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::invalid);
    work.local = {};
    work.flags = Flags::none;
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::invalid);
    work.flags = Flags::inlined;
    work.op = Op::rdma_read;
    work.remote = {&remote_, Bytes()};
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::invalid);
}

TEST_F(RequestShape, AtomicsTakeEightBytesAndARegionOfThePeers) {
    const std::vector<Slice> eight = {slice(0, 8)};
    const std::vector<Slice> four = {slice(0, 4)};
    for (const Op op : {Op::fetch_add, Op::compare_swap}) {
        EXPECT_EQ(shape_of(request(op, eight), limits, &nic_).refusal, Code::ok);
        EXPECT_EQ(shape_of(request(op, four), limits, &nic_).refusal, Code::invalid);
    }
    WorkRequest homeless = request(Op::rdma_write, eight);
    homeless.remote = {};
    EXPECT_EQ(shape_of(homeless, limits, &nic_).refusal, Code::invalid);
    EXPECT_EQ(shape_of(request(Op::receive, eight), limits, &nic_).refusal, Code::invalid);
}

TEST_F(RequestShape, RefusesRegionsOfAnotherNic) {
    const std::vector<Slice> local = {slice(0, 8)};
    const Remote foreign(&another_nic_);
    EXPECT_EQ(shape_of(local, limits, &nic_).refusal, Code::ok);
    EXPECT_EQ(shape_of(local, limits, &another_nic_).refusal, Code::invalid);
    WorkRequest work = request(Op::rdma_write, local);
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::ok);
    work.remote = {&foreign, Bytes()};
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::invalid);
    work = request(Op::send, local);
    work.invalidate = &foreign;
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::invalid);
    work.invalidate = &remote_;
    EXPECT_EQ(shape_of(work, limits, &nic_).refusal, Code::ok);
}

}  // namespace
}  // namespace railyard::real
