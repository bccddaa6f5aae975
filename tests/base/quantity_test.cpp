#include "base/quantity.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard {
namespace {

using namespace literals;

constexpr std::uint64_t max_u64 = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t max_i64 = std::numeric_limits<std::int64_t>::max();

/// The message of the UsageError that `call` throws; anything else that it throws fails the test.
template <class Call>
std::string complaint(Call call) {
    try {
        call();
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no complaint";
}

std::string duration_complaint(std::string_view text) {
    return complaint([&] { parse_duration(text); });
}
std::string bytes_complaint(std::string_view text) {
    return complaint([&] { parse_bytes(text); });
}
std::string rate_complaint(std::string_view text) {
    return complaint([&] { parse_rate(text); });
}
std::string sizes_complaint(std::string_view text) {
    return complaint([&] { parse_sizes(text); });
}

std::vector<std::uint64_t> sizes(std::string_view text) {
    std::vector<std::uint64_t> counts;
    for (const Bytes b : parse_sizes(text))
        counts.push_back(b.count());
    return counts;
}

/// Numbers of every magnitude, with the neighbours of the powers of two and of ten among them.
std::vector<std::uint64_t> many_values() {
    std::vector<std::uint64_t> values{0, max_u64, max_u64 - 1};
    for (int shift = 0; shift < 64; ++shift)
        for (const std::uint64_t off : {-1, 0, 1})
            values.push_back((1ull << shift) + off);
    for (std::uint64_t power = 1; power < max_u64 / 10; power *= 10)
        for (const std::uint64_t n : {power - 1, power, power + 1, 5 * power, 9 * power})
            values.push_back(n);
    std::mt19937_64 random(7);
    for (int i = 0; i < 20'000; ++i)
        values.push_back(random() >> (random() % 64));
    return values;
}

TEST(ParseDuration, WhatPeopleWrite) {
    EXPECT_EQ(parse_duration("35 ns"), 35_ns);
    EXPECT_EQ(parse_duration("35ns"), 35_ns);
    EXPECT_EQ(parse_duration("  35  ns "), 35_ns);
    EXPECT_EQ(parse_duration("1.5 us"), 1500_ns);
    EXPECT_EQ(parse_duration("1.50 us"), 1500_ns);
    EXPECT_EQ(parse_duration("007 us"), 7_us);
    EXPECT_EQ(parse_duration("2 \u00b5s"), 2_us);
    EXPECT_EQ(parse_duration("2\u03bcs"), 2_us);
    EXPECT_EQ(parse_duration("3 ms"), 3_ms);
    EXPECT_EQ(parse_duration("4 s"), 4_s);
    EXPECT_EQ(parse_duration("5 ps"), 5_ps);
    EXPECT_EQ(parse_duration("0 s"), Duration());
    EXPECT_EQ(parse_duration("forever"), Duration::forever());
}

TEST(ParseDuration, RoundsToTheNearestPicosecond) {
    EXPECT_EQ(parse_duration("0.0004 ns"), 0_ps);
    EXPECT_EQ(parse_duration("0.0005 ns"), 1_ps);
    EXPECT_EQ(parse_duration("1.49 ps"), 1_ps);
    EXPECT_EQ(parse_duration("0.333333333333333333 s"), Duration::ps(333'333'333'333));
}

TEST(ParseDuration, TheLongest) {
    EXPECT_EQ(parse_duration("9223372036854775806 ps"), Duration::ps(max_i64 - 1));
    EXPECT_EQ(parse_duration("9223372.036854775806 s"), Duration::ps(max_i64 - 1));
    for (const char* text : {"9223372036854775807 ps", "9223372036854775808 ps", "9223373 s",
                             "18446744073709551616 ps", "99999999999999999999999999 s"})
        EXPECT_EQ(duration_complaint(text),
                  std::string("expected a time such as '35 ns', found '") + text + "' (too large)");
}

TEST(ParseDuration, SaysWhatIsWrong) {
    EXPECT_EQ(duration_complaint("35"), "expected a time such as '35 ns', found '35'");
    EXPECT_EQ(duration_complaint(""), "expected a time such as '35 ns', found ''");
    EXPECT_EQ(duration_complaint("soon"), "expected a time such as '35 ns', found 'soon'");
    EXPECT_EQ(duration_complaint("-3 ns"),
              "expected a time such as '35 ns', found '-3 ns' (it cannot be negative)");
    EXPECT_EQ(
        duration_complaint("3 parsecs"),
        "expected a time such as '35 ns', found '3 parsecs' (units are ps, ns, us, ms and s)");
    for (const char* text :
         {"3 NS", "ns", "3 n s", "3..5 ns", ".5 ns", "5. ns", "1e3 ns", "0x10 ns", "1,5 ns",
          "3 ns x", "+3 ns", "- 3 ns", "inf s", "nan s", "Forever", "0.1234567890123456789 s"})
        EXPECT_THROW(parse_duration(text), UsageError) << text;
}

TEST(ParseBytes, WhatPeopleWrite) {
    EXPECT_EQ(parse_bytes("4096"), 4096_B);
    EXPECT_EQ(parse_bytes("0"), 0_B);
    EXPECT_EQ(parse_bytes("64 B"), 64_B);
    EXPECT_EQ(parse_bytes("8 KiB"), 8_KiB);
    EXPECT_EQ(parse_bytes("8K"), 8_KiB);
    EXPECT_EQ(parse_bytes("8 k"), 8_KiB);
    EXPECT_EQ(parse_bytes("4M"), 4_MiB);
    EXPECT_EQ(parse_bytes("4MiB"), 4_MiB);
    EXPECT_EQ(parse_bytes("2G"), 2_GiB);
    EXPECT_EQ(parse_bytes("2 GiB"), 2_GiB);
    EXPECT_EQ(parse_bytes("1T"), 1024_GiB);
    EXPECT_EQ(parse_bytes("1 TiB"), 1024_GiB);
    EXPECT_EQ(parse_bytes("8 kB"), 8000_B);
    EXPECT_EQ(parse_bytes("8 KB"), 8000_B);
    EXPECT_EQ(parse_bytes("8 MB"), 8'000'000_B);
    EXPECT_EQ(parse_bytes("8 GB"), 8'000'000'000_B);
    EXPECT_EQ(parse_bytes("1.5K"), 1536_B);
    EXPECT_EQ(parse_bytes("0.5 KiB"), 512_B);
    EXPECT_EQ(parse_bytes("3.0"), 3_B);
    EXPECT_EQ(parse_bytes("0.001 kB"), 1_B);
}

TEST(ParseBytes, TheMost) {
    EXPECT_EQ(parse_bytes("18446744073709551615"), Bytes(max_u64));
    EXPECT_EQ(parse_bytes("16777215 TiB").count(), 16777215ull << 40);
    EXPECT_EQ(bytes_complaint("18446744073709551616"),
              "expected a size such as '100', '8K' or '4 MiB', found '18446744073709551616' "
              "(too large)");
    EXPECT_THROW(parse_bytes("16777216 TiB"), UsageError);
    EXPECT_THROW(parse_bytes("18446744073709551615 TiB"), UsageError);
    EXPECT_THROW(parse_bytes("18014398509481984K"), UsageError);
}

TEST(ParseBytes, SaysWhatIsWrong) {
    EXPECT_EQ(bytes_complaint("1.5"),
              "expected a size such as '100', '8K' or '4 MiB', found '1.5' "
              "(it must be a whole number of bytes)");
    EXPECT_EQ(bytes_complaint("-1"),
              "expected a size such as '100', '8K' or '4 MiB', found '-1' "
              "(it cannot be negative)");
    EXPECT_EQ(bytes_complaint("8 Q"),
              "expected a size such as '100', '8K' or '4 MiB', found '8 Q' "
              "(units are B, K, M, G, T; KiB, MiB, GiB, TiB; kB, MB, GB, TB)");
    EXPECT_EQ(bytes_complaint("big"),
              "expected a size such as '100', '8K' or '4 MiB', found 'big'");
    for (const char* text : {"", " ", "-", "K", "8 Kb", "8 kib", "1.0001K", "8K8", "1 2", "8 KiB/s",
                             "1e3", "0x8", "8,0", ".5K", "5.K"})
        EXPECT_THROW(parse_bytes(text), UsageError) << text;
}

TEST(ParseRate, WhatPeopleWrite) {
    EXPECT_EQ(parse_rate("400 MB/s"), 400_MBps);
    EXPECT_EQ(parse_rate("400MB/s"), 400_MBps);
    EXPECT_EQ(parse_rate("400 MBps"), 400_MBps);
    EXPECT_EQ(parse_rate("1 GB/s"), 1_GBps);
    EXPECT_EQ(parse_rate("1.25 GiB/s").bytes_per_second(), 5ull << 28);
    EXPECT_EQ(parse_rate("10 Gbit/s"), 1250_MBps);
    EXPECT_EQ(parse_rate("10 Gbps"), 1250_MBps);
    EXPECT_EQ(parse_rate("8 Gb/s"), 1_GBps);
    EXPECT_EQ(parse_rate("2000 Mbit/s"), 250_MBps);
    EXPECT_EQ(parse_rate("1.6 Tbit/s"), 200_GBps);
    EXPECT_EQ(parse_rate("56 kbit/s"), Rate::bytes_per_second(7000));
    EXPECT_EQ(parse_rate("3 B/s"), Rate::bytes_per_second(3));
    EXPECT_EQ(parse_rate("3 kB/s"), parse_rate("3 KB/s"));
    EXPECT_EQ(parse_rate("2 KiB/s"), Rate::bytes_per_second(2048));
    EXPECT_EQ(parse_rate("0.5 B/s"), Rate::bytes_per_second(1));
    EXPECT_EQ(parse_rate("18446744073709551615 B/s"), Rate::fastest());
}

TEST(ParseRate, SaysWhatIsWrong) {
    EXPECT_EQ(rate_complaint("400"), "expected a rate such as '400 MB/s', found '400'");
    EXPECT_EQ(rate_complaint("fast"), "expected a rate such as '400 MB/s', found 'fast'");
    EXPECT_EQ(
        rate_complaint("400 MB"),
        "expected a rate such as '400 MB/s', found '400 MB' (units are B/s, kB/s, MB/s, GB/s, "
        "KiB/s, MiB/s, GiB/s, Mbit/s, Gbit/s)");
    EXPECT_EQ(rate_complaint("0 MB/s"),
              "expected a rate such as '400 MB/s', found '0 MB/s' (it must be at least 1 B/s)");
    EXPECT_EQ(rate_complaint("-1 MB/s"),
              "expected a rate such as '400 MB/s', found '-1 MB/s' (it cannot be negative)");
    EXPECT_EQ(rate_complaint("18446744073709551616 B/s"),
              "expected a rate such as '400 MB/s', found '18446744073709551616 B/s' (too large)");
    for (const char* text : {"", "5 ps", "5 /s", "4M/s", "4 M", "4 MB/h", "4 MB/ s", "MB/s",
                             "99999999999 TB/s", "0.4 B/s"})
        EXPECT_THROW(parse_rate(text), UsageError) << text;
}

TEST(ParseSizes, ListsAndRanges) {
    using Sizes = std::vector<std::uint64_t>;
    EXPECT_EQ(sizes("8"), (Sizes{8}));
    EXPECT_EQ(sizes("8,64,4K"), (Sizes{8, 64, 4096}));
    EXPECT_EQ(sizes(" 8 , 64 "), (Sizes{8, 64}));
    EXPECT_EQ(sizes("8..64"), (Sizes{8, 16, 32, 64}));
    EXPECT_EQ(sizes("8 .. 64"), (Sizes{8, 16, 32, 64}));
    EXPECT_EQ(sizes("8..100"), (Sizes{8, 16, 32, 64}));
    EXPECT_EQ(sizes("3..12"), (Sizes{3, 6, 12}));
    EXPECT_EQ(sizes("0..8"), (Sizes{0, 1, 2, 4, 8}));
    EXPECT_EQ(sizes("0..0"), (Sizes{0}));
    EXPECT_EQ(sizes("8..8"), (Sizes{8}));
    EXPECT_EQ(sizes("1..256*4"), (Sizes{1, 4, 16, 64, 256}));
    EXPECT_EQ(sizes("0..1K * 8"), (Sizes{0, 1, 8, 64, 512}));
    EXPECT_EQ(sizes("0,8..16,1M"), (Sizes{0, 8, 16, 1 << 20}));
    EXPECT_EQ(sizes("0..4M").size(), 24u);
    EXPECT_EQ(sizes("8..4M").back(), 4u << 20);
}

TEST(ParseSizes, RangesEndWhereNumbersDo) {
    EXPECT_EQ(sizes("1..18446744073709551615").size(), 64u);
    EXPECT_EQ(sizes("18446744073709551615..18446744073709551615").size(), 1u);
    EXPECT_EQ(sizes("1..1K*18446744073709551615").size(), 1u);
}

TEST(ParseSizes, SaysWhatIsAllowed) {
    const std::string range = "expected a range of sizes such as '8..4M' or '1..1M*4', found ";
    EXPECT_EQ(sizes_complaint(""), "expected sizes such as '8', '8,64,4K' or '8..4M', found ''");
    EXPECT_EQ(sizes_complaint("8,,9"),
              "expected sizes such as '8', '8,64,4K' or '8..4M', found '8,,9'");
    EXPECT_EQ(sizes_complaint("8,"),
              "expected sizes such as '8', '8,64,4K' or '8..4M', found '8,'");
    EXPECT_EQ(sizes_complaint("64..8"), range + "'64..8' (a range goes up)");
    EXPECT_EQ(sizes_complaint("8..64*1"), range + "'8..64*1' (the factor must be at least 2)");
    EXPECT_EQ(sizes_complaint("8..64*x"), range + "'8..64*x' (the factor must be a whole number)");
    EXPECT_EQ(sizes_complaint("8..64*2K"),
              range + "'8..64*2K' (the factor must be a whole number)");
    EXPECT_EQ(sizes_complaint("8..64*18446744073709551616"),
              range + "'8..64*18446744073709551616' (too large)");
    EXPECT_EQ(sizes_complaint("8,big"),
              "expected a size such as '100', '8K' or '4 MiB', found 'big'");
    for (const char* text : {"..", "8..", "..8", "8...64", "8..64..512", "8*2", "8-64", "-8..8",
                             "8..64*", "8..64*2*2", "1.5..8"})
        EXPECT_THROW(parse_sizes(text), UsageError) << text;
}

TEST(Complaints, StayOnOneShortLine) {
    EXPECT_EQ(bytes_complaint("a\nb\x1b[31m\x7f"),
              "expected a size such as '100', '8K' or '4 MiB', found 'a\\x0ab\\x1b[31m\\x7f'");
    EXPECT_EQ(
        bytes_complaint(std::string(1000, 'a')),
        "expected a size such as '100', '8K' or '4 MiB', found '" + std::string(60, 'a') + "...'");
    // The cut falls into a character of two bytes, which is then left out whole.
    EXPECT_EQ(
        bytes_complaint(std::string(59, 'a') + "\u00b5s"),
        "expected a size such as '100', '8K' or '4 MiB', found '" + std::string(59, 'a') + "...'");
}

TEST(Print, Durations) {
    EXPECT_EQ(to_string(1500_ns), "1.5 us");
    EXPECT_EQ(to_string(35_ns), "35 ns");
    EXPECT_EQ(to_string(999_ps), "999 ps");
    EXPECT_EQ(to_string(1_ns), "1 ns");
    EXPECT_EQ(to_string(1_ms), "1 ms");
    EXPECT_EQ(to_string(90_s), "90 s");
    EXPECT_EQ(to_string(1'000'001_ps), "1.000001 us");
    EXPECT_EQ(to_string(1234567_ps), "1.234567 us");
    EXPECT_EQ(to_string(1_s + 1_ps), "1.000000000001 s");
    EXPECT_EQ(to_string(Duration()), "0 s");
    EXPECT_EQ(to_string(Duration::ns(-1500)), "-1.5 us");
    EXPECT_EQ(to_string(Duration::forever()), "forever");
    EXPECT_EQ(to_string(Duration::ps(std::numeric_limits<std::int64_t>::min())),
              "-9223372.036854775808 s");
}

TEST(Print, Sizes) {
    EXPECT_EQ(to_string(8_KiB), "8 KiB");
    EXPECT_EQ(to_string(4097_B), "4097 B");
    EXPECT_EQ(to_string(0_B), "0 B");
    EXPECT_EQ(to_string(1023_B), "1023 B");
    EXPECT_EQ(to_string(1536_KiB), "1536 KiB");
    EXPECT_EQ(to_string(1_GiB), "1 GiB");
    EXPECT_EQ(to_string(2048_GiB), "2 TiB");
    EXPECT_EQ(short_size(8_KiB), "8K");
    EXPECT_EQ(short_size(4_MiB), "4M");
    EXPECT_EQ(short_size(100_B), "100");
    EXPECT_EQ(short_size(0_B), "0");
    EXPECT_EQ(short_size(1_GiB), "1G");
}

TEST(Print, Rates) {
    EXPECT_EQ(to_string(400_MBps), "400 MB/s");
    EXPECT_EQ(to_string(1250_MBps), "1.25 GB/s");
    EXPECT_EQ(to_string(Rate::bytes_per_second(999)), "999 B/s");
    EXPECT_EQ(to_string(Rate::bytes_per_second(1001)), "1.001 kB/s");
    EXPECT_EQ(to_string(Rate()), "0 B/s");
    EXPECT_EQ(to_string(Rate::fastest()), "18446744073.709551615 GB/s");
}

TEST(RoundTrip, EveryKindOverManyValues) {
    for (const std::uint64_t value : many_values()) {
        const auto ps = static_cast<std::int64_t>(value & static_cast<std::uint64_t>(max_i64));
        ASSERT_EQ(parse_duration(to_string(Duration::ps(ps))), Duration::ps(ps)) << ps;
        ASSERT_EQ(parse_bytes(to_string(Bytes(value))), Bytes(value)) << value;
        ASSERT_EQ(parse_bytes(short_size(Bytes(value))), Bytes(value)) << value;
        if (value == 0) continue;
        const Rate rate = Rate::bytes_per_second(value);
        ASSERT_EQ(parse_rate(to_string(rate)), rate) << value;
    }
}

/// Text that looks enough like quantities to reach every corner of the parsers.
std::string random_text(std::mt19937& random) {
    static const std::vector<std::string> pieces{"0",
                                                 "1",
                                                 "8",
                                                 "9",
                                                 "64",
                                                 "999999999999",
                                                 "18446744073709551615",
                                                 ".",
                                                 "..",
                                                 ",",
                                                 "*",
                                                 "-",
                                                 " ",
                                                 "K",
                                                 "M",
                                                 "GiB",
                                                 "B",
                                                 "s",
                                                 "/s",
                                                 "ps",
                                                 "us",
                                                 "\xc2",
                                                 "\xb5",
                                                 "Mbit",
                                                 "forever",
                                                 "\t",
                                                 "e",
                                                 "+",
                                                 "TiB",
                                                 "MB/s"};
    std::string text;
    for (std::size_t n = random() % 8; n > 0; --n) {
        if (random() % 8 == 0)
            text += static_cast<char>(random() % 256);
        else
            text += pieces[random() % pieces.size()];
    }
    return text;
}

template <class Parse>
bool accepts(Parse parse, const std::string& text) {
    try {
        parse(text);
        return true;
    } catch (const UsageError&) {
        return false;
    }
}

TEST(RandomText, IsTakenOrRefusedWithAUsageError) {
    std::mt19937 random(11);
    int taken = 0;
    for (int i = 0; i < 10'000; ++i) {
        const std::string text = random_text(random);
        SCOPED_TRACE(text);
        ASSERT_NO_THROW({
            taken += accepts([](const std::string& t) { parse_duration(t); }, text);
            taken += accepts([](const std::string& t) { parse_bytes(t); }, text);
            taken += accepts([](const std::string& t) { parse_rate(t); }, text);
            taken += accepts([](const std::string& t) { parse_sizes(t); }, text);
        });
    }
    EXPECT_GT(taken, 200);  // else the text is too wild to test anything behind the first check
}

}  // namespace
}  // namespace railyard
