/// Packing of derived datatypes and reductions, beside the loops that one would write by hand.

#include <cstring>
#include <vector>

#include "base/clock.hpp"
#include "bench/suite.hpp"
#include "mpi/types/constructors.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::bench {

namespace {

constexpr std::size_t vector_length = 8192;
constexpr unsigned repeats = 2000;

/// Nanoseconds an element.
template <class Work>
double time_of(Work work) {
    const double start = thread_clock::now().seconds();
    for (unsigned i = 0; i < repeats; ++i)
        work();
    return (thread_clock::now().seconds() - start) / repeats / vector_length * 1e9;
}

// The loops stand alone, so that the compiler knows no more of them than of the library's.

[[gnu::noinline]] void pack_by_hand(const double* from, double* to) {
    for (std::size_t i = 0; i < vector_length; ++i)
        to[i] = from[2 * i];
}

[[gnu::noinline]] void unpack_by_hand(const double* from, double* to) {
    for (std::size_t i = 0; i < vector_length; ++i)
        to[2 * i] = from[i];
}

[[gnu::noinline]] void sum_by_hand(const double* in, double* inout) {
    for (std::size_t i = 0; i < vector_length; ++i)
        inout[i] += in[i];
}

struct Record {
    int number;
    double value;
    char letter;
};
constexpr std::size_t packed_record = sizeof(int) + sizeof(double) + sizeof(char);

[[gnu::noinline]] void pack_records_by_hand(const Record* from, std::byte* to) {
    for (std::size_t i = 0; i < vector_length; ++i, to += packed_record) {
        std::memcpy(to, &from[i].number, sizeof(int));
        std::memcpy(to + sizeof(int), &from[i].value, sizeof(double));
        std::memcpy(to + sizeof(int) + sizeof(double), &from[i].letter, sizeof(char));
    }
}

mpi::TypeRef record_type() {
    using mpi::Basic;
    using mpi::predefined;
    const std::vector<mpi::TypeRef> types{predefined(Basic::c_int), predefined(Basic::c_double),
                                          predefined(Basic::c_char)};
    const std::vector<std::ptrdiff_t> places{offsetof(Record, number), offsetof(Record, value),
                                             offsetof(Record, letter)};
    return mpi::create_struct(std::vector<std::size_t>{1, 1, 1}, places, types);
}

}  // namespace

void datatypes(const Settings& settings, const Report& report) {
    const auto figure = [&](const char* name, const char* note, auto ours, auto by_hand,
                            std::optional<Target> target) {
        const Score score = duel(
            settings.rounds, [&] { return time_of(ours); }, [&] { return time_of(by_hand); });
        report({.name = name,
                .unit = "ns",
                .ours = score.ours,
                .reference = score.reference,
                .ratio = score.ratio,
                .target = target,
                .note = note});
    };
    const Target as_fast{Target::Kind::at_most, 1.15};

    const mpi::TypeRef& real = mpi::predefined(mpi::Basic::c_double);
    const mpi::TypeRef every_other = mpi::vector(vector_length, 1, 2, real);
    std::vector<double> spread(2 * vector_length, 1.0);
    std::vector<double> close(vector_length, 2.0);
    const auto stream = std::as_writable_bytes(std::span(close));
    figure(
        "datatypes/pack", "every other double",
        [&] { every_other->pack(spread.data(), 1, 0, stream); },
        [&] { pack_by_hand(spread.data(), close.data()); }, as_fast);
    figure(
        "datatypes/unpack", "every other double",
        [&] { every_other->unpack(spread.data(), 1, 0, stream); },
        [&] { unpack_by_hand(close.data(), spread.data()); }, as_fast);

    const mpi::TypeRef record = record_type();
    const std::vector<Record> records(vector_length);
    std::vector<std::byte> packed(vector_length * packed_record);
    figure(
        "datatypes/records", "int, double and char",
        [&] { record->pack(records.data(), vector_length, 0, packed); },
        [&] { pack_records_by_hand(records.data(), packed.data()); }, std::nullopt);

    const mpi::Operation& sum = *mpi::predefined(mpi::Operation::Kind::sum);
    std::vector<double> total(vector_length, 0.0);
    figure(
        "datatypes/sum", "of doubles",
        [&] { sum.apply(close.data(), total.data(), vector_length, *real); },
        [&] { sum_by_hand(close.data(), total.data()); }, as_fast);
}

}  // namespace railyard::bench
