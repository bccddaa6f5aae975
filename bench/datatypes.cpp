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

[[gnu::noinline]] void unpack_records_by_hand(const std::byte* from, Record* to) {
    for (std::size_t i = 0; i < vector_length; ++i, from += packed_record) {
        std::memcpy(&to[i].number, from, sizeof(int));
        std::memcpy(&to[i].value, from + sizeof(int), sizeof(double));
        std::memcpy(&to[i].letter, from + sizeof(int) + sizeof(double), sizeof(char));
    }
}

// A cube of so many doubles a side, and the face of it that is farthest apart in memory.
constexpr std::size_t side = 64;

[[gnu::noinline]] void pack_face_by_hand(const double* from, double* to) {
    for (std::size_t i = 0; i < side; ++i)
        for (std::size_t j = 0; j < side; ++j)
            *to++ = from[(i * side + j) * side];
}

[[gnu::noinline]] void pack_indexed_by_hand(const double* from, const std::ptrdiff_t* places,
                                            double* to) {
    for (std::size_t i = 0; i < vector_length / 3; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            *to++ = from[places[i] + static_cast<std::ptrdiff_t>(j)];
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
        [&] { pack_records_by_hand(records.data(), packed.data()); }, as_fast);
    std::vector<Record> unpacked(vector_length);
    figure(
        "datatypes/unpack-records", "int, double and char",
        [&] { record->unpack(unpacked.data(), vector_length, 0, packed); },
        [&] { unpack_records_by_hand(packed.data(), unpacked.data()); }, as_fast);

    const std::vector<std::size_t> sizes(3, side);
    const std::vector<std::size_t> subsizes{side, side, 1};
    const mpi::TypeRef face =
        mpi::subarray(sizes, subsizes, std::vector<std::size_t>(3, 0), mpi::Order::c, real);
    const std::vector<double> cube(side * side * side, 1.0);
    figure(
        "datatypes/face", "of a cube of 64 doubles a side",
        [&] { face->pack(cube.data(), 1, 0, stream.first(side * side * sizeof(double))); },
        [&] { pack_face_by_hand(cube.data(), close.data()); }, as_fast);

    std::vector<std::ptrdiff_t> places;
    for (std::size_t i = 0; i < vector_length / 3; ++i)
        places.push_back(static_cast<std::ptrdiff_t>(4 * i + i % 2));
    const mpi::TypeRef triples = mpi::indexed_block(3, places, real);
    figure(
        "datatypes/indexed", "blocks of 3 doubles",
        [&] { triples->pack(spread.data(), 1, 0, stream.first(places.size() * 24)); },
        [&] { pack_indexed_by_hand(spread.data(), places.data(), close.data()); }, as_fast);

    const mpi::Operation& sum = *mpi::predefined(mpi::Operation::Kind::sum);
    std::vector<double> total(vector_length, 0.0);
    figure(
        "datatypes/sum", "of doubles",
        [&] { sum.apply(close.data(), total.data(), vector_length, *real); },
        [&] { sum_by_hand(close.data(), total.data()); }, as_fast);
}

}  // namespace railyard::bench
