#include "launch/job/rank_printer.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "launch/job/launcher.hpp"

namespace railyard::job {

namespace {

/// An ordinary user may have 64 MiB of pipes in all.
constexpr int most_in_pipes = 8 << 20;

bool are_one_file(int a, int b) {
    struct stat first {};
    struct stat second {};
    return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

}  // namespace

RankPrinter::RankPrinter(Reactor& reactor, int ranks, bool with_labels)
    : reactor_(reactor), ranks_(ranks), with_labels_(with_labels) {
    const auto file = [&](int fd, RankProcess::Stream stream, std::unique_ptr<OutputFile>& to) {
        if (!with_labels && ::isatty(fd) == 1) return;
        to = std::make_unique<OutputFile>(reactor, fd,
                                          [this, stream, &to] { on_change(stream, *to); });
    };
    file(STDOUT_FILENO, RankProcess::Stream::output, output_);
    joined_ = output_ != nullptr && are_one_file(STDOUT_FILENO, STDERR_FILENO);
    if (!joined_) file(STDERR_FILENO, RankProcess::Stream::errors, errors_);
}

RankOutputs RankPrinter::outputs(int rank) {
    RankOutputs all;
    if (output_) all.output = output_to(rank, *output_);
    if (errors_) all.errors = output_to(rank, *errors_);
    all.joined = joined_;
    all.pipe_size = std::clamp(most_in_pipes / (2 * ranks_), 64 << 10, 256 << 10);
    return all;
}

std::unique_ptr<Output> RankPrinter::output_to(int rank, OutputFile& file) {
    WriteOutput write = [&file](std::string_view text) { file.write(text); };
    if (with_labels_) return std::make_unique<LineLabels>(rank, std::move(write));
    if (ranks_ > 1) return std::make_unique<WholeLines>(reactor_, std::move(write));
    return std::make_unique<Passed>(std::move(write));
}

void RankPrinter::on_change(RankProcess::Stream stream, const OutputFile& file) {
    if (launcher_ == nullptr) return;
    // As if the rank itself had written there: its next attempt ends it.
    if (file.error() == EPIPE) return launcher_->close_outputs(stream);
    launcher_->read_outputs(stream, file.is_idle());
}

bool RankPrinter::is_idle() const {
    return (!output_ || output_->is_idle()) && (!errors_ || errors_->is_idle());
}

void RankPrinter::settle(Result& result) {
    // Nothing runs any more; whoever does not want to wait for the rest of the output says so.
    int tired = 0;
    while (!is_idle() && tired == 0)
        tired = launcher_->turn();
    const auto fail = [&](std::string what, int exit_code) {
        if (!result.ok) return;
        result.ok = false;
        result.failure = std::move(what);
        result.exit_code = exit_code;
    };
    if (tired != 0) fail("interrupted, and not all that the ranks printed was read", 128 + tired);
    for (const OutputFile* file : {output_.get(), errors_.get()}) {
        const int error = file == nullptr ? 0 : file->error();
        if (error == EPIPE) {
            // As others end whose reader leaves: without a word.
            fail({}, 128 + SIGPIPE);
            if (result.exit_code == 128 + SIGPIPE) result.failure.clear();
        } else if (error != 0) {
            result.output_lost |= result.ok;
            fail(fmt::format("what the ranks printed was lost: cannot write to the standard {}: {}",
                             file == output_.get() ? "output" : "error", ::strerror(error)),
                 1);
        }
    }
}

}  // namespace railyard::job
