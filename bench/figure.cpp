#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <string>

#include "bench/programs.hpp"
#include "bench/suite.hpp"
#include "railyard/base/error.hpp"
#include "railyard/results/row.hpp"

namespace railyard::bench {

Verdict judge(const Figure& figure) {
    if (!figure.target) return Verdict::information;
    const Target& target = *figure.target;
    const double value = target.absolute ? figure.ours : figure.ratio.value_or(NAN);
    bool met = false;
    switch (target.kind) {
        case Target::Kind::at_most:
            met = value <= target.value;
            break;
        case Target::Kind::at_least:
            met = value >= target.value;
            break;
        case Target::Kind::within:
            met = std::abs(value - target.value) <= target.tolerance;
            break;
    }
    return met ? Verdict::ok : Verdict::below;
}

std::string_view name(Verdict verdict) {
    switch (verdict) {
        case Verdict::ok:
            return "ok";
        case Verdict::below:
            return "short";
        case Verdict::information:
            return "-";
    }
    return "?";
}

std::string to_string(const Target& target) {
    switch (target.kind) {
        case Target::Kind::at_most:
            return fmt::format("<= {:g}", target.value);
        case Target::Kind::at_least:
            return fmt::format(">= {:g}", target.value);
        case Target::Kind::within:
            return fmt::format("{:g} +- {:g}", target.value, target.tolerance);
    }
    return "?";
}

double median(std::vector<double> values) {
    return results::summarize(std::move(values)).p50;
}

Score duel(unsigned rounds, const std::function<double()>& ours,
           const std::function<double()>& reference) {
    std::vector<double> our_values;
    std::vector<double> reference_values;
    std::vector<double> ratios;
    for (unsigned i = 0; i < rounds; ++i) {
        reference_values.push_back(reference());
        our_values.push_back(ours());
        ratios.push_back(our_values.back() / reference_values.back());
    }
    return {median(our_values), median(reference_values), median(ratios)};
}

std::vector<std::string> run_job(int ranks, const job::Body& body) {
    job::Options options;
    options.ranks = ranks;
    options.fabric = "shm";
    job::Result result = job::run(options, body);
    if (!result.ok) throw Error(result.failure);
    return std::move(result.delivered);
}

std::string pack(const std::vector<double>& numbers) {
    std::string text(numbers.size() * sizeof(double), '\0');
    if (!numbers.empty()) std::memcpy(text.data(), numbers.data(), text.size());
    return text;
}

std::vector<double> unpack(const std::string& text) {
    std::vector<double> numbers(text.size() / sizeof(double));
    if (!numbers.empty()) std::memcpy(numbers.data(), text.data(), numbers.size() * sizeof(double));
    return numbers;
}

namespace {

/// From the kernel's account of this program alone: what getrusage tells may be that of the process
/// which started it.
double resident_at_most() {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
    throw Error("/proc/self/status does not tell the memory of this process (VmHWM)");
}

}  // namespace

double run_for_memory(std::string_view name) {
    for (const MemoryBenchmark& benchmark : all_of_memory()) {
        if (benchmark.name != name) continue;
        benchmark.run();
        return resident_at_most();
    }
    throw UsageError(fmt::format("--peak-memory: no benchmark of memory is called '{}'", name));
}

double peak_memory(std::string_view name) {
    return std::stod(output_of(
        fmt::format("'{}/railyard-bench' --peak-memory {}", own_folder().string(), name)));
}

}  // namespace railyard::bench
