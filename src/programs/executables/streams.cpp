#include "programs/executables/streams.hpp"

#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"
#include "railyard/base/error.hpp"

namespace railyard::executables {

namespace {

void write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        text.remove_prefix(static_cast<std::size_t>(n));
    }
}

/// Line by line, as they are.
class Lines final : public job::Output {
  public:
    explicit Lines(job::WriteOutput write) : write_(std::move(write)) {}
    void feed(std::string_view piece) override {
        const std::size_t end = piece.rfind('\n');
        if (end == std::string_view::npos) {
            unfinished_ += piece;
            return;
        }
        unfinished_ += piece.substr(0, end + 1);
        write_(unfinished_);
        unfinished_ = piece.substr(end + 1);
    }
    void finish() override {
        write_(unfinished_);
        unfinished_.clear();
    }

  private:
    std::string unfinished_;
    job::WriteOutput write_;
};

}  // namespace

Streams::Streams(int rank, bool with_labels) : has_input_(rank == 0) {
    for (const int descriptor : {1, 2}) {
        auto write = [descriptor](std::string_view text) { write_all(descriptor, text); };
        auto& lines = lines_[descriptor - 1];
        if (with_labels)
            lines = std::make_unique<job::LineLabels>(rank, std::move(write));
        else
            lines = std::make_unique<Lines>(std::move(write));
        ways_[descriptor - 1] = {this, descriptor};
    }
    input_ = has_input_ ? ::stdin : std::fopen("/dev/null", "r");
    output_ = open_output(1);
    errors_ = open_output(2);
    if (input_ == nullptr) throw system_error("the standard input of a rank");
    std::setvbuf(output_, nullptr, _IOLBF, BUFSIZ);
    std::setvbuf(errors_, nullptr, _IONBF, 0);
}

Streams::~Streams() {
    if (!has_input_) std::fclose(input_);
    std::fclose(output_);
    std::fclose(errors_);
    finish();
}

std::FILE* Streams::open_output(int descriptor) {
    cookie_io_functions_t functions{};
    functions.write = write_cookie;
    std::FILE* const file = ::fopencookie(&ways_[descriptor - 1], "w", functions);
    if (file == nullptr) throw system_error("an output of a rank");
    return file;
}

ssize_t Streams::write_cookie(void* cookie, const char* data, std::size_t size) {
    const Way& way = *static_cast<Way*>(cookie);
    way.streams->write(way.descriptor, {data, size});
    return static_cast<ssize_t>(size);
}

void Streams::write(int descriptor, std::string_view bytes) {
    lines_[descriptor - 1]->feed(bytes);
}

void Streams::redirect(int descriptor, Descriptor file) {
    auto& lines = lines_[descriptor - 1];
    lines->finish();
    const int to = file.get();
    lines = std::make_unique<job::Passed>([to](std::string_view text) { write_all(to, text); });
    files_[descriptor - 1] = std::move(file);
}

void Streams::finish() {
    for (const auto& lines : lines_)
        lines->finish();
}

namespace {

bool is_output(int descriptor) {
    return descriptor == STDOUT_FILENO || descriptor == STDERR_FILENO;
}

ssize_t imported_write(int descriptor, const void* data, std::size_t size) {
    if (!is_output(descriptor)) return ::write(descriptor, data, size);
    Process::here()->streams().write(descriptor, {static_cast<const char*>(data), size});
    return static_cast<ssize_t>(size);
}

ssize_t imported_writev(int descriptor, const iovec* pieces, int count) {
    if (!is_output(descriptor)) return ::writev(descriptor, pieces, count);
    ssize_t all = 0;
    for (int i = 0; i < count; ++i)
        all += imported_write(descriptor, pieces[i].iov_base, pieces[i].iov_len);
    return all;
}

ssize_t imported_read(int descriptor, void* data, std::size_t size) {
    if (descriptor == STDIN_FILENO && !Process::here()->streams().has_input()) return 0;
    return ::read(descriptor, data, size);
}

ssize_t imported_readv(int descriptor, const iovec* pieces, int count) {
    if (descriptor == STDIN_FILENO && !Process::here()->streams().has_input()) return 0;
    return ::readv(descriptor, pieces, count);
}

int imported_fileno(std::FILE* file) {
    const Streams& streams = Process::here()->streams();
    if (file == streams.input()) return STDIN_FILENO;
    if (file == streams.output()) return STDOUT_FILENO;
    if (file == streams.errors()) return STDERR_FILENO;
    return ::fileno(file);
}

/// The rank's own stay open: other parts of it may print until its end.
int imported_fclose(std::FILE* file) {
    const Streams& streams = Process::here()->streams();
    if (file == streams.input() || file == streams.output() || file == streams.errors())
        return std::fflush(file);
    return std::fclose(file);
}

std::FILE* imported_freopen(const char* path, const char* mode, std::FILE* file) {
    Streams& streams = Process::here()->streams();
    const bool is_output = file == streams.output();
    if (!is_output && file != streams.errors()) return std::freopen(path, mode, file);
    const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (*mode == 'a' ? O_APPEND : O_TRUNC);
    Descriptor opened(path != nullptr ? ::open(path, flags, 0666) : -1);
    if (!opened) return nullptr;
    std::fflush(file);
    streams.redirect(is_output ? STDOUT_FILENO : STDERR_FILENO, std::move(opened));
    return file;
}

}  // namespace

std::span<const Import> imports_of_streams() {
    static const Import all[] = {
        import("write", imported_write),     import("writev", imported_writev),
        import("read", imported_read),       import("readv", imported_readv),
        import("fileno", imported_fileno),   import("fclose", imported_fclose),
        import("freopen", imported_freopen), import("freopen64", imported_freopen),
    };
    return all;
}

}  // namespace railyard::executables
