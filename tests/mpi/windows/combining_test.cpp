#include "mpi/windows/combining.hpp"

#include <gmock/gmock.h>

#include <complex>
#include <thread>

namespace railyard::mpi {
namespace {

using Kind = Operation::Kind;

template <class T>
std::byte* bytes(T& value) {
    return reinterpret_cast<std::byte*>(&value);
}

/// With and without others: the guard decides how, not what.
template <class T>
void expect_combined(Basic basic, Kind kind, T there, T in, T wanted) {
    std::uint32_t word = 0;
    for (const Guard guard : {Guard{}, Guard{&word}, Guard{&word, true}}) {
        T target = there;
        T old{};
        combine(*predefined(kind), *predefined(basic), bytes(target), 1, bytes(in), bytes(old),
                guard);
        EXPECT_EQ(target, wanted);
        EXPECT_EQ(old, there);
        combine(*predefined(kind), *predefined(basic), bytes(target = there), 1, bytes(in), nullptr,
                guard);
        EXPECT_EQ(target, wanted);
    }
    EXPECT_EQ(word, 0u) << "the guard is free again";
}

TEST(Combining, DoesWhatTheOperationSays) {
    expect_combined<std::int64_t>(Basic::int64, Kind::sum, 40, 2, 42);
    expect_combined<std::int32_t>(Basic::int32, Kind::sum, -1, -2, -3);
    expect_combined<std::uint16_t>(Basic::uint16, Kind::bxor, 0xff, 0x0f, 0xf0);
    expect_combined<std::uint8_t>(Basic::byte, Kind::bor, 1, 4, 5);
    expect_combined<std::uint32_t>(Basic::uint32, Kind::band, 6, 3, 2);
    expect_combined<std::int64_t>(Basic::int64, Kind::max, 3, 9, 9);
    expect_combined<double>(Basic::c_double, Kind::sum, 0.5, 0.25, 0.75);
    expect_combined<float>(Basic::c_float, Kind::prod, 3, 5, 15);
    expect_combined<double>(Basic::c_double, Kind::replace, 1, 2, 2);
    expect_combined<double>(Basic::c_double, Kind::no_op, 1, 2, 1);
    using Complex = std::complex<double>;
    expect_combined<Complex>(Basic::c_double_complex, Kind::sum, {1, 2}, {3, 4}, {4, 6});
    expect_combined<Complex>(Basic::c_double_complex, Kind::replace, {1, 2}, {3, 4}, {3, 4});
}

TEST(Combining, LeavesTheGapsOfPairsAlone) {
    struct Pair {
        double value;
        int place;
        int gap;
    };
    std::uint32_t guard = 0;
    Pair target[2] = {{5, 1, 77}, {5, 1, 78}};
    const Datatype& type = *predefined(Basic::double_int);
    std::vector<std::byte> in(2 * type.size());
    std::vector<std::byte> old(2 * type.size());
    const Pair mine[2] = {{4, 2, 0}, {6, 3, 0}};
    type.pack(mine, 2, 0, in);
    combine(*predefined(Kind::minloc), type, bytes(target), 2, in.data(), old.data(), {&guard});
    EXPECT_EQ(target[0].value, 4);
    EXPECT_EQ(target[0].place, 2);
    EXPECT_EQ(target[0].gap, 77);
    EXPECT_EQ(target[1].value, 5);
    EXPECT_EQ(target[1].gap, 78);
    Pair before[2] = {};
    type.unpack(before, 2, 0, old);
    EXPECT_EQ(before[0].value, 5);
    EXPECT_EQ(before[1].place, 1);
}

TEST(Combining, TakesElementsThatAreNotAligned) {
    alignas(8) std::byte memory[24] = {};
    std::uint32_t guard = 0;
    const std::int64_t in = 5;
    combine(*predefined(Kind::sum), *predefined(Basic::int64), memory + 3, 1,
            reinterpret_cast<const std::byte*>(&in), nullptr, {&guard});
    std::int64_t found = 0;
    std::memcpy(&found, memory + 3, sizeof found);
    EXPECT_EQ(found, 5);
}

TEST(Combining, SwapsWhatIsEqual) {
    std::uint32_t word = 0;
    for (const Guard guard : {Guard{}, Guard{&word}, Guard{&word, true}}) {
        std::int64_t target = 7;
        std::int64_t old = 0;
        const std::int64_t seven = 7;
        std::int64_t next = 8;
        const auto* const expected = reinterpret_cast<const std::byte*>(&seven);
        compare_swap(*predefined(Basic::int64), bytes(target), expected, bytes(next), bytes(old),
                     guard);
        EXPECT_EQ(target, 8);
        EXPECT_EQ(old, 7);
        next = 9;
        compare_swap(*predefined(Basic::int64), bytes(target), expected, bytes(next), bytes(old),
                     guard);
        EXPECT_EQ(target, 8);
        EXPECT_EQ(old, 8);
    }
}

TEST(Combining, LosesNothingBetweenThreads) {
    constexpr int times = 20'000;
    std::uint32_t guard = 0;
    alignas(16) std::int64_t whole = 0;
    alignas(16) double real = 0;
    alignas(16) std::complex<double> both;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i)
            threads.emplace_back([&] {
                std::int64_t one = 1;
                double half = 0.5;
                std::complex<double> step{1, -1};
                const Operation& sum = *predefined(Kind::sum);
                for (int n = 0; n < times; ++n) {
                    combine(sum, *predefined(Basic::int64), bytes(whole), 1, bytes(one), nullptr,
                            {&guard});
                    combine(sum, *predefined(Basic::c_double), bytes(real), 1, bytes(half), nullptr,
                            {&guard});
                    combine(sum, *predefined(Basic::c_double_complex), bytes(both), 1, bytes(step),
                            nullptr, {&guard});
                }
            });
    }
    EXPECT_EQ(whole, 3 * times);
    EXPECT_EQ(real, 1.5 * times);
    EXPECT_EQ(both, std::complex<double>(3.0 * times, -3.0 * times));
}

}  // namespace
}  // namespace railyard::mpi
