// The representation that every machine reads: bytes as the standard has them, and any tree of
// types there and back.

#include "mpi/types/external32.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "basics.hpp"
#include "mpi/types/error.hpp"
#include "random_types.hpp"

namespace railyard::mpi {
namespace {

using Bytes = std::vector<unsigned>;

template <class T>
Bytes external(Basic basic, const T& value) {
    const TypeRef& type = predefined(basic);
    std::vector<std::byte> packed(external_size(*type));
    pack_external(ConstBuffer(&value, 1, *type), packed.data());
    Bytes bytes;
    for (const std::byte b : packed)
        bytes.push_back(std::to_integer<unsigned>(b));
    return bytes;
}

TEST(External32, IsBigEndian) {
    EXPECT_EQ(external(Basic::c_short, short{0x0102}), (Bytes{1, 2}));
    EXPECT_EQ(external(Basic::c_int, 0x01020304), (Bytes{1, 2, 3, 4}));
    EXPECT_EQ(external(Basic::c_long, -2L), (Bytes{255, 255, 255, 255, 255, 255, 255, 254}));
    EXPECT_EQ(external(Basic::c_double, 1.0), (Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(external(Basic::c_float, -2.0F), (Bytes{0xc0, 0, 0, 0}));
    EXPECT_EQ(external(Basic::c_char, 'A'), (Bytes{65}));
}

TEST(External32, HasPairsWithoutGaps) {
    struct {
        double value = 1.0;
        int index = 7;
    } const pair;
    EXPECT_EQ(external(Basic::double_int, pair), (Bytes{0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7}));
    const float complex[] = {1.0F, -2.0F};
    EXPECT_EQ(external(Basic::c_float_complex, complex), (Bytes{0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0}));
}

TEST(External32, HasTheStandardsSizes) {
    const auto size = [](Basic basic) { return external_size(*predefined(basic)); };
    EXPECT_EQ(size(Basic::wchar), 2U);
    EXPECT_EQ(size(Basic::long_double), 16U);
    EXPECT_EQ(size(Basic::c_long_double_complex), 32U);
    EXPECT_EQ(size(Basic::long_double_int), 20U);
    EXPECT_EQ(size(Basic::c_bool), 1U);
    EXPECT_EQ(size(Basic::logical), 4U);
    EXPECT_EQ(size(Basic::lb), 0U);
    EXPECT_EQ(external_size(*vector(3, 2, 5, predefined(Basic::wchar))), 12U);
}

TEST(External32, HasLongDoublesOfSixteenBytes) {
    EXPECT_EQ(external(Basic::long_double, 1.5L),
              (Bytes{0x3f, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(external(Basic::long_double, -std::numeric_limits<long double>::infinity()),
              (Bytes{0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(External32, HasCharactersOfTwoBytes) {
    EXPECT_EQ(external(Basic::wchar, wchar_t{0x20ac}), (Bytes{0x20, 0xac}));
    try {
        external(Basic::wchar, wchar_t{0x1f600});
        FAIL() << "a character that does not fit";
    } catch (const MpiError& error) {
        EXPECT_EQ(error.error_class(), ErrorClass::conversion);
    }
}

/// What the standard makes of one entry of a type map, calculated from the bits.
void append_external(const Naive::Entry& entry, const std::byte* at, std::vector<std::byte>& out) {
    const auto reversed = [&](const std::byte* from, std::size_t size) {
        for (std::size_t i = size; i-- > 0;)
            out.push_back(from[i]);
    };
    const BasicTraits& t = traits(entry.basic);
    const bool is_long_double =
        t.name.find("LONG_DOUBLE") != std::string_view::npos && !entry.second;
    const std::size_t parts = t.family == Family::complex ? 2 : 1;
    for (std::size_t part = 0; part < parts; ++part) {
        const std::size_t size = entry.size / parts;
        const std::byte* const from = at + part * size;
        if (entry.basic == Basic::wchar) {
            reversed(from, 2);
        } else if (is_long_double && std::numeric_limits<long double>::digits == 64) {
            // Sign and exponent are the same; the mantissa's first bit is implied.
            std::uint64_t mantissa = 0;
            std::memcpy(&mantissa, from, 8);
            reversed(from + 8, 2);
            mantissa <<= 1;
            reversed(reinterpret_cast<const std::byte*>(&mantissa), 8);
            out.insert(out.end(), 6, std::byte{0});
        } else {
            reversed(from, size);
        }
    }
}

/// Something that every basic type can hold.
void put_value(const Naive::Entry& entry, RandomTypes& random, std::byte* at) {
    const BasicTraits& t = traits(entry.basic);
    for (std::size_t i = 0; i < entry.size; ++i)
        at[i] = static_cast<std::byte>(random.number(0, 255));
    if (entry.basic == Basic::wchar) std::memset(at + 2, 0, entry.size - 2);
    if (t.name.find("LONG_DOUBLE") == std::string_view::npos || entry.second) return;
    const std::size_t parts = t.family == Family::complex ? 2 : 1;
    std::memset(at, 0, entry.size);
    for (std::size_t part = 0; part < parts; ++part) {
        const long double value = static_cast<long double>(random.number(-1000000, 1000000)) / 7;
        std::memcpy(at + part * sizeof value, &value,
                    std::numeric_limits<long double>::digits == 64 ? 10 : sizeof value);
    }
}

TEST(External32, IsWhatTheTypeMapSays) {
    std::size_t tried = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) {
        RandomTypes random(seed);
        const Twin twin = random.make(1 + static_cast<int>(seed % 5));
        SCOPED_TRACE(twin.made);
        const std::size_t count = random.count(0, 3);
        auto places = twin.naive.stream(count);
        std::ranges::sort(places);
        if (places.empty() || std::ranges::adjacent_find(places) != places.end()) continue;
        ++tried;
        std::vector<std::byte> memory(static_cast<std::size_t>(places.back() - places[0] + 1));
        std::vector<std::byte> expected;
        for (std::size_t element = 0; element < count; ++element)
            for (const Naive::Entry& entry : twin.naive.map()) {
                std::byte* const at = memory.data() + (signed_of(element) * twin.naive.extent() +
                                                       entry.at - places[0]);
                put_value(entry, random, at);
                append_external(entry, at, expected);
            }
        void* const address =
            reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(memory.data()) -
                                    static_cast<std::uintptr_t>(places[0]));
        ASSERT_EQ(count * external_size(*twin.type), expected.size());
        std::vector<std::byte> packed(expected.size());
        pack_external(ConstBuffer(address, count, *twin.type), packed.data());
        EXPECT_TRUE(packed == expected);

        std::vector<std::byte> back(memory.size());
        void* const other = reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(back.data()) -
                                                    static_cast<std::uintptr_t>(places[0]));
        unpack_external(packed.data(), Buffer{other, count, twin.type.get()});
        for (const std::ptrdiff_t place : places)
            ASSERT_EQ(back[static_cast<std::size_t>(place - places[0])],
                      memory[static_cast<std::size_t>(place - places[0])]);
        if (HasFailure()) break;
    }
    EXPECT_GT(tried, 500U);
}

// More than is kept at a time, in numbers that do not divide it.
TEST(External32, StreamsWhatIsLong) {
    const TypeRef type =
        create_struct(std::vector<std::size_t>{1, 3}, std::vector<std::ptrdiff_t>{0, 8},
                      std::vector<TypeRef>{predefined(Basic::c_double), predefined(Basic::c_char)});
    constexpr std::size_t count = 1000;
    std::vector<std::byte> memory(count * static_cast<std::size_t>(type->extent()));
    RandomTypes random(1);
    for (std::byte& b : memory)
        b = static_cast<std::byte>(random.number(0, 255));
    std::vector<std::byte> packed(count * 11);
    pack_external(ConstBuffer(memory.data(), count, *type), packed.data());
    for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(packed[i * 11], memory[i * 16 + 7]) << i;
    std::vector<std::byte> back(memory.size());
    unpack_external(packed.data(), Buffer{back.data(), count, type.get()});
    for (std::size_t i = 0; i < memory.size(); ++i)
        ASSERT_EQ(back[i], i % 16 < 11 ? memory[i] : std::byte{0}) << i;
}

}  // namespace
}  // namespace railyard::mpi
