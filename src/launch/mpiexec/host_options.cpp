// The options that are about hosts, and about who starts ranks there.

#include <fmt/format.h>

#include <utility>

#include "launch/engines/engine.hpp"
#include "launch/engines/host_list.hpp"
#include "launch/mpiexec/call.hpp"
#include "launch/mpiexec/operands.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpiexec {

namespace {

using job::Program;
using Words = std::span<const std::string>;

void choose_hosts(Call& call, std::vector<engines::WrittenHost> hosts) {
    if (!call.written_hosts.empty())
        throw UsageError(
            "hosts were named before; they are those of all programs, so name them once, in the "
            "order of the ranks");
    call.written_hosts = std::move(hosts);
}

}  // namespace

std::vector<Option> host_options() {
    return {
        {{"hosts", "host", "H"},
         1,
         "--hosts A[:N],B[:N]",
         "The hosts, and how many ranks each takes before the next (default: 1)",
         [](Call& call, Program&, Words w) {
             about("--hosts", [&] { choose_hosts(call, engines::parse_hosts(w[0])); });
         }},
        {{"hostfile", "machinefile", "f"},
         1,
         "--hostfile FILE",
         "The same from a file, a host a line",
         [](Call& call, Program&, Words w) {
             about("--hostfile", [&] { choose_hosts(call, engines::read_hosts(w[0])); });
         }},
        {{"ppn", "perhost", "npernode", "N"},
         1,
         "--ppn N",
         "How many ranks a host takes that is written without a number",
         [](Call& call, Program&, Words w) {
             about("--ppn",
                   [&] { call.slots = number_within<int>(w[0], 1, 1 << 16, "a number of ranks"); });
         }},
        {{"engine"},
         1,
         "--engine NAME",
         "What starts ranks on other hosts: slurm, hydra or openmpi (default: what is here)",
         [](Call& call, Program&, Words w) {
             about("--engine", [&] { call.engine = engines::parse_engine(w[0]); });
         }},
        {{"launcher", "bootstrap"},
         1,
         "--launcher COMMAND",
         "What the engine starts a command on a host with (default: ssh)",
         [](Call& call, Program&, Words w) {
             if (w[0].empty()) throw UsageError("--launcher: expected a command such as ssh");
             call.launcher = w[0];
         }},
        {{"iface"},
         1,
         "--iface NAME",
         "The network interface that the engine uses",
         [](Call& call, Program&, Words w) { call.interface = w[0]; }},
        {{"heartbeat"},
         1,
         "--heartbeat SECONDS",
         "After how long without an answer another host is lost (default: 5)",
         [](Call& call, Program&, Words w) {
             about("--heartbeat", [&] {
                 call.heartbeat = Duration::from_seconds(
                     number_within<double>(w[0], 1, 86400, "seconds, at least 1"));
             });
         }},
        {{"allow-run-as-root"},
         0,
         "",
         "",
         [](Call& call, Program&, Words) { call.as_root = true; }},
        {{"verbose", "v"},
         0,
         "-v, --verbose",
         "Says which command starts the job, where that is another's",
         [](Call& call, Program&, Words) { call.verbose = true; }},
    };
}

}  // namespace railyard::mpiexec
