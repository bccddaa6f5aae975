#include "sim/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <tuple>

namespace railyard::sim {

namespace {

using Buffer = fmt::memory_buffer;
constexpr std::size_t flush_at = 1 << 16;

template <class... Args>
void add(Buffer& buffer, fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer), format, std::forward<Args>(args)...);
}

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (static_cast<unsigned char>(c) < 0x20)
            out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        else
            out += c;
    }
    return out += '"';
}

/// Whole picoseconds as microseconds, to the last digit.
std::string microseconds(Duration duration) {
    const std::int64_t ps = duration.picoseconds();
    const auto magnitude = static_cast<std::uint64_t>(ps < 0 ? -ps : ps);
    return fmt::format("{}{}.{:06}", ps < 0 ? "-" : "", magnitude / 1'000'000,
                       magnitude % 1'000'000);
}

void flush(Buffer& buffer, std::ostream& out) {
    out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.clear();
}

}  // namespace

Trace::Lane Trace::lane(std::string_view group, std::string_view name) {
    lanes_.push_back({std::string(group), std::string(name)});
    return static_cast<Lane>(lanes_.size() - 1);
}

void Trace::slice(Lane lane, std::string_view what, Time begin, Time end, std::uint64_t id) {
    slices_.push_back({lane, what, begin, end, id});
}

std::vector<const Trace::Slice*> Trace::sorted() const {
    std::vector<const Slice*> all;
    all.reserve(slices_.size());
    for (const Slice& slice : slices_)
        all.push_back(&slice);
    // At one time the longer first: viewers take the shorter to be within it.
    const auto key = [](const Slice* s) {
        return std::tuple(s->begin, s->lane, -s->end.since_start().picoseconds(), s->what, s->id);
    };
    std::ranges::sort(all, [&](const Slice* a, const Slice* b) { return key(a) < key(b); });
    return all;
}

void Trace::write(std::ostream& out, const Frame& frame) const {
    // A group is shown as a process, a lane as a thread. Processes have the lower numbers, since a
    // thread with its process's number would be taken for its main thread and moved to the top.
    std::map<std::string_view, std::size_t> group_numbers;
    std::vector<std::size_t> process;  // of each lane
    for (const LaneName& lane : lanes_)
        process.push_back(
            group_numbers.try_emplace(lane.group, frame.their_processes + group_numbers.size() + 1)
                .first->second);
    const auto thread = [&](std::size_t lane) {
        return frame.their_processes + group_numbers.size() + 1 + lane;
    };

    Buffer buffer;
    add(buffer, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    std::string_view comma = "\n";
    if (!frame.others.empty()) {
        add(buffer, "\n");
        flush(buffer, out);
        out << frame.others;
        comma = ",\n";
    }
    const auto describe = [&](std::size_t lane, std::string_view kind, std::string_view argument,
                              const std::string& value) {
        add(buffer, R"({}{{"ph":"M","pid":{},"tid":{},"name":"{}","args":{{"{}":{}}}}})", comma,
            process[lane], thread(lane), kind, argument, value);
        comma = ",\n";
    };
    std::size_t processes = frame.their_processes;
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
        if (process[i] > processes) {
            processes = process[i];
            describe(i, "process_name", "name", quoted(lanes_[i].group));
            describe(i, "process_sort_index", "sort_index", std::to_string(process[i]));
        }
        describe(i, "thread_name", "name", quoted(lanes_[i].name));
        describe(i, "thread_sort_index", "sort_index", std::to_string(thread(i)));
    }
    for (const Slice* slice : sorted()) {
        if (slice->end < frame.from || slice->begin > frame.to) continue;
        add(buffer,
            R"({}{{"ph":"X","pid":{},"tid":{},"ts":{},"dur":{},"name":{},"args":{{"id":{}}}}})",
            comma, process[slice->lane], thread(slice->lane),
            microseconds(slice->begin.since_start()), microseconds(slice->end - slice->begin),
            quoted(slice->what), slice->id);
        comma = ",\n";
        if (buffer.size() > flush_at) flush(buffer, out);
    }
    add(buffer, "\n]}}\n");
    flush(buffer, out);
}

}  // namespace railyard::sim
