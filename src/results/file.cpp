#include "results/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "railyard/base/error.hpp"

namespace railyard::results {

namespace {

namespace fs = std::filesystem;

Error failure(const char* what, const fs::path& path, int error) {
    return Error(std::string("cannot ") + what + " '" + path.string() +
                 "': " + std::strerror(error));
}

/// A descriptor that closes itself.
class Descriptor {
  public:
    explicit Descriptor(int fd) : fd_(fd) {}
    ~Descriptor() {
        if (fd_ >= 0) ::close(fd_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return fd_; }
    bool open() const { return fd_ >= 0; }

  private:
    int fd_;
};

/// Holds back Ctrl-C and its like while a temporary file exists, so that none stays behind.
class SignalsHeld {
  public:
    SignalsHeld() {
        sigset_t held;
        sigemptyset(&held);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT})
            sigaddset(&held, signal);
        pthread_sigmask(SIG_BLOCK, &held, &before_);
    }
    ~SignalsHeld() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    SignalsHeld(const SignalsHeld&) = delete;
    SignalsHeld& operator=(const SignalsHeld&) = delete;

  private:
    sigset_t before_;
};

/// A new file beside the one that it is to replace; gone with this object unless it took its place.
class Replacement {
  public:
    explicit Replacement(const fs::path& target)
        : target_(target), path_(unused_name(target)), file_(create(path_)) {
        if (!file_.open()) throw failure("write", target_, errno);
        // A file that is there says by its mode who may write it and who may read it.
        struct stat old {};
        if (::stat(target_.c_str(), &old) != 0) return;
        if (::access(target_.c_str(), W_OK) != 0 ||
            ::fchmod(file_.get(), old.st_mode & 07777) != 0) {
            const int error = errno;
            ::unlink(path_.c_str());
            throw failure("write", target_, error);
        }
    }
    ~Replacement() {
        if (!placed_) ::unlink(path_.c_str());
    }
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;

    int descriptor() const { return file_.get(); }
    void take_place() {
        // On the disk before the name moves: a crash leaves the old file, not an empty one.
        if (::fsync(file_.get()) != 0 || ::rename(path_.c_str(), target_.c_str()) != 0)
            throw failure("write", target_, errno);
        placed_ = true;
    }

  private:
    /// One that no other process uses now, nor left behind when it was killed.
    static fs::path unused_name(const fs::path& target) {
        const std::string stem = target.string() + ".new-" + std::to_string(::getpid());
        for (int n = 0;; ++n) {
            fs::path path = stem + (n == 0 ? "" : "-" + std::to_string(n));
            if (::access(path.c_str(), F_OK) != 0) return path;
        }
    }
    static int create(const fs::path& path) {
        return ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }

    fs::path target_;
    fs::path path_;
    Descriptor file_;
    bool placed_ = false;
};

void write_all(int fd, std::string_view content, const fs::path& path) {
    while (!content.empty()) {
        const ssize_t n = ::write(fd, content.data(), content.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw failure("write", path, errno);
        content.remove_prefix(static_cast<std::size_t>(n));
    }
}

/// Where the content really goes: links are followed, so that a link stays one.
fs::path destination(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    return error ? path : real;
}

/// A pipe, a terminal or /dev/null: something to write into, not to replace.
bool is_stream(const fs::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) != 0) return false;
    if (S_ISDIR(status.st_mode)) throw failure("write", path, EISDIR);
    return !S_ISREG(status.st_mode);
}

}  // namespace

std::string read_file(const fs::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.open()) throw failure("read", path, errno);
    std::string content;
    char buffer[1 << 14];
    for (;;) {
        const ssize_t n = ::read(file.get(), buffer, sizeof buffer);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw failure("read", path, errno);
        if (n == 0) return content;
        content.append(buffer, static_cast<std::size_t>(n));
    }
}

void write_file(const fs::path& path, std::string_view content) {
    if (is_stream(path)) {
        const Descriptor stream(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
        if (!stream.open()) throw failure("write", path, errno);
        write_all(stream.get(), content, path);
        return;
    }
    const SignalsHeld held;
    Replacement replacement(destination(path));
    write_all(replacement.descriptor(), content, path);
    replacement.take_place();
}

void check_writable(const fs::path& path) {
    if (is_stream(path)) {
        if (::access(path.c_str(), W_OK) != 0) throw failure("write", path, errno);
        return;
    }
    const SignalsHeld held;
    const Replacement trial(destination(path));
}

}  // namespace railyard::results
