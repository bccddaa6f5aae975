#include "mpi/programs/random_collectives.hpp"

#include <algorithm>
#include <numeric>

#include "mpi/programs/world.hpp"

namespace railyard::mpi::programs {

namespace {

/// The map x → a x + b; also two numbers.
struct Pair {
    std::uint64_t a;
    std::uint64_t b;
    friend bool operator==(const Pair&, const Pair&) = default;
};
struct Located {
    int value;
    int index;
    friend bool operator==(const Located&, const Located&) = default;
};

/// First x, then y.
Pair composed(const Pair& x, const Pair& y) {
    return {x.a * y.a, x.b * y.a + y.b};
}
Pair added(const Pair& x, const Pair& y) {
    return {x.a + y.a, x.b + y.b};
}
template <Pair (*combine)(const Pair&, const Pair&)>
void combine_all(void* in, void* inout, int* count, MPI_Datatype*) {
    const auto* left = static_cast<const Pair*>(in);
    auto* right = static_cast<Pair*>(inout);
    for (int i = 0; i < *count; ++i)
        right[i] = combine(left[i], right[i]);
}

/// One type and operation, and what it must do.
template <class T>
struct Arithmetic {
    MPI_Datatype type;
    MPI_Op op;
    T (*make)(std::uint64_t, int rank);
    T (*combine)(const T&, const T&);
};

template <class T>
T plus(const T& x, const T& y) {
    return x + y;
}
template <class T>
T larger(const T& x, const T& y) {
    return std::max(x, y);
}
template <class T>
T smaller(const T& x, const T& y) {
    return std::min(x, y);
}
int exclusive_or(const int& x, const int& y) {
    return x ^ y;
}
int both(const int& x, const int& y) {
    return x != 0 && y != 0;
}
Located most(const Located& x, const Located& y) {
    if (x.value != y.value) return x.value > y.value ? x : y;
    return {x.value, std::min(x.index, y.index)};
}
Located least(const Located& x, const Located& y) {
    if (x.value != y.value) return x.value < y.value ? x : y;
    return {x.value, std::min(x.index, y.index)};
}

template <class T>
T some_number(std::uint64_t word, int) {
    return static_cast<T>(word % 2001) - 1000;  // sums of doubles stay exact
}
Pair some_pair(std::uint64_t word, int) {
    return {word | 1, word >> 7};
}
Located some_place(std::uint64_t word, int rank) {
    return {static_cast<int>(word % 5), rank};
}

class Drawn {
  public:
    Drawn(MPI_Comm comm, sim::Random& random, std::uint64_t number, const Calling& call)
        : comm_(comm), number_(number), call_(call) {
        MPI_Comm_size(comm, &size_);
        MPI_Comm_rank(comm, &rank_);
        kind_ = random.below(6);
        in_place_ = random.below(3) == 0;
        root_ = static_cast<int>(random.below(1 << 16)) % size_;
        const std::uint64_t scale = random.below(4);
        count_ = random.below(scale == 0 ? 2 : scale == 1 ? 20 : scale == 2 ? 700 : 6000);
        spice_ = random();
    }

    template <class T>
    void run(const Arithmetic<T>& how) {
        switch (kind_) {
            case 0:
                return reduce(how);
            case 1:
                return allreduce(how);
            case 2:
                return scan(how);
            case 3:
                return exscan(how);
            case 4:
                return reduce_scatter_block(how);
            default:
                return reduce_scatter(how);
        }
    }

  private:
    template <class T>
    std::vector<T> contribution(const Arithmetic<T>& how, int rank, std::size_t n) const {
        sim::Random random(number_, static_cast<std::uint64_t>(rank));
        std::vector<T> values;
        for (std::size_t i = 0; i < n; ++i)
            values.push_back(how.make(random(), rank));
        return values;
    }
    /// Of the ranks before `end`.
    template <class T>
    std::vector<T> folded(const Arithmetic<T>& how, int end, std::size_t n) const {
        std::vector<T> sum = contribution(how, 0, n);
        for (int rank = 1; rank < end; ++rank) {
            const std::vector<T> next = contribution(how, rank, n);
            for (std::size_t i = 0; i < n; ++i)
                sum[i] = how.combine(sum[i], next[i]);
        }
        return sum;
    }
    template <class T>
    void expect(const std::vector<T>& got, const std::vector<T>& expected, const char* what) const {
        for (std::size_t i = 0; i < expected.size(); ++i)
            require(got[i] == expected[i], std::string(what) + ": wrong at " + std::to_string(i) +
                                               " of " + std::to_string(expected.size()));
        require(got.size() == expected.size() || got.back() == T{},
                std::string(what) + ": written beyond the end");
    }
    /// The caller's two buffers; the input stands in the output where it is done in place.
    template <class T>
    struct Buffers {
        std::vector<T> in;
        std::vector<T> out;
        const void* from;
    };
    template <class T>
    Buffers<T> buffers(const Arithmetic<T>& how, std::size_t in, std::size_t out, bool in_place) {
        Buffers<T> made{contribution(how, rank_, in), {}, nullptr};
        if (in_place) made.out = made.in;
        made.out.resize(std::max(out, made.out.size()) + 1, T{});
        made.from = in_place ? MPI_IN_PLACE : made.in.data();
        return made;
    }

    template <class T>
    void reduce(const Arithmetic<T>& how) {
        const bool is_root = rank_ == root_;
        auto b = buffers(how, count_, count_, in_place_ && is_root);
        call_(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, b.from, is_root ? b.out.data() : nullptr,
              count(), how.type, how.op, root_, comm_);
        if (is_root) expect(b.out, folded(how, size_, count_), "reduce");
    }
    template <class T>
    void allreduce(const Arithmetic<T>& how) {
        auto b = buffers(how, count_, count_, in_place_);
        call_(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, b.from, b.out.data(), count(),
              how.type, how.op, comm_);
        expect(b.out, folded(how, size_, count_), "allreduce");
    }
    template <class T>
    void scan(const Arithmetic<T>& how) {
        auto b = buffers(how, count_, count_, in_place_);
        call_(MPI_Scan, MPI_Iscan, MPI_Scan_init, b.from, b.out.data(), count(), how.type, how.op,
              comm_);
        expect(b.out, folded(how, rank_ + 1, count_), "scan");
    }
    template <class T>
    void exscan(const Arithmetic<T>& how) {
        auto b = buffers(how, count_, count_, in_place_);
        call_(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, b.from, b.out.data(), count(), how.type,
              how.op, comm_);
        if (rank_ > 0) expect(b.out, folded(how, rank_, count_), "exscan");
    }
    template <class T>
    void reduce_scatter_block(const Arithmetic<T>& how) {
        const auto ranks = static_cast<std::size_t>(size_);
        const std::size_t each = count_ / ranks;
        auto b = buffers(how, each * ranks, each, in_place_);
        call_(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init,
              b.from, b.out.data(), static_cast<int>(each), how.type, how.op, comm_);
        const std::vector<T> all = folded(how, size_, each * ranks);
        compare_part(b.out, all, each * static_cast<std::size_t>(rank_), each);
    }
    template <class T>
    void reduce_scatter(const Arithmetic<T>& how) {
        std::vector<int> counts;
        for (int r = 0; r < size_; ++r) {
            sim::Random random(spice_, static_cast<std::uint64_t>(r));
            counts.push_back(
                random.below(3) == 0 ? 0 : static_cast<int>(random.below(count_ + 1)) / size_);
        }
        const auto total =
            static_cast<std::size_t>(std::accumulate(counts.begin(), counts.end(), 0));
        const auto before =
            static_cast<std::size_t>(std::accumulate(counts.begin(), counts.begin() + rank_, 0));
        const auto own = static_cast<std::size_t>(counts[static_cast<std::size_t>(rank_)]);
        auto b = buffers(how, total, own, in_place_);
        call_(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, b.from,
              b.out.data(), counts.data(), how.type, how.op, comm_);
        compare_part(b.out, folded(how, size_, total), before, own);
    }
    template <class T>
    void compare_part(const std::vector<T>& got, const std::vector<T>& all, std::size_t begin,
                      std::size_t n) const {
        for (std::size_t i = 0; i < n; ++i)
            require(got[i] == all[begin + i], "reduce_scatter: wrong at " + std::to_string(i));
    }

    int count() const { return static_cast<int>(count_); }

    MPI_Comm comm_;
    std::uint64_t number_;
    const Calling& call_;
    int size_ = 0;
    int rank_ = 0;
    std::uint64_t kind_;
    bool in_place_;
    int root_;
    std::size_t count_;
    std::uint64_t spice_;
};

}  // namespace

OwnOperations::OwnOperations() {
    MPI_Op_create(combine_all<composed>, 0, &compose);
    MPI_Op_create(combine_all<added>, 1, &add_pairs);
    MPI_Type_contiguous(2, MPI_UINT64_T, &pair);
    MPI_Type_commit(&pair);
}

OwnOperations::~OwnOperations() {
    MPI_Op_free(&compose);
    MPI_Op_free(&add_pairs);
    MPI_Type_free(&pair);
}

void reduce_at_random(MPI_Comm comm, const OwnOperations& own, sim::Random& random,
                      std::uint64_t number, const Calling& call) {
    const std::uint64_t kind = random.below(12);
    Drawn drawn(comm, random, number, call);
    const auto of_pairs = [&](MPI_Op op, auto combine) {
        drawn.run(Arithmetic<Pair>{own.pair, op, some_pair, combine});
    };
    const auto of_ints = [&](MPI_Op op, int (*combine)(const int&, const int&)) {
        drawn.run(Arithmetic<int>{MPI_INT, op, some_number<int>, combine});
    };
    switch (kind) {
        case 0:
            return of_ints(MPI_SUM, plus<int>);
        case 1:
            return of_ints(MPI_MAX, larger<int>);
        case 2:
            return of_ints(MPI_BXOR, exclusive_or);
        case 3:
            return of_ints(MPI_LAND, both);
        case 4:
            return drawn.run(
                Arithmetic<double>{MPI_DOUBLE, MPI_SUM, some_number<double>, plus<double>});
        case 5:
            return drawn.run(
                Arithmetic<short>{MPI_SHORT, MPI_MIN, some_number<short>, smaller<short>});
        case 6:
            return drawn.run(Arithmetic<Located>{MPI_2INT, MPI_MAXLOC, some_place, most});
        case 7:
            return drawn.run(Arithmetic<Located>{MPI_2INT, MPI_MINLOC, some_place, least});
        case 8:
            return of_pairs(own.add_pairs, added);
        default:
            return of_pairs(own.compose, composed);
    }
}

}  // namespace railyard::mpi::programs
