// Functions that are not here yet: all of them exist, and fail as later.txt says.

#include <functional>
#include <string_view>

#include "mpi/abi/on_ranks.hpp"

namespace railyard::mpi {
namespace {

using ::testing::HasSubstr;

using Later = OnRanks;
RAILYARD_ON_BOTH_CLOCKS(Later);

struct LaterCall {
    std::string_view kind;
    std::string_view name;
    int error_class;
    std::function<int()> call;
};

const LaterCall calls[] = {
#define RAILYARD_MPI_LATER(kind, error_class, name, call) \
    {#kind, #name, error_class, [] { return call; }},
#include <mpi_later_calls.inc>
#undef RAILYARD_MPI_LATER
};

TEST_P(Later, EveryFunctionFailsWithItsClassAndASentence) {
    run(1, [](int, int) {
        for (const LaterCall& later : calls) {
            SCOPED_TRACE(later.name);
            const int code = later.call();
            EXPECT_EQ(code, later.error_class);
            char text[MPI_MAX_ERROR_STRING];
            int length = 0;
            MPI_Error_string(code, text, &length);
            if (later.kind != "tools") {
                EXPECT_THAT(text, HasSubstr(later.name));
                EXPECT_THAT(text, HasSubstr("yet"));
            }
            EXPECT_THAT(text, Not(HasSubstr("error code")));
        }
    });
}

TEST(LaterErrors, OfProcessesEndTheJobUnlessAHandlerIsSet) {
    job::Options options = options_for(both_clocks[1], 2);
    const job::Result result = job::run(options, [](job::Rank&) {
        MPI_Init(nullptr, nullptr);
        MPI_File file = MPI_FILE_NULL;
        // Errors of files are returned from the start.
        EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, "x", MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
                  MPI_ERR_UNSUPPORTED_OPERATION);
        char port[MPI_MAX_PORT_NAME];
        MPI_Open_port(MPI_INFO_NULL, port);
        ADD_FAILURE() << "not reached";
    });
    EXPECT_FALSE(result.ok);
    EXPECT_THAT(result.failure, HasSubstr("MPI_Open_port"));
    EXPECT_THAT(result.failure, HasSubstr("no ports yet"));
}

TEST(LaterErrors, OfToolsAreReturnedBeforeMpiInit) {
    int provided = 0;
    EXPECT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_T_ERR_CANNOT_INIT);
    EXPECT_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
}

}  // namespace
}  // namespace railyard::mpi
