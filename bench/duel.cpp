#include "bench/duel.hpp"

#include <cstring>

#include "railyard/base/error.hpp"
#include "results/statistics.hpp"

namespace railyard::bench {

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

}  // namespace railyard::bench
