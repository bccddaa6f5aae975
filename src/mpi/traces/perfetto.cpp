#include "mpi/traces/perfetto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "mpi/calls/parameters.hpp"
#include "mpi/collectives/algorithms.hpp"

namespace railyard::mpi::traces {

namespace {

/// What a call has sent and received.
struct Carried {
    const Message* first_sent = nullptr;
    const Message* first_received = nullptr;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
    std::uint64_t bytes_sent = 0;
    std::uint64_t bytes_received = 0;
};

// Above those of other processes.
constexpr int first_lane = 1 << 20;

class Writer {
  public:
    Writer(const RunRecord& run, const Span& span) : run_(run), span_(span) {}

    std::string write() {
        carried_.resize(run_.ranks.size());
        for (std::size_t rank = 0; rank < run_.ranks.size(); ++rank)
            carried_[rank].resize(run_.ranks[rank].calls.size());
        for (const Message& message : run_.messages)
            note(message);
        add(R"({{"ph":"M","pid":{},"name":"process_name","args":{{"name":"ranks"}}}})",
            ranks_process);
        for (std::size_t rank = 0; rank < run_.ranks.size(); ++rank)
            add_rank(rank);
        std::uint64_t id = 0;
        for (const Message& message : run_.messages)
            add_arrow(message, ++id);
        return fmt::to_string(buffer_);
    }

  private:
    template <class... Args>
    void add(fmt::format_string<Args...> format, Args&&... args) {
        if (buffer_.size() != 0) append(",\n");
        fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    }
    void append(std::string_view text) { buffer_.append(text.data(), text.data() + text.size()); }

    bool is_shown(Time begin, Time end) const {
        return end >= Time::at(span_.from) && begin.since_start() <= span_.to;
    }
    /// As viewers are told it: real time has whole nanoseconds, and slices must not overlap.
    Time rounded(Time time) const {
        if (run_.in_virtual_time) return time;
        const std::int64_t ps = time.since_start().picoseconds();
        return Time::at(Duration::ns((ps - (ps < 0 ? 999 : 0)) / 1000));
    }
    std::string microseconds(Duration time) const {
        const std::int64_t ps = time.picoseconds();
        const auto magnitude = static_cast<std::uint64_t>(ps < 0 ? -ps : ps);
        const char* const sign = ps < 0 ? "-" : "";
        if (run_.in_virtual_time)
            return fmt::format("{}{}.{:06}", sign, magnitude / 1'000'000, magnitude % 1'000'000);
        return fmt::format("{}{}.{:03}", sign, magnitude / 1'000'000,
                           magnitude % 1'000'000 / 1'000);
    }
    std::string microseconds(Time time) const { return microseconds(rounded(time).since_start()); }

    /// The lanes of one rank's threads follow each other.
    int lane(std::size_t rank, int thread) {
        const auto [found, is_new] =
            lanes_.try_emplace({rank, thread}, first_lane + static_cast<int>(rank) * 256 + thread);
        if (is_new) {
            const std::string name = thread == 0 ? fmt::format("rank {}", rank)
                                                 : fmt::format("rank {} thread {}", rank, thread);
            add(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})",
                ranks_process, found->second, name);
            add(R"({{"ph":"M","pid":{},"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})",
                ranks_process, found->second, found->second);
        }
        return found->second;
    }

    void note(const Message& message) {
        if (message.send_call != no_call) {
            Carried& call = carried_[static_cast<std::size_t>(message.source)][message.send_call];
            if (call.sent++ == 0) call.first_sent = &message;
            call.bytes_sent += message.bytes;
        }
        if (message.receive_call != no_call) {
            Carried& call =
                carried_[static_cast<std::size_t>(message.destination)][message.receive_call];
            if (call.received++ == 0) call.first_received = &message;
            call.bytes_received += message.bytes;
        }
    }

    void add_rank(std::size_t rank) {
        const RankRecord& record = run_.ranks[rank];
        if (!record.is_present) return;
        std::map<int, Time> idle_since;  // by thread
        for (std::size_t i = 0; i < record.calls.size(); ++i) {
            const Call& call = record.calls[i];
            const auto idle = idle_since.find(call.thread);
            if (call.is_outermost && idle != idle_since.end() && call.begin > idle->second)
                add_slice(rank, call.thread, "computing", idle->second, call.begin, "");
            if (call.is_outermost) idle_since[call.thread] = call.end;
            add_slice(rank, call.thread, calls::name(call.function), call.begin, call.end,
                      arguments(call, carried_[rank][i]));
        }
    }

    void add_slice(std::size_t rank, int thread, std::string_view name, Time begin, Time end,
                   const std::string& arguments) {
        if (!is_shown(begin, end)) return;
        const int its_lane = lane(rank, thread);
        add(R"({{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":"{}","args":{{{}}}}})",
            ranks_process, its_lane, microseconds(begin),
            microseconds(rounded(end) - rounded(begin)), name, arguments);
    }

    static std::string arguments(const Call& call, const Carried& carried) {
        std::vector<std::string> all;
        if (carried.sent == 1)
            all.push_back(fmt::format(R"("to":{},"tag":{},"bytes":{})",
                                      carried.first_sent->destination, carried.first_sent->tag,
                                      carried.bytes_sent));
        else if (carried.sent > 1)
            all.push_back(
                fmt::format(R"("sent":{},"bytes_sent":{})", carried.sent, carried.bytes_sent));
        if (carried.received == 1)
            all.push_back(fmt::format(
                R"("from":{},"{}":{},"{}":{})", carried.first_received->source,
                carried.sent == 1 ? "tag_received" : "tag", carried.first_received->tag,
                carried.sent == 1 ? "bytes_received" : "bytes", carried.bytes_received));
        else if (carried.received > 1)
            all.push_back(fmt::format(R"("received":{},"bytes_received":{})", carried.received,
                                      carried.bytes_received));
        if (call.peer >= 0)
            all.push_back(fmt::format(R"("{}":{})", is_rooted(call) ? "root" : "peer", call.peer));
        if (recording::chosen::is_code(call.tag))
            all.push_back(fmt::format(R"("algorithm":"{}")", algorithm(call)));
        else if (call.tag >= 0 && carried.sent == 0)
            all.push_back(fmt::format(R"("tag":{})", call.tag));
        if (call.bytes > 0 && carried.sent + carried.received == 0)
            all.push_back(fmt::format(R"("bytes":{})", call.bytes));
        if (call.communicator != 0)
            all.push_back(fmt::format(R"("communicator":{})", call.communicator & 0xffff));
        if (call.calls > 1) all.push_back(fmt::format(R"("calls":{})", call.calls));
        if (!call.is_over) all.emplace_back(R"("unfinished":true)");
        return fmt::format("{}", fmt::join(all, ","));
    }

    static bool is_rooted(const Call& call) {
        for (const calls::Parameter& parameter : calls::parameters(call.function))
            if (parameter.kind == calls::Kind::root) return true;
        return false;
    }

    static std::string_view algorithm(const Call& call) {
        const std::int32_t code = recording::chosen::algorithm(call.tag);
        return code == recording::chosen::network ? "network" : name(static_cast<Algorithm>(code));
    }

    void add_arrow(const Message& message, std::uint64_t id) {
        if (message.send_call == no_call || message.receive_call == no_call || !message.is_received)
            return;
        const auto source = static_cast<std::size_t>(message.source);
        const auto destination = static_cast<std::size_t>(message.destination);
        const Call& send = run_.ranks[source].calls[message.send_call];
        const Call& receive = run_.ranks[destination].calls[message.receive_call];
        if (!is_shown(send.begin, send.end) || !is_shown(receive.begin, receive.end)) return;
        // Viewers count whole nanoseconds, and an arrow must end within its call.
        const Time last =
            std::max(receive.begin, Time::at(receive.end.since_start() - Duration::ns(1)));
        const Time end = std::clamp(message.received, receive.begin, last);
        const int from = lane(source, send.thread);
        const int to = lane(destination, receive.thread);
        add(R"({{"ph":"s","pid":{},"tid":{},"ts":{},"id":{},"name":"message","cat":"message"}})",
            ranks_process, from, microseconds(send.begin), id);
        add(R"({{"ph":"f","bp":"e","pid":{},"tid":{},"ts":{},"id":{},"name":"message","cat":"message"}})",
            ranks_process, to, microseconds(end), id);
    }

    const RunRecord& run_;
    const Span& span_;
    fmt::memory_buffer buffer_;
    std::map<std::pair<std::size_t, int>, int> lanes_;
    std::vector<std::vector<Carried>> carried_;  ///< by rank and call
};

}  // namespace

std::string perfetto_events(const RunRecord& run, const Span& span) {
    return Writer(run, span).write();
}

std::string perfetto_file(const RunRecord& run, const Span& span) {
    return "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n" + perfetto_events(run, span) +
           "\n]}\n";
}

}  // namespace railyard::mpi::traces
