#include "cli/kept.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>

#include "cli/words.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/results.hpp"
#include "results/file.hpp"
#include "results/json.hpp"

namespace railyard::cli {

namespace {

using results::Json;
using results::Reader;

std::string this_build() {
    return fmt::format("{} ({})", results::version(), results::revision());
}

/// What a handler of signals can say: no longer than a pipe takes at once.
struct LastWords {
    std::array<char, 1024> text{};
    std::atomic<std::size_t> length{0};
};
LastWords last_words;
constexpr std::array ending = {SIGINT, SIGTERM};

void say_and_die(int number) {
    // Acquire: the text was written before its length.
    const std::size_t length = last_words.length.load(std::memory_order_acquire);
    static_cast<void>(::write(STDERR_FILENO, last_words.text.data(), length));
    ::signal(number, SIG_DFL);
    ::raise(number);
}

}  // namespace

std::string kept_beside(const std::string& file) {
    return file + ".partial";
}

std::vector<experiments::Finished> read_kept(const std::string& file) {
    const std::string path = kept_beside(file);
    try {
        const Json value = Reader::parse(results::read_file(path), path);
        const Reader all(value, path);
        if (const std::string by = all.field("by").text(); by != this_build())
            throw UsageError(
                fmt::format("--resume: {} was written by railyard {}, and this is {}; begin anew",
                            path, by, this_build()));
        std::vector<experiments::Finished> finished;
        for (const Reader& step : all.field("finished").elements()) {
            experiments::Finished one{step.field("task").text(), {}};
            for (const Reader& row : step.field("rows").elements())
                one.rows.push_back(row.text());
            finished.push_back(std::move(one));
        }
        return finished;
    } catch (const UsageError&) {
        throw;
    } catch (const Error& error) {
        throw UsageError(fmt::format("--resume: {}", error.what()));
    }
}

std::string keep(const std::string& file, const std::vector<experiments::Finished>& finished) {
    if (finished.empty()) return "";
    Json value;
    value["by"] = this_build();
    value["finished"] = Json::array();
    for (const experiments::Finished& one : finished) {
        Json step;
        step["task"] = one.task;
        step["rows"] = one.rows;
        value["finished"].push_back(std::move(step));
    }
    results::write_file(kept_beside(file), value.dump(1) + "\n");
    return fmt::format(
        "; {} done, kept in {}: the same call with --resume goes on",
        finished.size() == 1 ? "1 run is" : fmt::format("{} runs are", finished.size()),
        kept_beside(file));
}

void forget_kept(const std::string& file) {
    std::error_code ignored;
    std::filesystem::remove(kept_beside(file), ignored);
}

void Interrupted::say(const std::string& kept) {
    const bool is_first = last_words.length.exchange(0, std::memory_order_acq_rel) == 0;
    const std::string line = fmt::format("railyard: interrupted{}\n", kept);
    const std::size_t length = std::min(line.size(), last_words.text.size());
    std::copy_n(line.data(), length, last_words.text.data());
    last_words.length.store(length, std::memory_order_release);
    if (is_first)
        for (const int number : ending)
            ::signal(number, say_and_die);
}

Interrupted::~Interrupted() {
    if (last_words.length.exchange(0, std::memory_order_acq_rel) == 0) return;
    for (const int number : ending)
        ::signal(number, SIG_DFL);
}

}  // namespace railyard::cli
