// NetPIPE as Debian packages it for MPICH: a program that knows nothing of us runs on our library.

#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "mpi/programs/world.hpp"
#include "mpi/real_fabric.hpp"

namespace railyard::mpi::programs {
namespace {

/// A folder of its own, gone at the end.
class Folder {
  public:
    Folder() : path_(std::filesystem::temp_directory_path() / "railyard-netpipe-XXXXXX") {
        std::string name = path_.string();
        if (mkdtemp(name.data()) == nullptr) throw system_error("mkdtemp " + name);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;
    std::filesystem::path operator/(const char* name) const { return path_ / name; }

  private:
    std::filesystem::path path_;
};

// Where it found MPICH's own library instead, each rank would be alone, and it would refuse.
TEST(NetPipe, RunsUnmodified) {
    if (sanitized) GTEST_SKIP() << "a sanitizer must be in the program itself";
    if (is_pair(real_fabric())) GTEST_SKIP() << "mpiexec has no nodes on one host";
    const Folder folder;
    const std::string out = (folder / "np.out").string();
    const std::string log = (folder / "log").string();
    const std::string command = "LD_LIBRARY_PATH=" RAILYARD_LIB " " RAILYARD_BIN "/mpiexec --on " +
                                real_fabric() + " -n 2 NPmpich2 -n 20 -u 20000 -o " + out + " >" +
                                log + " 2>&1";
    const int code = std::system(command.c_str());
    std::ifstream said(log);
    ASSERT_EQ(code, 0) << "is the package netpipe-mpich2 installed?\n" << said.rdbuf();

    std::ifstream rows(out);
    double bytes = 0;
    double rate = 0;
    double seconds = 0;
    double last = 0;
    int count = 0;
    for (; rows >> bytes >> rate >> seconds; ++count) {
        EXPECT_GT(bytes, last);
        EXPECT_GT(rate, 0);
        EXPECT_GT(seconds, 0);
        EXPECT_LT(seconds, 1);
        last = bytes;
    }
    EXPECT_GE(count, 30);
    EXPECT_GE(last, 16000);
}

}  // namespace
}  // namespace railyard::mpi::programs
