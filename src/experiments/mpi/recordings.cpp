#include "experiments/mpi/recordings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

#include <toml++/toml.h>

namespace railyard::experiments {

// Made by the build: the names and bytes of all files of data/kernels/, and the bytes of the other.
std::span<const std::pair<std::string_view, std::string_view>> kernel_files();
std::string_view slowdown_toml();

namespace {

/// "cg.A.8.gz".
RecordedKernel as_recorded(std::string_view name, std::string_view bytes) {
    const auto words = split(name, '.');
    const auto ranks = words.size() == 4 ? parse_number<int>(words[2]) : std::nullopt;
    if (!ranks) throw Error(fmt::format("data/kernels/{}: no KERNEL.CLASS.RANKS.gz", name));
    return {std::string(words[0]), std::string(words[1]), *ranks, bytes};
}

std::vector<RecordedKernel> all_recorded() {
    std::vector<RecordedKernel> all;
    for (const auto& [name, bytes] : kernel_files())
        all.push_back(as_recorded(name, bytes));
    std::ranges::sort(all, {}, [](const RecordedKernel& r) {
        return std::tie(r.kernel, r.problem_class, r.ranks);
    });
    return all;
}

}  // namespace

std::span<const RecordedKernel> recorded_kernels() {
    static const std::vector<RecordedKernel> all = all_recorded();
    return all;
}

const RecordedKernel* find_recording(std::string_view kernel, std::string_view problem_class,
                                     int ranks) {
    for (const RecordedKernel& recorded : recorded_kernels())
        if (recorded.kernel == kernel && recorded.problem_class == problem_class &&
            recorded.ranks == ranks)
            return &recorded;
    return nullptr;
}

std::shared_ptr<const runs::Recording> read(const RecordedKernel& recorded) {
    // Ranks are fibers of one thread, but jobs may run on several.
    static std::mutex mutex;
    static std::map<const RecordedKernel*, std::weak_ptr<const runs::Recording>> open;
    const std::lock_guard lock(mutex);
    std::weak_ptr<const runs::Recording>& known = open[&recorded];
    if (auto recording = known.lock()) return recording;
    auto recording = std::make_shared<const runs::Recording>(runs::read_recording(
        recorded.bytes, fmt::format("data/kernels/{}.{}.{}.gz", recorded.kernel,
                                    recorded.problem_class, recorded.ranks)));
    known = recording;
    return recording;
}

double slowdown(std::string_view kernel) {
    static const toml::table table =
        toml::parse(slowdown_toml(), std::string_view("data/kernels/slowdown.toml"));
    const auto factor = table["slowdown"][kernel].value<double>();
    if (!factor || *factor <= 0)
        throw Error(
            fmt::format("data/kernels/slowdown.toml: slowdown.{}: expected a factor", kernel));
    return *factor;
}

}  // namespace railyard::experiments
