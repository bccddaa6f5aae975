#pragma once
/// Runs a procedure of the suite on a job of ranks in virtual time, and keeps its rows.

#include <gmock/gmock.h>
#include <mpi.h>

#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "launch/job/job.hpp"
#include "railyard/base/time.hpp"
#include "suite/suite.h"

namespace railyard::suite {

struct Measured {
    std::string metric;
    std::string unit;
    std::map<std::string, std::string> parameters;
    std::vector<double> samples;

    friend bool operator==(const Measured&, const Measured&) = default;
};

inline void PrintTo(const Measured& row, std::ostream* out) {
    *out << row.metric << " [" << row.unit << "]";
    for (const auto& [name, value] : row.parameters)
        *out << ' ' << name << '=' << value;
    *out << ": " << testing::PrintToString(row.samples);
}

inline std::vector<suite_experiment> procedures() {
    int count = 0;
    const suite_experiment* const all = suite_experiments(&count);
    return {all, all + count};
}

inline suite_experiment procedure(const std::string& name) {
    for (const suite_experiment& candidate : procedures())
        if (candidate.name == name) return candidate;
    throw std::runtime_error("there is no procedure " + name);
}

/// What a rank's callbacks work on.
struct Recorder {
    job::Rank* rank;
    std::vector<Measured>* rows;
};

inline void keep(void* to, const suite_row* row) {
    Measured measured{row->metric, row->unit, {}, {row->samples, row->samples + row->sample_count}};
    for (int i = 0; i < row->parameter_count; ++i) {
        const suite_parameter& parameter = row->parameters[i];
        measured.parameters[parameter.name] =
            parameter.text != nullptr ? parameter.text : std::to_string(parameter.number);
    }
    static_cast<Recorder*>(to)->rows->push_back(std::move(measured));
}

inline void idle(void* to, double seconds) {
    static_cast<Recorder*>(to)->rank->host().compute(Duration::from_seconds(seconds));
}

/// How a procedure is called.
struct Call {
    int ranks = 2;
    int iterations = 2;  ///< in each of two batches
    int buffers = 0;
    int times = 1;  ///< one after the other, in the same job
    std::vector<std::pair<std::string, std::string>> settings{};
};

inline std::vector<Measured> measure(const std::string& fabric, const std::string& name,
                                     const std::vector<long long>& sizes, const Call& call = {}) {
    std::vector<Measured> rows;
    job::Options options;
    options.ranks = call.ranks;
    options.fabric = fabric;
    options.settings["mpi"] = call.settings;
    const job::Result result = job::run(options, [&](job::Rank& rank) {
        const Time start = rank.host().now();
        MPI_Init(nullptr, nullptr);
        Recorder recorder{&rank, &rows};
        suite_request request{};
        request.sizes = sizes.data();
        request.size_count = static_cast<int>(sizes.size());
        request.window = 8;
        request.queue = 50;
        request.buffers = call.buffers;
        request.iterations = call.iterations;
        request.warmup = 2;
        request.batches = 2;
        request.init_seconds = (rank.host().now() - start).seconds();
        request.emit = keep;
        request.idle = idle;
        request.to = &recorder;
        for (int i = 0; i < call.times; ++i)
            procedure(name).run(&request);
        MPI_Finalize();
    });
    EXPECT_TRUE(result.ok) << result.failure;
    return rows;
}

/// The median of the two samples of the row with that metric and those parameters.
inline double value(const std::vector<Measured>& rows, const std::string& metric,
                    const std::map<std::string, std::string>& parameters) {
    for (const Measured& row : rows) {
        bool fits = row.metric == metric;
        for (const auto& [name, value] : parameters)
            fits = fits && row.parameters.contains(name) && row.parameters.at(name) == value;
        if (fits) return (row.samples.front() + row.samples.back()) / 2;
    }
    throw std::runtime_error("no row of " + metric);
}

}  // namespace railyard::suite
