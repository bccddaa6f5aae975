// Who watches a rank's calls is told of each, and of what the library had done by the end.

#include "mpi/calls/call.hpp"

#include <string>
#include <vector>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using ::testing::ElementsAre;

/// Writes down what it is told: "+Send" and "-Send", and "=" for the end.
class Notebook final : public calls::CallWatch {
  public:
    void entered(calls::Function function, std::span<const calls::Word> its_arguments) override {
        note('+', function);
        if (function == calls::Function::Send)
            arguments.assign(its_arguments.begin(), its_arguments.end());
    }
    void left(calls::Function function) override { note('-', function); }
    void finalised(const Counters& its_counters) override {
        lines.emplace_back("=");
        counters = its_counters;
    }

    std::vector<std::string> lines;
    std::vector<calls::Word> arguments;  ///< of the last MPI_Send
    Counters counters;

  private:
    void note(char sign, calls::Function function) {
        lines.push_back(sign + std::string(name(function).substr(4)));
    }
};

/// What each of two ranks' watches was told of a program that begins and ends in between.
std::vector<Notebook> notes_of(const FabricAndKind& on,
                               const std::function<void(int rank)>& program,
                               int thread_level = MPI_THREAD_SINGLE) {
    std::vector<Notebook> notes(2);
    const job::Result result = job::run(options_for(on, 2), [&](job::Rank& rank) {
        calls::watch_calls(&notes[static_cast<std::size_t>(rank.id())]);
        if (thread_level == MPI_THREAD_SINGLE) {
            MPI_Init(nullptr, nullptr);
        } else {
            int provided = -1;
            MPI_Init_thread(nullptr, nullptr, thread_level, &provided);
        }
        program(rank.id());
        MPI_Finalize();
    });
    EXPECT_TRUE(result.ok) << result.failure;
    return notes;
}

class CallWatching : public testing::TestWithParam<FabricAndKind> {};
RAILYARD_ON_BOTH_CLOCKS(CallWatching);

TEST_P(CallWatching, TellsOfEveryCallFromTheFirstToTheLast) {
    const auto notes = notes_of(GetParam(), [](int rank) {
        int word = 7;
        if (rank == 0) {
            MPI_Send(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Wtime();
        }
    });
    EXPECT_THAT(notes[0].lines,
                ElementsAre("+Init", "-Init", "+Send", "-Send", "+Finalize", "=", "-Finalize"));
    EXPECT_THAT(notes[1].lines, ElementsAre("+Init", "-Init", "+Recv", "-Recv", "+Wtime", "-Wtime",
                                            "+Finalize", "=", "-Finalize"));
    const Counters& sender = notes[0].counters;
    EXPECT_EQ(sender.eager_sent + sender.tagged_sent, 1U);
    EXPECT_EQ(sender.bytes_sent, sizeof(int));
    EXPECT_EQ(notes[1].counters.bytes_sent, 0U);
}

void add_and_ask(void* in, void* inout, int* n, MPI_Datatype* type) {
    int size = 0;
    MPI_Type_size(*type, &size);
    for (int i = 0; i < *n; ++i)
        static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

TEST_P(CallWatching, TellsTheArguments) {
    static int word = 7;
    const auto notes = notes_of(GetParam(), [](int rank) {
        if (rank == 0)
            MPI_Send(&word, 1, MPI_INT, 1, 42, MPI_COMM_WORLD);
        else
            MPI_Recv(&word, 1, MPI_INT, 0, 42, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
    EXPECT_THAT(notes[0].arguments, ElementsAre(reinterpret_cast<calls::Word>(&word), 1, MPI_INT, 1,
                                                42, MPI_COMM_WORLD));
}

TEST_P(CallWatching, CallsFromInsideACallNest) {
    const auto notes = notes_of(GetParam(), [](int rank) {
        MPI_Op op = MPI_OP_NULL;
        MPI_Op_create(add_and_ask, 1, &op);
        int mine = rank + 1;
        int sum = 0;
        MPI_Reduce(&mine, &sum, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
        EXPECT_EQ(sum, rank == 0 ? 3 : 0);
        MPI_Op_free(&op);
    });
    // Which rank adds up is the library's to choose.
    std::size_t nested = 0;
    for (const Notebook& note : notes) {
        std::vector<std::string> inside;  // of which calls we are
        for (const std::string& line : note.lines) {
            if (line == "+Type_size") {
                EXPECT_THAT(inside, ElementsAre("Reduce"));
                ++nested;
            }
            if (line[0] == '+') inside.push_back(line.substr(1));
            if (line[0] != '-') continue;
            ASSERT_FALSE(inside.empty());
            EXPECT_EQ(inside.back(), line.substr(1));
            inside.pop_back();
        }
        EXPECT_TRUE(inside.empty());
    }
    EXPECT_GE(nested, 1U);
}

TEST_P(CallWatching, ACallThatFailsIsLeftToo) {
    const auto notes = notes_of(GetParam(), [](int) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        int word = 0;
        EXPECT_NE(MPI_Send(&word, 1, MPI_INT, 17, 0, MPI_COMM_WORLD), MPI_SUCCESS);
    });
    for (const Notebook& note : notes)
        EXPECT_THAT(note.lines,
                    ElementsAre("+Init", "-Init", "+Comm_set_errhandler", "-Comm_set_errhandler",
                                "+Send", "-Send", "+Finalize", "=", "-Finalize"));
}

TEST_P(CallWatching, GoesWithTurnsOfThreads) {
    const auto notes = notes_of(
        GetParam(), [](int) { MPI_Barrier(MPI_COMM_WORLD); }, MPI_THREAD_MULTIPLE);
    for (const Notebook& note : notes)
        EXPECT_THAT(note.lines, ElementsAre("+Init", "-Init", "+Barrier", "-Barrier", "+Finalize",
                                            "=", "-Finalize"));
}

TEST(CallWatch, FunctionsHaveTheirNames) {
    EXPECT_EQ(name(calls::Function::Send), "MPI_Send");
    EXPECT_EQ(name(calls::Function::Wtime), "MPI_Wtime");
    EXPECT_EQ(calls::function_names[0], "MPI_Init");
    EXPECT_GE(calls::function_count, 200U);
}

}  // namespace
}  // namespace railyard::mpi
