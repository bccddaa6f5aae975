#include "base/foreign_descriptor.hpp"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>

#include "base/shared_memory.hpp"

namespace railyard {
namespace {

/// As a program that an ordinary user may execute and not read: /proc is closed to others.
void become_unreadable() {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 &&
        (::setgroups(0, nullptr) != 0 || ::setgid(nobody) != 0 || ::setuid(nobody) != 0))
        ::_exit(90);
    ::prctl(PR_SET_DUMPABLE, 0);
}

/// Runs it in a child and gives its exit code.
int in_child(const std::function<int()>& body) {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(body());
    int status = 0;
    ::waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// A process that owns shared memory and cannot be looked into.
class Owner {
  public:
    Owner() {
        Pipe told = make_pipe();
        pid_ = ::fork();
        if (pid_ == 0) {
            ::prctl(PR_SET_PDEATHSIG, SIGKILL);
            become_unreadable();
            const SharedMemory memory = SharedMemory::create("test", Bytes(4096));
            std::strcpy(reinterpret_cast<char*>(memory.data()), "from the owner");
            const SharedMemory::Handle handle = memory.handle();
            if (::write(told.write.get(), &handle, sizeof handle) != sizeof handle) ::_exit(91);
            for (;;)
                ::pause();
        }
        ::fcntl(told.read.get(), F_SETFL, 0);
        told.write.reset();
        EXPECT_EQ(::read(told.read.get(), &handle_, sizeof handle_),
                  static_cast<ssize_t>(sizeof handle_));
    }
    ~Owner() {
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
    }
    const SharedMemory::Handle& handle() const { return handle_; }

  private:
    pid_t pid_ = -1;
    SharedMemory::Handle handle_;
};

TEST(ForeignDescriptor, IsGivenWhereProcIsClosed) {
    const Owner owner;
    EXPECT_EQ(in_child([&] {
                  become_unreadable();
                  // Or the test shows nothing.
                  const std::string path = "/proc/" + std::to_string(owner.handle().pid) + "/fd/" +
                                           std::to_string(owner.handle().fd);
                  if (::open(path.c_str(), O_RDWR) >= 0) return 1;
                  const SharedMemory memory = SharedMemory::open(owner.handle());
                  return std::strcmp(reinterpret_cast<char*>(memory.data()), "from the owner") == 0
                             ? 0
                             : 2;
              }),
              0);
}

TEST(ForeignDescriptor, OnlyWhatIsOfferedIsGiven) {
    const Owner owner;
    EXPECT_EQ(in_child([&] {
                  become_unreadable();
                  return open_foreign(owner.handle().pid, 1, O_RDWR) ? 1 : 0;
              }),
              0);
}

TEST(ForeignDescriptor, OnlyToTheSameUser) {
    if (::geteuid() != 0) GTEST_SKIP() << "only root can be several users";
    const Owner owner;
    EXPECT_EQ(in_child([&] {
                  if (::setgroups(0, nullptr) != 0 || ::setgid(65533) != 0 || ::setuid(65533) != 0)
                      return 90;
                  return open_foreign(owner.handle().pid, owner.handle().fd, O_RDWR) ? 1 : 0;
              }),
              0);
}

TEST(ForeignDescriptor, OfAProcessThatIsGoneIsGone) {
    SharedMemory::Handle handle;
    {
        const Owner owner;
        handle = owner.handle();
    }
    EXPECT_FALSE(open_foreign(handle.pid, handle.fd, O_RDWR));
    EXPECT_EQ(errno, ESRCH);
    EXPECT_THROW(SharedMemory::open(handle), SharedMemoryGone);
}

}  // namespace
}  // namespace railyard
