#include "mpi/traces/summary.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

#include "mpi/calls/parameters.hpp"
#include "mpi/collectives/algorithms.hpp"

namespace railyard::mpi::traces {

namespace {

using calls::Chapter;
using calls::Function;

std::string algorithm_of(const Call& call) {
    if (!recording::chosen::is_code(call.tag)) return "";
    const std::int32_t algorithm = recording::chosen::algorithm(call.tag);
    if (algorithm == recording::chosen::network) return "network";
    return std::string(name(static_cast<Algorithm>(algorithm)));
}

/// Collects from calls and messages.
class Collector {
  public:
    Collector(const RunRecord& run, Summary& summary) : run_(run), summary_(summary) {}

    void collect() {
        summary_.ranks.resize(run_.ranks.size());
        std::set<int> hosts;
        for (std::size_t i = 0; i < run_.ranks.size(); ++i) {
            const RankRecord& rank = run_.ranks[i];
            const int id = static_cast<int>(i);
            if (rank.is_present) hosts.insert(rank.node);
            if (rank.is_full) summary_.incomplete.push_back(id);
            if (rank.is_present && !rank.has_ended) summary_.ended_early.push_back(id);
            add_rank(rank, summary_.ranks[i]);
            add_library_traffic(id, rank);
            for (const Call& call : rank.calls)
                add_call(id, call);
        }
        summary_.hosts = static_cast<int>(hosts.size());
        summary_.elapsed = run_.end().since_start();
        for (const Message& message : run_.messages)
            if (message.is_sent) add_message(message);
        add_waits();
        finish();
    }

  private:
    void add_rank(const RankRecord& rank, RankTime& time) {
        Time begin, end;
        Duration inside;
        for (const Call& call : rank.calls) {
            const Duration took = call.end - call.begin;
            if (call.function == Function::Init) {
                time.start_up += took;
                begin = call.end;
            } else if (call.function == Function::Finalize) {
                time.shut_down += took;
            } else if (call.is_outermost && call.thread == 0) {
                inside += took;
                time.connecting += connecting_time(rank, call.begin, call.end);
            }
            end = std::max(end, call.function == Function::Finalize ? call.begin : call.end);
        }
        time.in_mpi = inside;
        if (end > begin) time.computing = end - begin - inside;
    }

    void add_call(int rank, const Call& call) {
        if (!call.is_outermost) return;
        FunctionTime& function = functions_[call.function];
        function.calls += call.calls;
        function.time += call.end - call.begin;
        if (is_collective(call.function)) {
            CollectiveTime& collective = collectives_[{call.function, algorithm_of(call)}];
            ++collective.calls;
            collective.bytes += call.bytes;
            collective.time += call.end - call.begin;
        }
        if (calls::chapter(call.function) == Chapter::one_sided && call.peer >= 0 &&
            call.peer < static_cast<int>(run_.ranks.size()))
            add_amount(pairs_[{rank, call.peer}].users, call.bytes);
    }

    void add_amount(Amount& to, std::uint64_t bytes) {
        ++to.messages;
        to.bytes += bytes;
        Amount& of_size = sizes_[std::bit_floor(bytes)];
        ++of_size.messages;
        of_size.bytes += bytes;
    }

    void add_message(const Message& message) {
        add_amount(pairs_[{message.source, message.destination}].users, message.bytes);
    }

    void add_library_traffic(int rank, const RankRecord& record) {
        for (std::size_t peer = 0; peer < record.library_traffic.size(); ++peer) {
            const auto& [messages, bytes] = record.library_traffic[peer];
            if (messages > 0) pairs_[{rank, static_cast<int>(peer)}].librarys = {messages, bytes};
        }
    }

    void add_waits() {
        std::map<std::tuple<Wait::Why, int, int>, WaitPair> by_pair;
        for (const Wait& wait : waits_of(run_)) {
            const auto rank = static_cast<std::size_t>(wait.rank);
            RankTime& time = summary_.ranks[rank];
            (wait.why == Wait::Why::late_sender     ? time.late_sender
             : wait.why == Wait::Why::late_receiver ? time.late_receiver
                                                    : time.collective) += wait.lost;
            summary_.ranks[static_cast<std::size_t>(wait.by)].caused += wait.lost;
            WaitPair& pair = by_pair[{wait.why, wait.rank, wait.by}];
            pair.why = wait.why;
            pair.rank = wait.rank;
            pair.by = wait.by;
            ++pair.times;
            pair.lost += wait.lost;
            const Call& call = run_.ranks[rank].calls[wait.call];
            if (wait.why == Wait::Why::collective)
                collectives_[{call.function, algorithm_of(call)}].waited += wait.lost;
        }
        for (const auto& [which, pair] : by_pair)
            summary_.waits.push_back(pair);
        std::ranges::stable_sort(summary_.waits, std::greater(), &WaitPair::lost);
    }

    void finish() {
        for (auto& [ranks, pair] : pairs_) {
            pair.from = ranks.first;
            pair.to = ranks.second;
            summary_.pairs.push_back(pair);
        }
        for (const auto& [least, amount] : sizes_)
            summary_.sizes.push_back({least, amount});
        for (auto& [function, time] : functions_) {
            time.function = calls::name(function);
            summary_.functions.push_back(time);
        }
        for (auto& [which, time] : collectives_) {
            time.function = calls::name(which.first);
            time.algorithm = which.second;
            summary_.collectives.push_back(time);
        }
        std::ranges::stable_sort(summary_.functions, std::greater(), &FunctionTime::time);
        std::ranges::stable_sort(summary_.collectives, std::greater(), &CollectiveTime::time);
    }

    const RunRecord& run_;
    Summary& summary_;
    std::map<std::pair<int, int>, Pair> pairs_;
    std::map<std::uint64_t, Amount> sizes_;
    std::map<Function, FunctionTime> functions_;
    std::map<std::pair<Function, std::string>, CollectiveTime> collectives_;
};

}  // namespace

bool is_collective(calls::Function function) {
    const Chapter chapter = calls::chapter(function);
    return chapter == Chapter::collectives || chapter == Chapter::nonblocking_collectives ||
           chapter == Chapter::neighbourhoods || chapter == Chapter::nonblocking_neighbourhoods;
}

double Summary::imbalance() const {
    Duration sum, longest;
    for (const RankTime& rank : ranks) {
        sum += rank.computing;
        longest = std::max(longest, rank.computing);
    }
    if (sum <= Duration()) return 1;
    return longest / (sum / static_cast<std::int64_t>(ranks.size()));
}

Summary summarise(const RunRecord& run) {
    Summary summary;
    Collector(run, summary).collect();
    return summary;
}

}  // namespace railyard::mpi::traces
