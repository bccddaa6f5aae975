// perftest's JSON (ib_send_lat --out_json and its kin): what was run in "test_info", what came out
// in "results". And what a file is at all, by its first words.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"
#include "report/foreign.hpp"
#include "results/json.hpp"

namespace railyard::report {

namespace {

using results::Json;
using results::Reader;
using results::Row;

bool has_word(std::string_view text, std::string_view word) {
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    return !std::ranges::search(text, word, same).empty();
}

/// perftest writes some numbers as texts.
double number(const Reader& field) {
    const results::Value value = field.value();
    if (const auto* text = std::get_if<std::string>(&value)) {
        const auto parsed = parse_number<double>(trim(*text));
        if (!parsed || !std::isfinite(*parsed)) field.complain("expected a number");
        return *parsed;
    }
    return field.number();
}

std::string operation(const Reader& test) {
    const std::string name = test.text();
    if (has_word(name, "write")) return "rdma_write";
    if (has_word(name, "read")) return "rdma_read";
    if (has_word(name, "atomic")) return "fetch_add";
    if (has_word(name, "send")) return "send_recv";
    test.complain(fmt::format("expected a test of Send, Write, Read or Atomic, found '{}'", name));
}

/// In MB/s, with 10^6 bytes. perftest has MiB/s or, if it was asked to, Gbit/s, and does not say
/// which: the rate of messages tells.
double megabytes(const Reader& result, double bytes) {
    const double told = number(result.field("BW_average"));
    if (!result.has("MsgRate")) return told * 1.048576;
    const double counted = number(result.field("MsgRate")) * bytes;
    const double as_mebibytes = told * 1.048576;
    const double as_gigabits = told * 125;
    return std::abs(as_gigabits - counted) < std::abs(as_mebibytes - counted) ? as_gigabits
                                                                              : as_mebibytes;
}

Row row_of(const Reader& test, const Reader& result, const Foreign& from) {
    Row row;
    row.fabric = from.label;
    const std::string op = operation(test);
    const std::uint64_t bytes = result.field("MsgSize").count();
    row.parameters[results::parameter::message_bytes] = static_cast<std::int64_t>(bytes);
    row.parameters[results::parameter::op] = op;
    const bool is_rate = result.has("BW_average");
    if (is_rate) {
        const bool is_both = has_word(test.text(), "bidirectional");
        row.experiment = is_both ? "bandwidth-bi-queue" : "bandwidth-uni-queue";
        row.metric = is_both ? results::metric::bandwidth_aggregate : results::metric::bandwidth;
        row.unit = results::unit::megabytes_per_second;
        row.value = megabytes(result, static_cast<double>(bytes));
    } else {
        row.experiment = op == "rdma_read"   ? "latency-rdma-read"
                         : op == "fetch_add" ? "latency-atomic"
                                             : "latency-uni";
        row.metric = results::metric::latency;
        row.unit = results::unit::microseconds;
        row.value = number(result.field("t_typical"));
    }
    if (!std::isfinite(row.value)) result.complain("expected a finite result");
    row.statistics = results::single(row.value);
    const auto take = [&](const char* name, double& into) {
        if (result.has(name)) into = number(result.field(name));
    };
    if (result.has("n_iterations"))
        row.statistics.iterations = result.field("n_iterations").count();
    if (!is_rate) {
        take("t_min", row.statistics.min);
        take("t_max", row.statistics.max);
        take("t_avg", row.statistics.mean);
        take("percentile_99", row.statistics.p99);
        take("t_99", row.statistics.p99);
    }
    return row;
}

}  // namespace

std::vector<Row> read_perftest(std::string_view text, const Foreign& from) {
    const Json json = Reader::parse(text, from.file);
    const Reader root(json, from.file);
    const Reader test = root.field("test_info").field("test");
    static_cast<void>(root.field("results"));  // says so if there is none
    std::vector<Row> rows;
    if (json.at("results").is_array()) {
        for (const Reader& result : root.field("results").elements())
            rows.push_back(row_of(test, result, from));
    } else {
        rows.push_back(row_of(test, root.field("results"), from));
    }
    if (rows.empty()) root.field("results").complain("expected a result");
    return rows;
}

std::optional<FileKind> kind_of(std::string_view text) {
    const std::string_view begun = trim(text);
    const auto has = [&](std::string_view words) { return text.find(words) != text.npos; };
    if (begun.starts_with('[') && has("\"virtual_seconds\"")) return FileKind::summary;
    if (begun.starts_with('{')) {
        if (has("\"test_info\"")) return FileKind::perftest;
        if (has("\"records\"")) return FileKind::verdicts;
        return FileKind::results;
    }
    if (has("# Benchmarking ")) return FileKind::imb;
    if (has("# OSU ")) return FileKind::osu;
    return std::nullopt;
}

}  // namespace railyard::report
