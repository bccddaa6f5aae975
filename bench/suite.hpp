#pragma once
/// The benchmarks, each a function that measures one or more figures. Their list is in suite.cpp.

#include <span>
#include <string_view>

#include "bench/figure.hpp"

namespace railyard::bench {

/// What a run is asked for.
struct Settings {
    unsigned rounds = 7;  ///< how often ours and the reference take turns
};

struct Benchmark {
    std::string_view name;     ///< its figures are called so, or "name/…"
    std::string_view summary;  ///< one line, no full stop
    void (*run)(const Settings&, const Report&);
};

std::span<const Benchmark> all();

}  // namespace railyard::bench
