#include "mpi/types/datatype.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <set>

#include "mpi/types/constructors.hpp"

namespace railyard::mpi {
namespace {

TEST(Predefined, EachIsThereOnceWithAName) {
    std::set<std::string_view> names;
    std::set<const Datatype*> types;
    for (std::size_t i = 1; i < basic_kinds; ++i) {
        const auto basic = static_cast<Basic>(i);
        const TypeRef& type = predefined(basic);
        EXPECT_EQ(type->basic(), basic);
        EXPECT_TRUE(type->is_predefined());
        EXPECT_EQ(type->contents().combiner, Combiner::named);
        EXPECT_TRUE(type->name().starts_with("MPI"));
        names.insert(type->name());
        types.insert(type.get());
        EXPECT_EQ(&predefined(basic), &type);
    }
    EXPECT_EQ(names.size(), basic_kinds - 1);
    EXPECT_EQ(types.size(), basic_kinds - 1);
}

template <class T>
void expect_like(Basic basic) {
    const Datatype& type = *predefined(basic);
    EXPECT_EQ(type.size(), sizeof(T)) << type.name();
    EXPECT_EQ(type.extent(), static_cast<std::ptrdiff_t>(sizeof(T))) << type.name();
    EXPECT_EQ(type.shape().alignment, alignof(T)) << type.name();
    EXPECT_EQ(type.basic_count(), 1U) << type.name();
    EXPECT_TRUE(type.is_dense()) << type.name();
}

TEST(Predefined, AreLaidOutAsTheCompilerDoes) {
    expect_like<char>(Basic::c_char);
    expect_like<std::byte>(Basic::byte);
    expect_like<std::byte>(Basic::packed);
    expect_like<wchar_t>(Basic::wchar);
    expect_like<short>(Basic::c_short);
    expect_like<int>(Basic::c_int);
    expect_like<long>(Basic::c_long);
    expect_like<unsigned long long>(Basic::unsigned_long_long);
    expect_like<float>(Basic::c_float);
    expect_like<double>(Basic::c_double);
    expect_like<long double>(Basic::long_double);
    expect_like<std::int8_t>(Basic::int8);
    expect_like<std::uint64_t>(Basic::uint64);
    expect_like<bool>(Basic::c_bool);
    expect_like<std::complex<long double>>(Basic::c_long_double_complex);
    expect_like<void*>(Basic::aint);
    expect_like<std::int32_t>(Basic::integer);
    expect_like<std::int32_t>(Basic::logical);
    expect_like<double>(Basic::double_precision);
    expect_like<std::complex<double>>(Basic::double_complex);
    expect_like<std::int16_t>(Basic::integer2);
    expect_like<bool>(Basic::cxx_bool);
}

TEST(Predefined, PairsHaveTheGapsOfAStruct) {
    const Datatype& short_int = *predefined(Basic::short_int);
    EXPECT_EQ(short_int.size(), 6U);
    EXPECT_EQ(short_int.extent(), 8);
    EXPECT_EQ(short_int.true_extent(), 8);
    EXPECT_FALSE(short_int.is_dense());
    EXPECT_EQ(short_int.basic_count(), 2U);

    const Datatype& double_int = *predefined(Basic::double_int);
    EXPECT_EQ(double_int.size(), 12U);
    EXPECT_EQ(double_int.extent(), 16);
    EXPECT_EQ(double_int.true_extent(), 12);
    EXPECT_FALSE(double_int.is_dense());

    EXPECT_TRUE(predefined(Basic::two_int)->is_dense());
    EXPECT_TRUE(predefined(Basic::float_int)->is_dense());
}

TEST(Datatype, WhatAMessageNeedsIsInOneLineOfTheCache) {
    EXPECT_EQ(alignof(Datatype), 64U);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(predefined(Basic::c_int).get()) % 64, 0U);
    const TypeRef type = contiguous(3, predefined(Basic::c_int));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(type.get()) % 64, 0U);
}

TEST(Datatype, ADerivedOneKnowsItsOnlyBasic) {
    const TypeRef& real = predefined(Basic::c_double);
    const TypeRef plane = vector(3, 2, 5, contiguous(2, real));
    EXPECT_EQ(plane->basic(), Basic::none);
    EXPECT_FALSE(plane->is_predefined());
    EXPECT_EQ(plane->uniform_basic(), Basic::c_double);
    EXPECT_EQ(plane->basic_count(), 12U);
    EXPECT_EQ(plane->name(), "");

    const std::vector<TypeRef> two{real, predefined(Basic::c_int)};
    const TypeRef record =
        create_struct(std::vector<std::size_t>{1, 1}, std::vector<std::ptrdiff_t>{0, 8}, two);
    EXPECT_EQ(record->uniform_basic(), Basic::none);
    EXPECT_EQ(record->basic_count(), 2U);
}

TEST(Datatype, CountsBasicsOfPartsOfElements) {
    const std::vector<TypeRef> members{predefined(Basic::c_double), predefined(Basic::c_short),
                                       predefined(Basic::double_int)};
    const TypeRef record = create_struct(std::vector<std::size_t>{2, 3, 2},
                                         std::vector<std::ptrdiff_t>{0, 16, 24}, members);
    ASSERT_EQ(record->size(), 16U + 6U + 24U);
    ASSERT_EQ(record->basic_count(), 9U);
    const auto basics = [&](std::size_t bytes) { return record->basics_in(bytes); };
    EXPECT_EQ(basics(0), 0U);
    EXPECT_EQ(basics(7), 0U);
    EXPECT_EQ(basics(8), 1U);
    EXPECT_EQ(basics(17), 2U);
    EXPECT_EQ(basics(18), 3U);
    EXPECT_EQ(basics(22), 5U);
    EXPECT_EQ(basics(30), 6U);  // the double of a pair
    EXPECT_EQ(basics(34), 7U);
    EXPECT_EQ(basics(46), 9U);
    EXPECT_EQ(basics(46 * 10 + 8), 91U);
    EXPECT_EQ(contiguous(0, record)->basics_in(100), 0U);
}

TEST(Datatype, DenseDataBeginWhereTheTypeSays) {
    const TypeRef moved = hindexed(std::vector<std::size_t>{2}, std::vector<std::ptrdiff_t>{8},
                                   predefined(Basic::c_int));
    EXPECT_TRUE(moved->is_dense());
    EXPECT_EQ(moved->true_lower_bound(), 8);
    int numbers[] = {1, 2, 3, 4, 5, 6};
    int packed[3] = {};
    moved->pack(numbers, 2, 4, std::as_writable_bytes(std::span(packed)));
    EXPECT_EQ(packed[0], 4);
    EXPECT_EQ(packed[2], 6);
    const int fresh[] = {9, 8};
    moved->unpack(numbers, 1, 0, std::as_bytes(std::span(fresh)));
    EXPECT_EQ(numbers[1], 2);
    EXPECT_EQ(numbers[2], 9);
    EXPECT_EQ(numbers[3], 8);
}

TEST(Datatype, AbsoluteAddressesCountFromNowhere) {
    double one = 1.5;
    int other = 7;
    const auto place = [](const void* p) { return reinterpret_cast<std::ptrdiff_t>(p); };
    const std::vector<TypeRef> types{predefined(Basic::c_double), predefined(Basic::c_int)};
    const TypeRef all =
        create_struct(std::vector<std::size_t>{1, 1},
                      std::vector<std::ptrdiff_t>{place(&one), place(&other)}, types);
    std::byte packed[12];
    all->pack(nullptr, 1, 0, packed);
    int got = 0;
    std::memcpy(&got, packed + 8, sizeof got);
    EXPECT_EQ(got, 7);
    got = 11;
    std::memcpy(packed + 8, &got, sizeof got);
    all->unpack(nullptr, 1, 0, packed);
    EXPECT_EQ(other, 11);
    EXPECT_EQ(one, 1.5);
}

TEST(Datatype, NothingIsPackedFromNowhere) {
    predefined(Basic::c_int)->pack(nullptr, 0, 0, {});
    predefined(Basic::short_int)->pack(nullptr, 0, 0, {});
    predefined(Basic::c_int)->unpack(nullptr, 0, 0, {});
    contiguous(0, predefined(Basic::short_int))->unpack(nullptr, 5, 0, {});
}

}  // namespace
}  // namespace railyard::mpi
