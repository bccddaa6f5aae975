#pragma once
/// What ranks compute between their MPI calls, and how that is charged in virtual time: not at all,
/// as measured, or as it was recorded before.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "railyard/base/time.hpp"

namespace railyard::runs {

/// A program's computation as it was recorded: for each rank, how long it computed before each of
/// its MPI calls. As a file: a line of JSON that says of what run it is, a line of nanoseconds a
/// rank, and a last line that says that this is all.
struct ComputeLog {
    using Nanoseconds = std::uint64_t;

    std::string program;
    std::vector<std::string> arguments;
    std::vector<std::vector<Nanoseconds>> ranks;  ///< one time a call

    /// Less than this before any one call, and of any one rank in all: no clock runs over.
    static constexpr Nanoseconds limit = 1'000'000'000'000'000;

    friend bool operator==(const ComputeLog&, const ComputeLog&) = default;
};

std::string to_text(const ComputeLog& log);

/// Throws Error, which names `file` and the line. What to_text wrote reads back as the same.
ComputeLog parse_log(std::string_view text, const std::string& file);

/// A word as a log holds it: what is not UTF-8 is replaced, so that it can be written at all.
std::string as_logged(const std::string& word);

/// As the command line says it.
struct ComputeChoice {
    enum class From : unsigned char {
        nowhere,      ///< it takes no time
        measurement,  ///< as long as it takes in this run, on this machine
        recording,    ///< the same, and it is written down
        file,         ///< as long as was written down
    };
    From from = From::nowhere;
    double factor = 1;           ///< by which all of it is multiplied
    std::filesystem::path file;  ///< of a recording

    /// Whether two runs give the same.
    bool repeats() const { return from == From::nowhere || from == From::file; }
};

/// "none", "measured", "measured×2" (or x, or *), "record:FILE", "replay:FILE", "replay×2:FILE".
/// Throws UsageError.
ComputeChoice parse_compute(std::string_view option, std::string_view text);

/// As parse_compute takes it.
std::string to_string(const ComputeChoice& choice);

/// Of all ranks of one run.
class Computation {
  public:
    /// `words`: the program and its arguments. Reads the file of a replay, and sees that a
    /// recording can be written. Throws Error; UsageError if the file is of another run than this.
    Computation(const ComputeChoice& choice, const std::vector<std::string>& words, int ranks);

    bool is_charged() const { return choice_.from != ComputeChoice::From::nowhere; }

    /// A call of that rank ends, and it computes.
    void begin(std::size_t rank);
    /// The rank's next call comes. How long it has computed.
    Duration end(std::size_t rank);

    /// The run is over and went well: writes the recording, in one step. Throws Error if that
    /// fails, or if the program has made other MPI calls than when it was recorded.
    void finish() const;

  private:
    void read(const std::vector<std::string>& words, int ranks);
    void check_calls() const;
    Duration scaled(ComputeLog::Nanoseconds time) const;

    const ComputeChoice choice_;
    ComputeLog log_;                  ///< what was read, or is to be written
    std::vector<std::size_t> calls_;  ///< by rank: how many it has made
    std::vector<Duration> began_;     ///< by rank, on the thread's clock
    Duration cost_of_reading_;        ///< the thread's clock
};

}  // namespace railyard::runs
