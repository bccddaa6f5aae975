#include "base/shared_memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <optional>

#include "railyard/base/error.hpp"

namespace railyard {
namespace {

using namespace literals;

TEST(SharedMemory, IsZeroedAndOfTheSizeAskedFor) {
    const auto memory = SharedMemory::create("test", 100_KiB);
    EXPECT_EQ(memory.size(), 100_KiB);
    for (std::size_t i = 0; i < memory.size().count(); i += 4096)
        EXPECT_EQ(memory.data()[i], std::byte{0});
}

TEST(SharedMemory, AnotherProcessSeesTheSameBytes) {
    const auto memory = SharedMemory::create("test", 4_KiB);
    memory.data()[17] = std::byte{1};
    const pid_t child = fork();
    if (child == 0) {
        // The child has the mapping by inheritance too; what it opens must be the same memory.
        const auto opened = SharedMemory::open(memory.handle());
        const bool different = opened.data() != memory.data();
        const bool seen = opened.data()[17] == std::byte{1};
        opened.data()[18] = std::byte{2};
        _exit(different && seen ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_EQ(memory.data()[18], std::byte{2});
}

TEST(SharedMemory, TheSameProcessGetsTheSameAddresses) {
    const auto memory = SharedMemory::create("test", 4_KiB);
    EXPECT_EQ(SharedMemory::open(memory.handle()).data(), memory.data());
}

TEST(SharedMemory, OpeningWhatIsGoneThrows) {
    std::optional<SharedMemory> memory = SharedMemory::create("test", 4_KiB);
    auto handle = memory->handle();
    memory.reset();
    EXPECT_THROW(SharedMemory::open(handle), Error);
    handle.pid = 1;  // lives, but shares nothing with us
    EXPECT_THROW(SharedMemory::open(handle), Error);
}

TEST(SharedMemory, ADescriptorUsedAgainIsNotMistaken) {
    // The descriptor number of another process that now leads elsewhere.
    int ready[2];
    int quit[2];
    ASSERT_EQ(pipe(ready), 0);
    ASSERT_EQ(pipe(quit), 0);
    const pid_t child = fork();
    if (child == 0) {
        std::optional<SharedMemory> memory = SharedMemory::create("first", 4_KiB);
        const auto handle = memory->handle();
        memory.reset();
        const int other = memfd_create("second", 0);
        if (other != handle.fd) dup2(other, handle.fd);
        [[maybe_unused]] auto n = write(ready[1], &handle, sizeof handle);
        char c = 0;
        close(quit[1]);
        n = read(quit[0], &c, 1);
        _exit(0);
    }
    SharedMemory::Handle handle;
    ASSERT_EQ(read(ready[0], &handle, sizeof handle), static_cast<ssize_t>(sizeof handle));
    EXPECT_THROW(SharedMemory::open(handle), Error);
    close(quit[1]);
    close(quit[0]);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
}

TEST(SharedMemory, LeavesNoFile) {
    const auto memory = SharedMemory::create("railyard-test-leaves-no-file", 4_KiB);
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
        EXPECT_EQ(entry.path().string().find("railyard"), std::string::npos);
}

}  // namespace
}  // namespace railyard
