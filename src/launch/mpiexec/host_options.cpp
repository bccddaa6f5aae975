#include "launch/mpiexec/host_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/parse.hpp"
#include "launch/mpiexec/host_words.hpp"
#include "railyard/base/error.hpp"

namespace railyard::launcher {

namespace {

using job::Program;
using Words = std::span<const std::string>;

/// Runs it, and says which option a complaint is about.
template <class Work>
void about(std::string_view option, Work&& work) {
    try {
        work();
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", option, error.what()));
    }
}

template <class Number>
Number number_within(const std::string& text, Number least, Number most, std::string_view what) {
    const auto value = parse_number<Number>(text);
    if (!value || !(*value >= least) || *value > most)
        throw UsageError(fmt::format("expected {}, found '{}'", what, text));
    return *value;
}

void choose_hosts(Call& call, std::vector<WrittenHost> hosts) {
    if (!call.written_hosts.empty())
        throw UsageError(
            "hosts were named before; they are those of all programs, so name them once, in the "
            "order of the ranks");
    call.written_hosts = std::move(hosts);
}

void choose_launcher(Call& call, const std::string& text) {
    call.hosts.launcher = split_words(text);
    if (call.hosts.launcher.empty())
        throw UsageError("expected a command such as ssh, found nothing");
}

}  // namespace

std::vector<Option> host_options() {
    return {
        {{"hosts", "host", "H"},
         1,
         "--hosts A[:N],B[:N]",
         "The hosts, and how many ranks each takes before the next (default: 1)",
         [](Call& call, Program&, Words w) {
             about("--hosts", [&] { choose_hosts(call, parse_hosts(w[0])); });
         }},
        {{"hostfile", "machinefile", "f"},
         1,
         "--hostfile FILE",
         "The same from a file, a host a line",
         [](Call& call, Program&, Words w) {
             about("--hostfile", [&] { choose_hosts(call, read_hosts(w[0])); });
         }},
        {{"ppn", "perhost", "npernode", "N"},
         1,
         "--ppn N",
         "How many ranks a host takes that is written without a number",
         [](Call& call, Program&, Words w) {
             about("--ppn",
                   [&] { call.slots = number_within<int>(w[0], 1, 1 << 16, "a number of ranks"); });
         }},
        {{"launcher", "bootstrap"},
         1,
         "--launcher COMMAND",
         "What starts a command on a host named behind it (default: ssh)",
         [](Call& call, Program&, Words w) {
             about("--launcher", [&] { choose_launcher(call, w[0]); });
         }},
        {{"listen"},
         1,
         "--listen ADDRESS",
         "Where hosts call back: an address, or address:port (default: all, any port)",
         [](Call& call, Program&, Words w) { call.hosts.listen = w[0]; }},
        {{"heartbeat"},
         1,
         "--heartbeat SECONDS",
         "After how long without an answer a host is lost (default: 5)",
         [](Call& call, Program&, Words w) {
             about("--heartbeat", [&] {
                 call.hosts.heartbeat = Duration::from_seconds(
                     number_within<double>(w[0], 1, 86400, "seconds, at least 1"));
             });
         }},
    };
}

}  // namespace railyard::launcher
