#include "programs/runs/computation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/clock.hpp"
#include "railyard/base/error.hpp"
#include "results/file.hpp"

namespace railyard::runs {

namespace {

using From = ComputeChoice::From;

/// As a user would call it.
std::string call(const std::string& program, const std::vector<std::string>& arguments,
                 std::size_t ranks) {
    std::string text = fmt::format("-n {} {}", ranks, program);
    for (const std::string& argument : arguments)
        text += ' ' + argument;
    return text;
}

Recording empty_recording(const std::vector<std::string>& words, std::size_t ranks) {
    Recording recording;
    for (const std::string& word : words)
        recording.arguments.push_back(as_recorded(word));
    recording.program = recording.arguments.front();
    recording.arguments.erase(recording.arguments.begin());
    recording.ranks.resize(ranks);
    return recording;
}

}  // namespace

Computation::Computation(const ComputeChoice& choice, const std::vector<std::string>& words,
                         int ranks)
    : choice_(choice) {
    const auto count = static_cast<std::size_t>(ranks);
    calls_.resize(count);
    switch (choice_.from) {
        case From::nowhere:
            return;
        case From::file:
            read(words, ranks);
            return;
        case From::recording:
        case From::medians:
            results::check_writable(choice_.file);
            recording_ = empty_recording(words, count);
            recorders_.assign(count, Recorder(count));
            [[fallthrough]];
        case From::measurement:
            began_.resize(count);
            cost_of_reading_ = thread_clock::cost();
    }
}

void Computation::read(const std::vector<std::string>& words, int ranks) {
    const std::string file = choice_.file.string();
    recording_ = read_recording(choice_.file);
    const Recording ours = empty_recording(words, static_cast<std::size_t>(ranks));
    if (recording_.program != ours.program || recording_.arguments != ours.arguments ||
        recording_.ranks.size() != ours.ranks.size())
        throw UsageError(fmt::format(
            "{}: recorded by `railyard run {}`, and this is `railyard run {}`; call it the same, "
            "or record this one with --compute record:FILE",
            file, call(recording_.program, recording_.arguments, recording_.ranks.size()),
            call(ours.program, ours.arguments, ours.ranks.size())));
    double longest = 0;
    for (const Recording::Rank& rank : recording_.ranks) {
        double sum = 0;
        for (const Nanoseconds time : rank.times)
            sum += static_cast<double>(time);
        longest = std::max(longest, sum);
    }
    if (longest * choice_.factor >= static_cast<double>(Recording::limit))
        throw UsageError(
            fmt::format("{}: a rank would compute for {:.0f} days; take a factor "
                        "less than {}",
                        file, longest * choice_.factor / 86'400e9, choice_.factor));
}

void Computation::begin(std::size_t rank) {
    if (choice_.records() && calls_[rank] > 0) recorders_[rank].left();
    if (!choice_.repeats()) began_[rank] = thread_clock::now();
}

Duration Computation::end(std::size_t rank, mpi::calls::Function function,
                          std::span<const mpi::calls::Word> arguments, Duration beside) {
    const std::size_t call = calls_[rank]++;
    switch (choice_.from) {
        case From::nowhere:
            break;
        case From::file: {
            const auto& times = recording_.ranks[rank].times;
            // See check_calls().
            return call < times.size() ? scaled(times[call], choice_.factor) : Duration();
        }
        case From::measurement:
        case From::recording:
        case From::medians: {
            Duration span;
            if (const auto began = began_[rank])
                span = std::max(thread_clock::now() - *began - cost_of_reading_, beside);
            const auto time =
                static_cast<Nanoseconds>(std::max(0.0, std::round(span.nanoseconds())));
            if (choice_.records()) {
                recording_.ranks[rank].times.push_back(time);
                recorders_[rank].entered(function, arguments);
            }
            return scaled(time, choice_.factor);
        }
    }
    return {};
}

void Computation::finish() {
    if (choice_.records()) write();
    if (choice_.from == From::file) check_calls();
}

void Computation::write() {
    recording_.processor = this_processor();
    recording_.date = today();
    std::map<RecordedCall, std::uint32_t> index;
    for (std::size_t rank = 0; rank < recorders_.size(); ++rank) {
        Recording::Rank made = recorders_[rank].finish(recording_.calls, index);
        made.times = std::move(recording_.ranks[rank].times);
        recording_.ranks[rank] = std::move(made);
    }
    if (choice_.from == From::medians) take_medians(recording_);
    write_recording(recording_, choice_.file);
}

/// Only now, as a program that is stopped in the middle of a call may have no way out.
void Computation::check_calls() const {
    for (std::size_t rank = 0; rank < calls_.size(); ++rank)
        if (const std::size_t recorded = recording_.ranks[rank].calls.size();
            calls_[rank] != recorded)
            throw Error(fmt::format(
                "{}: rank {} has made {} MPI calls, and {} when this was recorded, so the times "
                "are of another program, or of one that polls (MPI_Test, MPI_Iprobe) as often as "
                "it has time; record it anew with --compute record:{}, or take --compute measured",
                choice_.file.string(), rank, calls_[rank], recorded, choice_.file.string()));
}

}  // namespace railyard::runs
