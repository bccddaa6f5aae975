#pragma once
/// The words of a command line: lists, numbers, and things found by their names; and what to say
/// when they are wrong.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/core/experiment.hpp"
#include "launch/peers/peer_job.hpp"
#include "railyard/base/time.hpp"
#include "railyard/traits.hpp"
#include "railyard/work.hpp"

namespace railyard::cli {

/// The items between commas, without spaces around them. Throws UsageError for an empty one.
std::vector<std::string> split_list(std::string_view option, std::string_view text);

/// A whole number. Throws UsageError, which says what is allowed.
unsigned parse_count(std::string_view option, std::string_view text, unsigned least, unsigned most);

/// "50us", or a number of seconds. Throws UsageError.
Duration parse_time(std::string_view option, const std::string& text);
/// --time-budget, for those that take long: the word outlives the app. More than nothing.
void add_time_budget(CLI::App& app, std::string& word, const char* help);
std::optional<Duration> time_budget(const std::string& word);

/// "unknown experiment 'latncy-uni'; did you mean 'latency-uni'? `railyard experiments` lists all".
std::string unknown(std::string_view what, std::string_view wrong,
                    std::span<const std::string> names, std::string_view see);

/// "1 message", "2 messages".
std::string count_of(std::uint64_t n, std::string_view one);

/// That anybody may ask for.
inline constexpr unsigned most_ranks = 1 << 16;

/// As the name of a file: standard output.
inline constexpr const char* standard_output = "-";

const fabric::Traits& fabric_named(std::string_view name);
const experiments::Experiment& experiment_named(std::string_view name);
/// One that experiments can be asked to measure.
fabric::Op op_named(std::string_view name);
experiments::Memory memory_named(std::string_view name);
/// Of MPI experiments.
experiments::Library library_named(std::string_view name);

/// Puts the option's word into the environment, where this process and its ranks find it; an empty
/// word leaves what is there. Throws UsageError if either is none of the words allowed.
void apply_twin(std::string_view option, const std::string& word, const char* variable,
                std::span<const std::string_view> allowed);

/// The options by which two calls of `railyard`, on two hosts, find each other: as they were typed;
/// an empty word was not given.
struct PeerWords {
    std::string listen, peer, secret_file;
};

/// The words outlive the app.
void add_peer_options(CLI::App& app, PeerWords& words);

/// None: all ranks are on this host. Throws UsageError, also if nobody has given a secret.
std::optional<peers::PeerOptions> peer_options(const PeerWords& words);
/// The two sides as a launcher of others has started them: `srun -N2 railyard measure`. None: there
/// is none, or it has started one process. Throws UsageError if there are more than two.
std::optional<peers::PeerOptions> peer_by_launcher();

/// A setting of the MPI library, by its name in `railyard mpi-info`, as an option gave it.
struct TypedSetting {
    std::string option, name, value;
    std::string complains_as = option;  ///< what is wrong with the value is told of this
};

/// "NAME=VALUE" of --set. Throws UsageError.
TypedSetting typed_setting(const std::string& word);

/// Puts them into the environment, where the library finds them. Whether they go together, and with
/// what was there before, is asked of all at once. Throws UsageError, for a name that is none with
/// the nearest that is.
void apply_settings(const fabric::Traits& fabric, std::span<const TypedSetting> typed);

}  // namespace railyard::cli
