#include "mpi/engine/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/suggest.hpp"

namespace railyard::mpi {

namespace {

template <class Value>
struct Word {
    std::string_view name;
    Value value;
};

constexpr Word<Connections> connection_words[] = {
    {"on-demand", Connections::on_demand},
    {"static-peer", Connections::static_peer},
    {"static-client-server", Connections::static_client_server}};
constexpr Word<Matching> matching_words[] = {{"hashed", Matching::hashed},
                                             {"list", Matching::list}};
constexpr Word<Way> way_words[] = {
    {"stream", Way::stream}, {"read", Way::read}, {"write", Way::write}};
constexpr Word<RailPolicy> rail_words[] = {{"striping", RailPolicy::striping},
                                           {"binding", RailPolicy::binding}};
constexpr Word<bool> switch_words[] = {{"off", false}, {"on", true}, {"0", false}, {"1", true}};

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

std::uint32_t parse_count(std::string_view text) {
    std::uint32_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (error != std::errc() || end != text.data() + text.size())
        throw UsageError(fmt::format("'{}' is not a whole number", text));
    return n;
}

/// How one setting is read and shown.
struct Row {
    std::string_view name;
    std::string_view explanation;
    std::function<void(Settings&, std::string_view)> set;
    std::function<std::string(const Settings&)> show;
};

template <class Value, std::size_t n>
Row word_row(std::string_view name, std::string_view explanation, Value Settings::*member,
             const Word<Value> (&words)[n]) {
    return {name, explanation,
            [&words, member](Settings& s, std::string_view t) { s.*member = parse_word(words, t); },
            [&words, member](const Settings& s) { return print_word(words, s.*member); }};
}
Row bytes_row(std::string_view name, std::string_view explanation, Bytes Settings::*member) {
    return {name, explanation,
            [member](Settings& s, std::string_view t) { s.*member = parse_bytes(t); },
            [member](const Settings& s) { return to_string(s.*member); }};
}
Row count_row(std::string_view name, std::string_view explanation,
              std::uint32_t Settings::*member) {
    return {name, explanation,
            [member](Settings& s, std::string_view t) { s.*member = parse_count(t); },
            [member](const Settings& s) { return std::to_string(s.*member); }};
}

std::vector<Row> rows() {
    using S = Settings;
    return {
        word_row("connections", "when connections are made", &S::connections, connection_words),
        word_row("wildcard-connects",
                 "a receive from any source connects to every rank of its communicator",
                 &S::wildcard_connects, switch_words),
        word_row("matching", "how receives and messages find each other", &S::matching,
                 matching_words),
        word_row("tagged", "let the adapter match messages, where it can", &S::tagged,
                 switch_words),
        bytes_row("eager-limit", "larger messages are offered first (rendezvous)", &S::eager_limit),
        count_row("watched-rings", "peers that write into rings of ours; further ones send mail",
                  &S::watched_rings),
        count_row("ring-cells", "packets that a ring holds", &S::ring_cells),
        bytes_row("ring-bytes", "data that a ring holds, where peers map it", &S::ring_bytes),
        bytes_row("piece", "size of the pieces of a streamed message", &S::piece),
        count_row("mail-buffers", "receive buffers for all peers that send mail", &S::mail_buffers),
        count_row("mail-credits", "packets that one peer may have under way by mail",
                  &S::mail_credits),
        word_row("bulk", "how the bytes of a large message get across", &S::bulk, way_words),
        word_row("rails", "what becomes of a large message where there are several ports",
                 &S::rails, rail_words),
        bytes_row("striping-threshold", "larger messages are cut over the rails",
                  &S::striping_threshold),
        bytes_row("registration-cache", "registered memory that is kept for the next use",
                  &S::registration_cache),
        bytes_row("unexpected-limit",
                  "what one peer may have waiting for a receive before it "
                  "must offer its messages first",
                  &S::unexpected_limit),
        {"algorithms", "of collectives, as collective=algorithm,...",
         [](S& s, std::string_view t) { s.algorithms = t; },
         [](const S& s) { return s.algorithms.empty() ? "automatic" : s.algorithms; }},
        word_row("progress-thread", "a thread makes progress while the program computes",
                 &S::progress_thread, switch_words),
        word_row("stats", "print the counters at the end", &S::stats, switch_words),
    };
}

std::string variable_of(std::string_view name) {
    std::string variable = "RAILYARD_MPI_";
    for (const char c : name)
        variable += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return variable;
}

Settings from_traits(const fabric::Traits& traits) {
    Settings s;
    const bool mapped = traits.maps_allocated;
    if (!mapped) {
        // A ring that nobody maps is written by the adapter: it pays for few and small packets.
        s.watched_rings = traits.placement == fabric::Placement::last_byte_last ? 4 : 0;
        s.ring_bytes = Bytes(32 << 10);
        s.ring_cells = 8;
        s.eager_limit = Bytes(4 << 10);
        s.piece = Bytes(4 << 10);
        switch (traits.bulk) {
            case fabric::Bulk::read:
                s.bulk = Way::read;
                break;
            case fabric::Bulk::write:
                s.bulk = Way::write;
                break;
            case fabric::Bulk::send:
                s.bulk = Way::stream;
                break;
        }
    }
    return s;
}

void check(const Settings& s) {
    if (!std::has_single_bit(s.ring_cells) || s.ring_cells < 8 || s.ring_cells > 4096)
        throw UsageError("ring-cells: a power of two from 8 to 4096");
    if (!std::has_single_bit(s.ring_bytes.count()) || s.ring_bytes < Bytes(4096) ||
        s.ring_bytes > Bytes(1 << 30))
        throw UsageError("ring-bytes: a power of two from 4 KiB to 1 GiB");
    const Bytes quarter = s.ring_bytes / 4;
    if (s.eager_limit + Bytes(64) > quarter || s.piece + Bytes(64) > quarter || s.piece < Bytes(64))
        throw UsageError(
            fmt::format("eager-limit and piece: below a quarter of ring-bytes, {}, by "
                        "64 B at least, and piece not below 64 B",
                        to_string(quarter)));
    if (s.mail_buffers < 4) throw UsageError("mail-buffers: at least 4");
    if (s.mail_credits < 2) throw UsageError("mail-credits: at least 2");
}

}  // namespace

Settings Settings::from_environment(const fabric::Traits& traits) {
    Settings settings = from_traits(traits);
    const Settings plain;
    for (const Row& row : rows()) {
        const std::string variable = variable_of(row.name);
        std::string origin = row.show(settings) == row.show(plain) ? "default" : traits.name;
        if (const char* text = std::getenv(variable.c_str()); text != nullptr && *text != '\0') {
            try {
                row.set(settings, text);
            } catch (const UsageError& error) {
                throw UsageError(fmt::format("{}: {}", variable, error.what()));
            }
            origin = "environment";
        }
        settings.described_.push_back({std::string(row.name), row.show(settings), origin, variable,
                                       std::string(row.explanation)});
    }
    check(settings);
    return settings;
}

std::vector<Setting> Settings::describe() const {
    return described_;
}

}  // namespace railyard::mpi
