#include "programs/runs/run.hpp"

#include <algorithm>
#include <set>

#include "launch/job/faulty_job.hpp"
#include "mpi/abi/call_watch.hpp"
#include "programs/runs/account.hpp"
#include "programs/runs/computation.hpp"

namespace railyard::runs {

namespace {

/// A program's words as main has them; one copy a rank, since programs may write into them.
class Arguments {
  public:
    explicit Arguments(std::vector<std::string> words) : words_(std::move(words)) {
        for (std::string& word : words_)
            pointers_.push_back(word.data());
        pointers_.push_back(nullptr);
    }
    int count() const { return static_cast<int>(words_.size()); }
    char** values() { return pointers_.data(); }

  private:
    std::vector<std::string> words_;
    std::vector<char*> pointers_;
};

int nodes_of(const job::Options& job) {
    if (job.nodes.empty()) return job.ranks;
    return static_cast<int>(std::set(job.nodes.begin(), job.nodes.end()).size());
}

}  // namespace

Outcome run(const Options& options) {
    Computation computation(options.compute, options.words, options.job.ranks);
    Account account;
    job::Options job = options.job;
    job.account_for_parts = true;
    std::vector<int> codes(static_cast<std::size_t>(job.ranks), 0);
    const auto body = [&](job::Rank& rank) {
        RankWatch watch(account, computation, rank.host(), rank.id());
        mpi::abi::watch_calls(&watch);
        Arguments arguments(options.words);
        codes[static_cast<std::size_t>(rank.id())] =
            options.main(arguments.count(), arguments.values());
        account.add_end(rank.host().now());
    };
    job::Faults faults{options.faults, {}};
    const job::Result result =
        options.faults.empty() ? job::run(job, body) : job::run_with_faults(job, faults, body);

    Outcome outcome;
    outcome.ok = result.ok;
    outcome.failure = result.failure;
    outcome.exit_code = result.exit_code;
    const auto failed = std::ranges::find_if(codes, [](int code) { return code != 0; });
    if (result.ok && failed != codes.end()) outcome.exit_code = *failed;
    if (outcome.exit_code == 0) computation.finish();

    Summary& summary = outcome.summary;
    summary.words = options.words;
    summary.fabric = job.fabric;
    summary.ranks = job.ranks;
    summary.nodes = nodes_of(job);
    summary.compute = options.compute;
    if (!options.faults.empty()) summary.faults = std::move(faults.report);
    account.summarise(summary, result.parts);
    return outcome;
}

}  // namespace railyard::runs
