// The compilers' wrappers, and how other builds find us.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "launch/mpiexec/started.hpp"

namespace railyard::mpiexec {
namespace {

using namespace testing;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string bin = RAILYARD_BIN;
const std::string prefix = std::filesystem::path(bin).parent_path().string();

/// A small MPI program, in C and in C++ alike.
constexpr const char* program =
    "#include <mpi.h>\n#include <stdio.h>\n"
    "int main(int argc, char** argv) {\n"
    "    int rank = -1, sum = -1;\n"
    "    MPI_Init(&argc, &argv);\n"
    "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
    "    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);\n"
    "    if (rank == 0) printf(\"the sum is %d\\n\", sum);\n"
    "    MPI_Finalize();\n    return 0;\n}\n";

class Wrappers : public ::testing::Test {
  protected:
    Wrappers() {
        folder_ = ::testing::TempDir() + "railyard-wrappers-XXXXXX";
        if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
        for (const char* name : {"sum.c", "sum.cpp"})
            std::ofstream(file(name)) << program;
    }
    ~Wrappers() override { std::filesystem::remove_all(folder_); }
    std::string file(const std::string& name) const { return folder_ + "/" + name; }

    /// In that folder, with our programs first in PATH.
    Ended shell(const std::string& line) const {
        return command("/bin/sh", {"-c", "PATH=" + bin + ":$PATH; export PATH; cd " + folder_ +
                                             " && " + line});
    }

  private:
    std::string folder_;
};

TEST_F(Wrappers, ShowWhatTheyCall) {
    EXPECT_EQ(shell("mpicc -show -O2 x.c -o x").out, "cc -O2 x.c -o x -I" + prefix + "/include -L" +
                                                         prefix + "/lib -Wl,-rpath," + prefix +
                                                         "/lib -Wl,--enable-new-dtags -lmpi\n");
    EXPECT_EQ(shell("mpicc -show -c x.c").out, "cc -c x.c -I" + prefix + "/include\n");
    EXPECT_THAT(shell("mpicxx -show").out, AllOf(StartsWith("c++ "), HasSubstr("-lmpi")));
    EXPECT_THAT(shell("mpic++ -link-info").out, AllOf(StartsWith("c++ "), HasSubstr("-lmpi")));
    EXPECT_EQ(shell("mpicc -compile_info").out, "cc -I" + prefix + "/include\n");
}

TEST_F(Wrappers, CallTheCompilerThatIsNamed) {
    EXPECT_THAT(shell("MPICC_CC=gcc-x mpicc -show").out, StartsWith("gcc-x "));
    EXPECT_THAT(shell("MPICH_CXX=clang-x mpicxx -show").out, StartsWith("clang-x "));
    EXPECT_THAT(shell("mpicc -cc=other -show").out, StartsWith("other "));
}

TEST_F(Wrappers, PassQuestionsOn) {
    const Ended version = shell("mpicc --version");
    EXPECT_THAT(version.out, AllOf(StartsWith(shell("cc --version").out),
                                   HasSubstr("called by mpicc of Railyard 0.")));
    const Ended dump = shell("mpicc -dumpmachine");
    EXPECT_EQ(dump.exit_code, 0);
    EXPECT_EQ(dump.out, shell("cc -dumpmachine").out);
    EXPECT_NE(shell("mpicc no-such-file.c").exit_code, 0);
}

TEST_F(Wrappers, BuildProgramsThatRun) {
    for (const char* build :
         {"mpicc sum.c -o 'the sum'", "mpicxx -c sum.cpp && mpicxx sum.o -o 'the sum'"}) {
        const Ended built = shell(build);
        ASSERT_EQ(built.exit_code, 0) << built.err;
        const Ended ran = shell("mpiexec -n 4 './the sum'");
        EXPECT_EQ(ran.exit_code, 0) << ran.err;
        EXPECT_EQ(ran.out, "the sum is 6\n");
        EXPECT_EQ(shell("'./the sum'").out, "the sum is 0\n");
    }
}

#ifdef RAILYARD_FORTRAN
constexpr const char* fortran_program =
    "program sum\n    use mpi\n    implicit none\n    integer :: rank, total, ierror\n"
    "    call MPI_Init(ierror)\n    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)\n"
    "    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)\n"
    "    if (rank == 0) print '(a,i0)', 'the sum is ', total\n"
    "    call MPI_Finalize(ierror)\nend program\n";

TEST_F(Wrappers, BuildFortranProgramsThatRun) {
    std::ofstream(file("sum.f90")) << fortran_program;
    for (const char* wrapper : {"mpifort", "mpif90", "mpif77"}) {
        const std::string name = wrapper;
        const Ended built = shell(name + " -c sum.f90 && " + name + " sum.o -o 'the sum'");
        ASSERT_EQ(built.exit_code, 0) << built.err;
        EXPECT_EQ(shell("mpiexec -n 4 './the sum'").out, "the sum is 6\n") << name;
    }
    EXPECT_THAT(shell("mpifort -show").out, HasSubstr("-lmpichfort -lmpi\n"));
    EXPECT_THAT(shell("MPICH_FC=other mpifort -show").out, StartsWith("other "));
    EXPECT_THAT(shell("mpif77 -f77=other -show").out, StartsWith("other "));
    EXPECT_THAT(shell("mpif90 --help").out, HasSubstr("-f90=COMPILER"));
    const Ended built =
        shell("PKG_CONFIG_PATH=" + prefix +
              "/lib/pkgconfig; export PKG_CONFIG_PATH; gfortran sum.f90 -o sum $(pkg-config "
              "--cflags --libs mpi-fort)");
    ASSERT_EQ(built.exit_code, 0) << built.err;
    EXPECT_EQ(shell("mpiexec -n 3 ./sum").out, "the sum is 3\n");
}

TEST_F(Wrappers, CMakeFindsTheFortranLibrary) {
    std::ofstream(file("sum.f90")) << fortran_program;
    std::ofstream(file("CMakeLists.txt"))
        << "cmake_minimum_required(VERSION 3.20)\nproject(sum Fortran)\n"
           "find_package(MPI REQUIRED COMPONENTS Fortran)\n"
           "message(STATUS \"found ${MPI_Fortran_HAVE_F77_HEADER} ${MPI_Fortran_HAVE_F90_MODULE} "
           "${MPI_Fortran_HAVE_F08_MODULE}\")\n"
           "add_executable(sum sum.f90)\ntarget_link_libraries(sum MPI::MPI_Fortran)\n";
    const Ended configured = shell("cmake -S . -B build");
    ASSERT_EQ(configured.exit_code, 0) << configured.err;
    EXPECT_THAT(configured.out, HasSubstr("found TRUE TRUE TRUE"));
    const Ended built = shell("cmake --build build");
    ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
    EXPECT_EQ(shell("mpiexec -n 3 build/sum").out, "the sum is 3\n");
}
#endif

TEST_F(Wrappers, PkgConfigKnowsTheLibrary) {
    for (const char* name : {"mpi", "mpich", "railyard-mpi"}) {
        const Ended found = shell("PKG_CONFIG_PATH=" + prefix +
                                  "/lib/pkgconfig pkg-config --cflags --libs " + name);
        EXPECT_EQ(found.exit_code, 0) << found.err;
        EXPECT_THAT(found.out, AllOf(HasSubstr("/include"), HasSubstr("-lmpi"))) << name;
    }
    const Ended ran = shell("PKG_CONFIG_PATH=" + prefix +
                            "/lib/pkgconfig; export PKG_CONFIG_PATH; cc sum.c -o sum $(pkg-config "
                            "--cflags --libs mpi) && mpiexec -n 3 ./sum");
    EXPECT_EQ(ran.out, "the sum is 3\n") << ran.err;
}

TEST_F(Wrappers, CMakeFindsTheLibrary) {
    std::ofstream(file("CMakeLists.txt"))
        << "cmake_minimum_required(VERSION 3.20)\nproject(sum C CXX)\n"
           "find_package(MPI REQUIRED COMPONENTS C CXX)\n"
           "message(STATUS \"found ${MPI_C_LIBRARIES} ${MPI_CXX_LIBRARIES} "
           "${MPIEXEC_EXECUTABLE}\")\n"
           "add_executable(sum_c sum.c)\ntarget_link_libraries(sum_c MPI::MPI_C)\n"
           "add_executable(sum_cxx sum.cpp)\ntarget_link_libraries(sum_cxx MPI::MPI_CXX)\n";
    const Ended configured = shell("cmake -S . -B build");
    ASSERT_EQ(configured.exit_code, 0) << configured.err;
    const std::string library = prefix + "/lib/libmpi.so";
    EXPECT_THAT(configured.out,
                HasSubstr("found " + library + " " + library + " " + bin + "/mpiexec"));
    const Ended built = shell("cmake --build build");
    ASSERT_EQ(built.exit_code, 0) << built.out << built.err;
    EXPECT_EQ(shell("mpiexec -n 3 build/sum_c").out, "the sum is 3\n");
    EXPECT_EQ(shell("mpiexec -n 3 build/sum_cxx").out, "the sum is 3\n");
}

}  // namespace
}  // namespace railyard::mpiexec
