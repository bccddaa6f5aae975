/// Runs a fuzz target without a fuzzer: every seed as it is, then a fixed number of mutations of
/// seeds from a fixed generator, so that every compiler runs it and every run is the same.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

std::vector<Input> read_seeds(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());  // the directory's own order differs between machines
    std::vector<Input> seeds;
    for (const auto& path : paths) {
        std::ifstream in(path, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return seeds;
}

class Mutator {
  public:
    explicit Mutator(std::vector<Input> seeds) : seeds_(std::move(seeds)) {}

    Input next() {
        Input input = seeds_[below(seeds_.size())];
        for (std::size_t steps = 1 + below(4); steps > 0; --steps)
            step(input);
        return input;
    }

  private:
    void step(Input& input) {
        const auto at = static_cast<std::ptrdiff_t>(below(input.size() + 1));
        switch (below(4)) {
            case 0:
                input.insert(input.begin() + at, static_cast<std::uint8_t>(below(256)));
                break;
            case 1:
                if (at < std::ssize(input)) input.erase(input.begin() + at);
                break;
            case 2:
                if (at < std::ssize(input)) input[at] = static_cast<std::uint8_t>(below(256));
                break;
            default:  // a piece of another seed
                const Input& other = seeds_[below(seeds_.size())];
                const auto length = static_cast<std::ptrdiff_t>(below(other.size() + 1));
                input.insert(input.begin() + at, other.begin(), other.begin() + length);
        }
    }
    std::size_t below(std::size_t n) { return random_() % n; }

    std::vector<Input> seeds_;
    std::mt19937_64 random_{1};
};

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s SEED-FOLDER\n", argv[0]);
        return 2;
    }
    const std::vector<Input> seeds = read_seeds(argv[1]);
    if (seeds.empty()) {
        std::fprintf(stderr, "%s: no seeds: put at least one input there\n", argv[1]);
        return 1;
    }
    for (const Input& seed : seeds)
        LLVMFuzzerTestOneInput(seed.data(), seed.size());
    Mutator mutator(seeds);
    constexpr int rounds = 30'000;
    for (int i = 0; i < rounds; ++i) {
        const Input input = mutator.next();
        LLVMFuzzerTestOneInput(input.data(), input.size());
    }
    std::printf("%zu seeds and %d mutations\n", seeds.size(), rounds);
    return 0;
}
