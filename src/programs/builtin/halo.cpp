// What a stencil sends, without the stencil: in each step every rank of a torus exchanges a message
// with each of its neighbours, and computes nothing. For what a message itself costs.

#include <mpi.h>

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "programs/builtin/programs.hpp"
#include "programs/builtin/session.hpp"

namespace railyard::programs {

namespace {

constexpr int most_dimensions = 3;

class Torus {
  public:
    Torus(int rank, int ranks, int dimensions, std::size_t size) : dimensions_(dimensions) {
        sides_.fill(0);
        MPI_Dims_create(ranks, dimensions, sides_.data());
        int below = 1;  // ranks that lie between two neighbours
        for (int d = 0; d < dimensions; ++d) {
            const int side = sides_[static_cast<std::size_t>(d)];
            const int at = rank / below % side;
            const auto moved = [&](int to) { return rank + (to - at) * below; };
            add(moved((at + side - 1) % side), rank, size);
            add(moved((at + 1) % side), rank, size);
            below *= side;
        }
    }

    /// "16 x 16"
    std::string shape() const {
        std::string text;
        for (int d = 0; d < dimensions_; ++d)
            text += (d > 0 ? " x " : "") + std::to_string(sides_[static_cast<std::size_t>(d)]);
        return text;
    }

    void step() {
        const int n = static_cast<int>(edges_.size());
        int started = 0;
        for (int i = 0; i < n; ++i) {
            Edge& edge = edges_[static_cast<std::size_t>(i)];
            // Who is on our left has us on its right.
            MPI_Irecv(edge.in.data(), length(edge.in), MPI_CHAR, edge.neighbour, i ^ 1,
                      MPI_COMM_WORLD, &requests_[static_cast<std::size_t>(started++)]);
        }
        for (int i = 0; i < n; ++i) {
            Edge& edge = edges_[static_cast<std::size_t>(i)];
            MPI_Isend(edge.out.data(), length(edge.out), MPI_CHAR, edge.neighbour, i,
                      MPI_COMM_WORLD, &requests_[static_cast<std::size_t>(started++)]);
        }
        MPI_Waitall(started, requests_.data(), MPI_STATUSES_IGNORE);
    }

    /// Whether each message that came last is of whom it should be.
    bool is_right() const {
        for (const Edge& edge : edges_)
            for (const char byte : edge.in)
                if (byte != mark_of(edge.neighbour)) return false;
        return true;
    }

  private:
    struct Edge {
        int neighbour;
        std::vector<char> out;
        std::vector<char> in;
    };

    static char mark_of(int rank) { return static_cast<char>('a' + rank % 26); }
    static int length(const std::vector<char>& bytes) { return static_cast<int>(bytes.size()); }
    void add(int neighbour, int rank, std::size_t size) {
        edges_.push_back(
            {neighbour, std::vector<char>(size, mark_of(rank)), std::vector<char>(size, ' ')});
    }

    int dimensions_;
    std::array<int, most_dimensions> sides_;
    std::vector<Edge> edges_;  ///< two a dimension: down, up
    std::array<MPI_Request, std::size_t{4} * most_dimensions> requests_;
};

}  // namespace

int halo(int argc, char** argv) {
    Session session(argc, argv, "Messages to the neighbours in a torus, and no arithmetic.");
    const std::size_t size = session.bytes("--size", 512, "bytes of a message");
    const int dimensions =
        session.count("--dimensions", 2, "of the torus: 1 to 3", most_dimensions);
    const int iterations = session.count("--iterations", 10, "steps");
    if (!session.begin()) return session.exit_code();

    Torus torus(session.rank(), session.size(), dimensions, size);
    torus.step();  // connections are made on the way
    MPI_Barrier(MPI_COMM_WORLD);
    const Timed timed;
    for (int i = 0; i < iterations; ++i) {
        session.steps_left(iterations - i);
        torus.step();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double each = timed.end() / iterations;
    session.check(torus.is_right());
    session.say("halo of %s ranks, %zu bytes to each of %d neighbours: %.3f us a step\n",
                torus.shape().c_str(), size, 2 * dimensions, each * 1e6);
    return session.verdict();
}

}  // namespace railyard::programs
