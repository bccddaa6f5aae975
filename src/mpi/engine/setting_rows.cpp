// The one table of the settings: how each is called, read, shown and explained.

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "mpi/engine/profile_keys.hpp"
#include "mpi/engine/settings.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpi {

namespace {

template <class Value>
struct Word {
    std::string_view name;
    Value value;
};

constexpr Word<Library> library_words[] = {{"native", Library::native}, {"paper", Library::paper}};
constexpr Word<Connections> connection_words[] = {
    {"on-demand", Connections::on_demand},
    {"static-peer", Connections::static_peer},
    {"static-client-server", Connections::static_client_server}};
constexpr Word<Matching> matching_words[] = {{"hashed", Matching::hashed},
                                             {"list", Matching::list}};
constexpr Word<Way> way_words[] = {{"stream", Way::stream},
                                   {"read", Way::read},
                                   {"write", Way::write},
                                   {"automatic", Way::automatic}};
constexpr Word<RailPolicy> rail_words[] = {{"striping", RailPolicy::striping},
                                           {"binding", RailPolicy::binding}};
constexpr Word<bool> switch_words[] = {{"off", false}, {"on", true},     {"0", false},
                                       {"1", true},    {"false", false}, {"true", true}};

template <class Value, std::size_t n>
Value parse_word(const Word<Value> (&words)[n], std::string_view text) {
    std::string all;
    for (const auto& word : words) {
        if (word.name == text) return word.value;
        all += all.empty() ? "" : ", ";
        all += word.name;
    }
    throw UsageError(fmt::format("'{}' is none of {}", text, all));
}

template <class Value, std::size_t n>
std::string print_word(const Word<Value> (&words)[n], Value value) {
    for (const auto& word : words)
        if (word.value == value) return std::string(word.name);
    return "?";
}

/// Of `payload`.
Bytes parse_payload(std::string_view text) {
    if (text == "on") return Settings::all_payload;
    if (text == "off") return Settings::little_payload;
    try {
        return parse_bytes(text);
    } catch (const UsageError&) {
        throw UsageError(fmt::format("expected on, off or a size such as 1K, found '{}'", text));
    }
}

std::uint32_t parse_count(std::string_view text) {
    const auto n = parse_number<std::uint32_t>(text);
    if (!n) throw UsageError(fmt::format("'{}' is not a whole number", text));
    return *n;
}

/// Of each message; within this bound no sum of them can overflow.
Duration parse_cost(std::string_view text) {
    const Duration cost = parse_duration(text);
    if (cost > Duration::s(1)) throw UsageError(fmt::format("'{}' is over 1 s", text));
    return cost;
}

struct Described : SettingRow {
    std::string kind;
};

/// It is the job's to choose, and none of another library's ways.
Described of_job(Described row) {
    row.in_profiles = false;
    return row;
}

template <std::size_t n>
std::string words_of(const Word<bool> (&)[n]) {
    return "true or false";
}
template <class Value, std::size_t n>
std::string words_of(const Word<Value> (&words)[n]) {
    std::string all;
    for (const auto& word : words)
        all += fmt::format("{}{}", all.empty() ? "" : " or ", word.name);
    return all;
}

template <class Value, std::size_t n>
Described word_row(std::string_view name, std::string_view explanation, Value Settings::*member,
                   const Word<Value> (&words)[n]) {
    return {
        {name, explanation, !std::is_same_v<Value, bool>,
         [&words, member](Settings& s, std::string_view t) { s.*member = parse_word(words, t); },
         [&words, member](const Settings& s) { return print_word(words, s.*member); }},
        words_of(words)};
}
Described bytes_row(std::string_view name, std::string_view explanation, Bytes Settings::*member) {
    return {{name, explanation, true,
             [member](Settings& s, std::string_view t) { s.*member = parse_bytes(t); },
             [member](const Settings& s) { return to_string(s.*member); }},
            "size"};
}
Described count_row(std::string_view name, std::string_view explanation,
                    std::uint32_t Settings::*member) {
    return {{name, explanation, false,
             [member](Settings& s, std::string_view t) { s.*member = parse_count(t); },
             [member](const Settings& s) { return std::to_string(s.*member); }},
            "count"};
}

Described time_row(std::string_view name, std::string_view explanation,
                   Duration Settings::*member) {
    return {{name, explanation, true,
             [member](Settings& s, std::string_view t) { s.*member = parse_cost(t); },
             [member](const Settings& s) { return to_string(s.*member); }},
            "time"};
}

const std::vector<Described>& described_rows();

}  // namespace

std::string SettingRow::variable() const {
    std::string variable(variable_prefix);
    for (const char c : name)
        variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return variable;
}

std::string SettingRow::key() const {
    std::string key(name);
    std::ranges::replace(key, '-', '_');
    return key;
}

const std::vector<SettingRow>& setting_rows() {
    static const std::vector<SettingRow> rows(described_rows().begin(), described_rows().end());
    return rows;
}

std::string kind_of(const SettingRow& row) {
    return std::ranges::find(described_rows(), row.name, &SettingRow::name)->kind;
}

void explain(std::vector<fabric::ProfileSection>& sections) {
    for (fabric::ProfileSection& section : sections) {
        if (section.name != Settings::section) continue;
        for (const SettingRow& row : setting_rows())
            if (row.in_profiles)
                section.keys.push_back(
                    {row.key(), kind_of(row), "", std::string(row.explanation), false});
    }
}

namespace {

const std::vector<Described>& described_rows() {
    using S = Settings;
    static const std::vector<Described> rows{
        of_job(word_row("library",
                        "whose ways the library has: ours, or those of the fabric's papers",
                        &S::library, library_words)),
        {{"name", "what that library is called", true, [](S& s, std::string_view t) { s.name = t; },
          [](const S& s) { return s.name; }},
         "text"},
        word_row("connections", "when connections are made", &S::connections, connection_words),
        word_row("receive-connects", "a receive from one rank connects to it, as a send does",
                 &S::receive_connects, switch_words),
        word_row("wildcard-connects",
                 "a receive from any source connects to every rank of its communicator",
                 &S::wildcard_connects, switch_words),
        word_row("answer-requests",
                 "a rank that is asked for a connection answers; off: it must need it, too",
                 &S::answer_requests, switch_words),
        count_row("max-connections",
                  "connections of a rank at a time: idle ones are closed, least recently used "
                  "first, and come back on demand; 0: any number",
                  &S::max_connections),
        word_row("matching", "how receives and messages find each other", &S::matching,
                 matching_words),
        word_row("tagged", "let the adapter match messages, where it can", &S::tagged,
                 switch_words),
        bytes_row("eager-limit", "larger messages go by rendezvous", &S::eager_limit),
        word_row("coalescing", "small messages that are started together leave in one send",
                 &S::coalescing, switch_words),
        bytes_row("copied-limit", "with coalescing, longer eager messages are sent without a copy",
                  &S::copied_limit),
        count_row("watched-rings",
                  "peers that write into rings; others use the shared receive queue",
                  &S::watched_rings),
        count_row("ring-cells", "packets that a ring holds", &S::ring_cells),
        bytes_row("ring-bytes", "data that a ring holds, where peers map it", &S::ring_bytes),
        bytes_row("segment-size", "of a streamed message: its segments", &S::segment_size),
        bytes_row("segmented-eager-limit",
                  "streamed messages up to this are sent whole, before a CTS",
                  &S::segmented_eager_limit),
        count_row("srq-buffers", "of the shared receive queue, for all peers", &S::srq_buffers),
        count_row("credits",
                  "packets of one peer under way by send/receive; where receives cannot be shared, "
                  "it has as many of its own",
                  &S::credits),
        word_row("bulk",
                 "how the data of a rendezvous get across; automatic: stream or read, as measured",
                 &S::bulk, way_words),
        count_row("bulk-depth", "large messages of one peer that RDMA moves at a time",
                  &S::bulk_depth),
        bytes_row("bulk-segment", "what one RDMA operation carries of a message at most",
                  &S::bulk_segment),
        word_row("rails", "what becomes of a large message where there are several ports",
                 &S::rails, rail_words),
        count_row("ports", "how many ports a channel uses at most; 0: all", &S::ports),
        bytes_row("striping-threshold", "larger messages are cut over the rails",
                  &S::striping_threshold),
        bytes_row("registration-cache", "registered memory that is kept for the next use",
                  &S::registration_cache),
        bytes_row("unexpected-limit",
                  "what one peer may have in the unexpected queue before it "
                  "must use rendezvous",
                  &S::unexpected_limit),
        word_row("shared-memory", "collectives of one host go through its memory",
                 &S::shared_memory, switch_words),
        word_row("network-barrier", "let the network carry barriers out, where it can",
                 &S::network_barrier, switch_words),
        word_row("network-broadcast", "let the network carry broadcasts out, where it can",
                 &S::network_broadcast, switch_words),
        {{"algorithms", "of collectives, as collective=algorithm,...", true,
          [](S& s, std::string_view t) { s.algorithms = t; },
          [](const S& s) { return s.algorithms.empty() ? "automatic" : s.algorithms; }},
         "text"},
        of_job(word_row("progress-thread", "a thread makes progress while the program computes",
                        &S::progress_thread, switch_words)),
        time_row("address-exchange",
                 "in virtual time: what MPI_Init takes to learn the address of each process",
                 &S::address_exchange),
        time_row("send-overhead",
                 "in virtual time: the library's work for a message before it leaves",
                 &S::send_overhead),
        time_row("send-rest", "likewise, after it has left", &S::send_rest),
        time_row("receive-start", "likewise, for a receive that is asked for", &S::receive_start),
        time_row("receive-overhead", "likewise, for a message that has come", &S::receive_overhead),
        time_row("posted-entry", "likewise, for a posted receive looked at; 0: as the model says",
                 &S::posted_entry),
        time_row("unexpected-entry",
                 "likewise, for an unexpected message looked at; 0: as the model says",
                 &S::unexpected_entry),
        time_row("rendezvous-overhead", "likewise, for an RTS and for a CTS",
                 &S::rendezvous_overhead),
        of_job(
            {{"payload",
              "in virtual time: off, or the length beyond which messages take their time but "
              "leave their bytes behind (off: 256 B)",
              true, [](S& s, std::string_view t) { s.payload = parse_payload(t); },
              [](const S& s) { return s.payload == S::all_payload ? "on" : to_string(s.payload); }},
             "on, off or size"}),
        of_job(word_row("stats", "print the counters at the end", &S::stats, switch_words)),
        of_job(word_row("check",
                        "find mistakes that are dear to look for: collectives, types and buffers",
                        &S::check, switch_words)),
        of_job({{"deadlock-timeout",
                 "end the job, and say who waits for whom, when all ranks have waited so long; 0: "
                 "never; with check 10 s",
                 true, [](S& s, std::string_view t) { s.deadlock_timeout = parse_duration(t); },
                 [](const S& s) { return to_string(s.deadlock_timeout); }},
                "time"}),
        of_job(word_row("backtrace", "a rank that crashes says where, unless the program does",
                        &S::backtrace, switch_words)),
    };
    return rows;
}

}  // namespace

}  // namespace railyard::mpi
