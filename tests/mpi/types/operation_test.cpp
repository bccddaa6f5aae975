// Operations on all basic types, against what one would write down for each.

#include "mpi/types/operation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "mpi/types/constructors.hpp"
#include "mpi/types/error.hpp"

namespace railyard::mpi {
namespace {

using Kind = Operation::Kind;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Calls `visit` with each basic type that can be calculated with, and one of it in C++.
template <class Visit>
void each_integer(Visit visit) {
    visit(Basic::c_char, char());
    visit(Basic::character, char());
    visit(Basic::signed_char, static_cast<signed char>(0));
    visit(Basic::unsigned_char, static_cast<unsigned char>(0));
    visit(Basic::c_short, short());
    visit(Basic::unsigned_short, static_cast<unsigned short>(0));
    visit(Basic::c_int, int());
    visit(Basic::unsigned_int, 0U);
    visit(Basic::c_long, 0L);
    visit(Basic::unsigned_long, 0UL);
    visit(Basic::long_long, 0LL);
    visit(Basic::unsigned_long_long, 0ULL);
    visit(Basic::int8, std::int8_t());
    visit(Basic::int16, std::int16_t());
    visit(Basic::int32, std::int32_t());
    visit(Basic::int64, std::int64_t());
    visit(Basic::uint8, std::uint8_t());
    visit(Basic::uint16, std::uint16_t());
    visit(Basic::uint32, std::uint32_t());
    visit(Basic::uint64, std::uint64_t());
    visit(Basic::aint, std::ptrdiff_t());
    visit(Basic::offset, std::int64_t());
    visit(Basic::count, std::int64_t());
    visit(Basic::integer, std::int32_t());
    visit(Basic::integer1, std::int8_t());
    visit(Basic::integer2, std::int16_t());
    visit(Basic::integer4, std::int32_t());
    visit(Basic::integer8, std::int64_t());
}

template <class Visit>
void each_floating(Visit visit) {
    visit(Basic::c_float, float());
    visit(Basic::c_double, double());
    visit(Basic::long_double, 0.0L);
    visit(Basic::real, float());
    visit(Basic::double_precision, double());
    visit(Basic::real4, float());
    visit(Basic::real8, double());
    if (std::numeric_limits<long double>::digits == 113) visit(Basic::real16, 0.0L);
}

template <class Visit>
void each_complex(Visit visit) {
    visit(Basic::c_float_complex, std::complex<float>());
    visit(Basic::c_double_complex, std::complex<double>());
    visit(Basic::c_long_double_complex, std::complex<long double>());
    visit(Basic::complex, std::complex<float>());
    visit(Basic::double_complex, std::complex<double>());
    visit(Basic::complex8, std::complex<float>());
    visit(Basic::complex16, std::complex<double>());
    visit(Basic::cxx_float_complex, std::complex<float>());
    visit(Basic::cxx_double_complex, std::complex<double>());
    visit(Basic::cxx_long_double_complex, std::complex<long double>());
    if (std::numeric_limits<long double>::digits == 113)
        visit(Basic::complex32, std::complex<long double>());
}

template <class Visit>
void each_logical(Visit visit) {
    visit(Basic::c_bool, std::uint8_t());
    visit(Basic::cxx_bool, std::uint8_t());
    visit(Basic::logical, std::int32_t());
}

constexpr std::size_t numbers = 37;

/// Bytes that begin at any alignment one likes.
template <class T>
class Unaligned {
  public:
    Unaligned(const std::vector<T>& values, std::size_t by) : by_(by) {
        bytes_.resize(by + values.size() * sizeof(T) + 16);
        std::memcpy(data(), values.data(), values.size() * sizeof(T));
    }
    std::byte* data() { return bytes_.data() + by_; }
    T operator[](std::size_t i) {
        T value;
        std::memcpy(&value, data() + i * sizeof(T), sizeof(T));
        return value;
    }

  private:
    std::size_t by_;
    std::vector<std::byte> bytes_;
};

/// Applies an operation to `values`, at several alignments, and compares with `expected(a, b)`.
template <class T, class Expected>
void expect_each(Kind kind, Basic basic, const std::vector<T>& as, const std::vector<T>& bs,
                 Expected expected) {
    const Operation& operation = *predefined(kind);
    const Datatype& type = *predefined(basic);
    SCOPED_TRACE(testing::Message() << operation.name() << " of " << type.name());
    EXPECT_TRUE(operation.allows(type));
    for (const std::size_t by : {0, 1, 2, 4, 5}) {
        Unaligned<T> in(as, by);
        Unaligned<T> inout(bs, (by * 3) % 7);
        operation.apply(in.data(), inout.data(), as.size(), type);
        for (std::size_t i = 0; i < as.size(); ++i) {
            EXPECT_EQ(inout[i], expected(as[i], bs[i])) << i;
            EXPECT_EQ(in[i], as[i]);
        }
    }
}

template <class T>
std::vector<T> random_integers(std::mt19937_64& random) {
    std::vector<T> values(numbers);
    for (T& value : values)
        value = random() % 5 == 0 ? T(0) : static_cast<T>(random());
    return values;
}

template <class T>
std::vector<T> random_reals(std::mt19937_64& random) {
    std::vector<T> values(numbers);
    for (T& value : values)
        value = static_cast<T>(static_cast<std::int64_t>(random() % 2001) - 1000) / T(8);
    return values;
}

/// As wide as any, and it wraps round.
template <class T>
unsigned long long wide(T value) {
    return static_cast<unsigned long long>(value);
}

TEST(Operation, CalculatesWithIntegers) {
    std::mt19937_64 random(1);
    each_integer([&]<class T>(Basic basic, T) {
        const auto as = random_integers<T>(random);
        const auto bs = random_integers<T>(random);
        const auto is = [&](Kind kind, auto f) { expect_each(kind, basic, as, bs, f); };
        is(Kind::max, [](T a, T b) { return std::max(a, b); });
        is(Kind::min, [](T a, T b) { return std::min(a, b); });
        is(Kind::sum, [](T a, T b) { return static_cast<T>(wide(a) + wide(b)); });
        is(Kind::prod, [](T a, T b) { return static_cast<T>(wide(a) * wide(b)); });
        is(Kind::land, [](T a, T b) { return static_cast<T>(a && b); });
        is(Kind::lor, [](T a, T b) { return static_cast<T>(a || b); });
        is(Kind::lxor, [](T a, T b) { return static_cast<T>(!a != !b); });
        is(Kind::band, [](T a, T b) { return static_cast<T>(a & b); });
        is(Kind::bor, [](T a, T b) { return static_cast<T>(a | b); });
        is(Kind::bxor, [](T a, T b) { return static_cast<T>(a ^ b); });
    });
}

TEST(Operation, CalculatesWithFloatingPointNumbers) {
    std::mt19937_64 random(2);
    each_floating([&]<class T>(Basic basic, T) {
        const auto as = random_reals<T>(random);
        const auto bs = random_reals<T>(random);
        const auto is = [&](Kind kind, auto f) { expect_each(kind, basic, as, bs, f); };
        is(Kind::max, [](T a, T b) { return std::max(a, b); });
        is(Kind::min, [](T a, T b) { return std::min(a, b); });
        is(Kind::sum, [](T a, T b) { return a + b; });
        is(Kind::prod, [](T a, T b) { return a * b; });
    });
}

TEST(Operation, CalculatesWithComplexNumbers) {
    std::mt19937_64 random(3);
    each_complex([&]<class T>(Basic basic, T) {
        using Part = typename T::value_type;
        std::vector<T> as(numbers);
        std::vector<T> bs(numbers);
        for (auto* values : {&as, &bs}) {
            const auto reals = random_reals<Part>(random);
            const auto imaginaries = random_reals<Part>(random);
            for (std::size_t i = 0; i < numbers; ++i)
                (*values)[i] = {reals[i], imaginaries[i]};
        }
        expect_each(Kind::sum, basic, as, bs, [](T a, T b) { return a + b; });
        expect_each(Kind::prod, basic, as, bs, [](T a, T b) { return a * b; });
    });
}

TEST(Operation, CalculatesWithLogicalsAndBytes) {
    std::mt19937_64 random(4);
    each_logical([&]<class T>(Basic basic, T) {
        auto as = random_integers<T>(random);
        auto bs = random_integers<T>(random);
        if (sizeof(T) == 1)
            for (auto* values : {&as, &bs})
                for (T& value : *values)
                    value = value != 0 && value % 2 == 0;
        const auto is = [&](Kind kind, auto f) { expect_each(kind, basic, as, bs, f); };
        is(Kind::land, [](T a, T b) { return static_cast<T>(a && b); });
        is(Kind::lor, [](T a, T b) { return static_cast<T>(a || b); });
        is(Kind::lxor, [](T a, T b) { return static_cast<T>(!a != !b); });
    });
    using Byte = std::uint8_t;
    const auto as = random_integers<Byte>(random);
    const auto bs = random_integers<Byte>(random);
    const auto is = [&](Kind kind, auto f) { expect_each(kind, Basic::byte, as, bs, f); };
    is(Kind::band, [](Byte a, Byte b) { return static_cast<Byte>(a & b); });
    is(Kind::bor, [](Byte a, Byte b) { return static_cast<Byte>(a | b); });
    is(Kind::bxor, [](Byte a, Byte b) { return static_cast<Byte>(a ^ b); });
}

template <class Value, class Index>
struct Pair {
    Value value;
    Index index;
    bool operator==(const Pair&) const = default;
    friend void PrintTo(const Pair& p, std::ostream* out) { *out << p.value << "@" << p.index; }
};

template <class Value, class Index>
void expect_locations(Basic basic) {
    using P = Pair<Value, Index>;
    std::mt19937_64 random(5);
    std::vector<P> as(numbers);
    std::vector<P> bs(numbers);
    for (auto* values : {&as, &bs})
        for (P& pair : *values)
            pair = {static_cast<Value>(static_cast<int>(random() % 5) - 2),
                    static_cast<Index>(random() % 7)};
    const auto tie = [](P a, P b) { return P{a.value, std::min(a.index, b.index)}; };
    expect_each(Kind::minloc, basic, as, bs, [&](P a, P b) {
        return a.value == b.value ? tie(a, b) : a.value < b.value ? a : b;
    });
    expect_each(Kind::maxloc, basic, as, bs, [&](P a, P b) {
        return a.value == b.value ? tie(a, b) : a.value > b.value ? a : b;
    });
}

TEST(Operation, FindsWhereTheExtremesAre) {
    expect_locations<float, int>(Basic::float_int);
    expect_locations<double, int>(Basic::double_int);
    expect_locations<long, int>(Basic::long_int);
    expect_locations<short, int>(Basic::short_int);
    expect_locations<int, int>(Basic::two_int);
    expect_locations<long double, int>(Basic::long_double_int);
    expect_locations<std::int32_t, std::int32_t>(Basic::two_integer);
    expect_locations<float, float>(Basic::two_real);
    expect_locations<double, double>(Basic::two_double_precision);
}

TEST(Operation, IsDefinedForTheFamiliesThatMpiNames) {
    std::vector<std::size_t> allowed(static_cast<std::size_t>(Kind::replace));
    for (std::size_t k = 0; k < allowed.size(); ++k)
        for (std::size_t b = 1; b < basic_kinds; ++b)
            allowed[k] +=
                predefined(static_cast<Kind>(k))->allows(*predefined(static_cast<Basic>(b)));
    constexpr std::size_t integers = 28, floating = 8, complex = 11, logical = 3, pairs = 9;
    EXPECT_EQ(allowed, (std::vector<std::size_t>{integers + floating, integers + floating,
                                                 integers + floating + complex,
                                                 integers + floating + complex, integers + logical,
                                                 integers + 1, integers + logical, integers + 1,
                                                 integers + logical, integers + 1, pairs, pairs}));
}

std::string refusal(Kind kind, const TypeRef& type) {
    std::byte a[64] = {};
    std::byte b[64] = {};
    EXPECT_FALSE(predefined(kind)->allows(*type));
    EXPECT_THROW(predefined(kind)->apply(a, b, 1, *type), MpiError);
    try {
        predefined(kind)->check(*type);
    } catch (const MpiError& error) {
        EXPECT_EQ(error.error_class(), ErrorClass::op);
        return error.what();
    }
    return "it was not refused";
}

TEST(Operation, SaysWhatItIsNotDefinedFor) {
    EXPECT_EQ(refusal(Kind::band, predefined(Basic::c_double)),
              "MPI_BAND is not defined for MPI_DOUBLE; it takes integers and MPI_BYTE");
    EXPECT_THAT(refusal(Kind::max, predefined(Basic::double_complex)), HasSubstr("MPI_MAX"));
    EXPECT_THAT(refusal(Kind::minloc, predefined(Basic::c_int)), HasSubstr("MPI_DOUBLE_INT"));
    EXPECT_THAT(refusal(Kind::sum, predefined(Basic::packed)), HasSubstr("MPI_PACKED"));
    EXPECT_THAT(refusal(Kind::sum, contiguous(2, predefined(Basic::c_int))),
                AllOf(HasSubstr("derived"), HasSubstr("MPI_Op_create")));
}

TEST(Operation, ReplaceCopiesElementsOfAnyTypeAndNothingBetween) {
    const TypeRef gaps = vector(700, 1, 2, predefined(Basic::c_double));
    std::vector<double> in(1400, 1.0);
    std::vector<double> inout(1400, 2.0);
    predefined(Kind::replace)->apply(in.data(), inout.data(), 1, *gaps);
    for (std::size_t i = 0; i < inout.size(); ++i)
        EXPECT_EQ(inout[i], i % 2 == 0 ? 1.0 : 2.0);

    predefined(Kind::no_op)->apply(in.data(), inout.data(), 1, *gaps);
    EXPECT_EQ(inout[1], 2.0);
}

TEST(Operation, NamesAndOrderAreMpis) {
    EXPECT_EQ(predefined(Kind::max)->name(), "MPI_MAX");
    EXPECT_EQ(predefined(Kind::bxor)->name(), "MPI_BXOR");
    EXPECT_EQ(predefined(Kind::maxloc)->name(), "MPI_MAXLOC");
    EXPECT_EQ(predefined(Kind::no_op)->name(), "MPI_NO_OP");
    EXPECT_TRUE(predefined(Kind::sum)->is_commutative());
    EXPECT_FALSE(predefined(Kind::replace)->is_commutative());
    EXPECT_FALSE(predefined(Kind::no_op)->is_commutative());
}

TEST(Operation, AUsersFunctionGetsWhatItIsGiven) {
    const TypeRef type = contiguous(2, predefined(Basic::c_int));
    const Operation minus(
        [&](const void* in, void* inout, std::size_t count, const Datatype& of) {
            EXPECT_EQ(&of, type.get());
            for (std::size_t i = 0; i < 2 * count; ++i)
                static_cast<int*>(inout)[i] =
                    static_cast<const int*>(in)[i] - static_cast<int*>(inout)[i];
        },
        false);
    EXPECT_FALSE(minus.is_commutative());
    EXPECT_FALSE(minus.is_predefined());
    EXPECT_EQ(minus.name(), "");
    EXPECT_TRUE(minus.allows(*type));
    const int in[] = {10, 20, 30, 40};
    int inout[] = {1, 2, 3, 4};
    minus.apply(in, inout, 2, *type);
    EXPECT_EQ(inout[0], 9);
    EXPECT_EQ(inout[3], 36);
}

TEST(Operation, MayCombineABufferWithItself) {
    std::vector<int> values(100);
    for (int i = 0; i < 100; ++i)
        values[static_cast<std::size_t>(i)] = i;
    predefined(Kind::sum)->apply(values.data(), values.data(), 100, *predefined(Basic::c_int));
    for (int i = 0; i < 100; ++i)
        EXPECT_EQ(values[static_cast<std::size_t>(i)], 2 * i);
}

}  // namespace
}  // namespace railyard::mpi
