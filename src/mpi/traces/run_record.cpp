#include "mpi/traces/run_record.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/collectives/algorithms.hpp"
#include "mpi/traces/clocks.hpp"
#include "mpi/traces/pairing.hpp"

namespace railyard::mpi::traces {

namespace {

using recording::Header;
using recording::PeerTraffic;
using recording::Record;
using recording::What;

/// Of a tag that says which algorithm was chosen: whether there is one.
bool is_known_choice(std::int32_t tag) {
    if (!recording::chosen::is_code(tag)) return true;
    const std::int32_t algorithm = recording::chosen::algorithm(tag);
    return algorithm == recording::chosen::network ||
           algorithm <= static_cast<std::int32_t>(Algorithm::tree);
}

/// One rank's memory, whatever it came in.
struct Source {
    Header header;
    std::vector<PeerTraffic> traffic;
    std::vector<Record> records;
    bool is_present = false;
};

Source source_of(const std::string& kept, int rank, int ranks) {
    Source source;
    if (kept.size() < sizeof(Header)) return source;
    std::memcpy(&source.header, kept.data(), sizeof(Header));
    constexpr std::int64_t latest = std::int64_t{1} << 61;  // in the year 2043
    for (recording::ClockReading* const reading : {&source.header.first, &source.header.last})
        for (std::int64_t* const clock : {&reading->monotonic, &reading->wall})
            *clock = std::clamp<std::int64_t>(*clock, 0, latest);
    const std::size_t first = recording::records_at(ranks);
    const Header& header = source.header;
    if (header.magic != Header::right_magic || header.rank != rank || header.ranks != ranks ||
        kept.size() < first)
        return source;
    source.is_present = true;
    source.traffic.resize(static_cast<std::size_t>(ranks));
    std::memcpy(source.traffic.data(), kept.data() + sizeof(Header),
                source.traffic.size() * sizeof(PeerTraffic));
    source.records.resize((kept.size() - first) / sizeof(Record));
    std::memcpy(static_cast<void*>(source.records.data()), kept.data() + first,
                source.records.size() * sizeof(Record));
    return source;
}

Source source_of(const recording::HeapStore& store) {
    Source source;
    source.is_present = !store.pieces().empty();
    source.header = store.header();
    source.traffic.assign(store.traffic().begin(), store.traffic().end());
    for (const auto& piece : store.pieces())
        source.records.insert(source.records.end(), piece.get(),
                              piece.get() + recording::HeapStore::records_in_piece);
    return source;
}

/// Turns the records of one rank into calls, connections and halves of messages.
class RankReader {
  public:
    RankReader(const Source& source, const RankClock& clock, int rank, RankRecord& into,
               std::vector<HalfSend>& sends, std::vector<HalfReceive>& receives)
        : source_(source),
          clock_(clock),
          rank_(rank),
          into_(into),
          sends_(sends),
          receives_(receives) {}

    void read() {
        into_.node = source_.header.node;
        into_.is_present = source_.is_present;
        into_.is_full = source_.header.is_full != 0;
        into_.has_ended = source_.header.has_ended != 0;
        into_.counters = source_.header.counters;
        into_.library_traffic = source_.traffic;
        last_ = clock_.at(source_.header.last.ticks);
        for (const Record& record : source_.records)
            if (record.what == What::call) last_ = std::max(last_, clock_.at(record.begin));
        for (const Record& record : source_.records)
            take(record);
    }

  private:
    bool is_rank(int peer) const {
        return peer >= 0 && peer < static_cast<int>(source_.traffic.size());
    }

    void take(const Record& record) {
        switch (record.what) {
            case What::call:
                return take_call(record);
            case What::send:
                if (is_rank(record.peer)) take_send(record);
                return;
            case What::receive:
                if (is_rank(record.peer)) take_receive(record);
                return;
            case What::connection:
                if (is_rank(record.peer))
                    into_.connections.push_back({record.peer, clock_.at(record.begin),
                                                 record.end != 0 ? clock_.at(record.end) : last_});
                return;
            case What::nothing:
            case What::cancelled:
                return;
        }
    }

    void take_call(const Record& record) {
        if (record.detail >= calls::function_count) return;
        Call call;
        call.function = static_cast<calls::Function>(record.detail);
        call.begin = clock_.at(record.begin);
        call.is_over = record.end != 0;
        call.end = std::max(call.begin, call.is_over ? clock_.at(record.end) : last_);
        call.peer = record.peer;
        call.tag = is_known_choice(record.tag) ? record.tag : calls::absent;
        if (recording::is_poll(call.function))
            call.calls = 1 + record.bytes;
        else
            call.bytes = record.bytes;
        call.communicator = record.number;
        call.thread = record.thread;
        // Records are in the order of beginning, for each thread.
        Newest& newest = newest_[record.thread];
        call.is_outermost =
            newest.outermost == no_call || into_.calls[newest.outermost].end <= call.begin;
        newest.call = into_.calls.size();
        if (call.is_outermost) newest.outermost = newest.call;
        into_.calls.push_back(call);
    }

    void take_send(const Record& record) {
        HalfSend half;
        half.message.source = rank_;
        half.message.destination = record.peer;
        half.message.tag = record.tag;
        half.message.context = record.detail;
        half.message.bytes = record.bytes;
        half.message.sent = clock_.at(record.begin);
        half.message.left = half.message.sent;
        half.message.is_sent = true;
        half.message.send_call = call_beginning_at(half.message.sent);
        if (record.end != 0) {
            half.message.left = std::max(half.message.sent, clock_.at(record.end));
            half.message.leave_call = record.number != 0 ? record.number - 1 : to_be_found;
        }
        sends_.push_back(half);
    }

    void take_receive(const Record& record) {
        HalfReceive half;
        half.message.source = record.peer;
        half.message.destination = rank_;
        half.message.tag = record.tag;
        half.message.context = record.detail;
        half.message.bytes = record.bytes;
        half.message.bytes_received = record.bytes;
        half.message.posted = clock_.at(record.begin);
        half.message.is_received = true;
        half.number = record.number;
        const Newest& newest = newest_[record.thread];
        if (record.end != 0) {
            half.message.received = clock_.at(record.end);
        } else if (newest.call != no_call) {
            half.message.receive_call = newest.call;
            half.message.received = into_.calls[newest.call].end;
        }
        receives_.push_back(half);
    }

    /// Of those last made: a send stands close behind its call.
    std::size_t call_beginning_at(Time begin) const {
        for (std::size_t i = into_.calls.size(), looks = 0; i > 0 && looks < 64; --i, ++looks)
            if (into_.calls[i - 1].begin == begin) return i - 1;
        return no_call;
    }

    struct Newest {
        std::size_t call = no_call;
        std::size_t outermost = no_call;
    };
    const Source& source_;
    const RankClock& clock_;
    const int rank_;
    RankRecord& into_;
    std::vector<HalfSend>& sends_;
    std::vector<HalfReceive>& receives_;
    Newest newest_[256];
    Time last_;  ///< of which there is a record
};

RunRecord read_sources(const std::vector<Source>& sources, bool in_virtual_time) {
    RunRecord run;
    run.in_virtual_time = in_virtual_time;
    run.ranks.resize(sources.size());
    std::vector<ClockSource> readings;
    for (const Source& source : sources) {
        ClockSource reading{source.header.node, source.header.first, source.header.last, 0,
                            source.is_present};
        reading.begin = source.header.first.ticks;
        if (!source.records.empty() && source.records.front().what == What::call)
            reading.begin = std::min(reading.begin, source.records.front().begin);
        readings.push_back(reading);
    }
    const std::vector<RankClock> clocks =
        in_virtual_time
            ? std::vector<RankClock>(sources.size(), {recording::first_virtual, Duration(), 1})
            : clocks_of(readings);
    std::vector<HalfSend> sends;
    std::vector<HalfReceive> receives;
    for (std::size_t rank = 0; rank < sources.size(); ++rank)
        if (sources[rank].is_present)
            RankReader(sources[rank], clocks[rank], static_cast<int>(rank), run.ranks[rank], sends,
                       receives)
                .read();
    run.messages = paired(std::move(sends), std::move(receives));
    if (!in_virtual_time) align_hosts(run);
    find_calls(run);
    return run;
}

}  // namespace

Time RunRecord::end() const {
    Time end;
    for (const RankRecord& rank : ranks)
        for (const Call& call : rank.calls)
            end = std::max(end, call.end);
    return end;
}

RunRecord read_run(std::span<const std::string> kept) {
    std::vector<Source> sources;
    for (std::size_t rank = 0; rank < kept.size(); ++rank)
        sources.push_back(
            source_of(kept[rank], static_cast<int>(rank), static_cast<int>(kept.size())));
    return read_sources(sources, false);
}

RunRecord read_run(std::span<const recording::HeapStore> stores) {
    std::vector<Source> sources;
    for (const recording::HeapStore& store : stores)
        sources.push_back(source_of(store));
    return read_sources(sources, true);
}

}  // namespace railyard::mpi::traces
