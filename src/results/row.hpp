#pragma once
/// One result: what was measured, on what, with which parameters, and what came out. Everything
/// that is reported, compared or checked is made of rows.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "results/statistics.hpp"

namespace railyard::results {

using Value = std::variant<std::int64_t, double, std::string>;
/// Sorted by name, so that the same parameters always give the same bytes.
using Parameters = std::map<std::string, Value>;

/// The units that rows use. MB is 10^6 bytes.
namespace unit {
inline constexpr std::string_view microseconds = "us";
inline constexpr std::string_view megabytes_per_second = "MB/s";
inline constexpr std::string_view messages_per_second = "messages/s";
inline constexpr std::string_view ratio = "1";
}  // namespace unit

/// The names that parameters of rows have.
namespace parameter {
inline constexpr const char* message_bytes = "message_bytes";  ///< integer
inline constexpr const char* op = "op";                        ///< "send_recv", "rdma_write", ...
inline constexpr const char* queue = "queue";    ///< integer: messages outstanding at most
inline constexpr const char* window = "window";  ///< integer: messages to a reply
inline constexpr const char* memory = "memory";  ///< "nic" (allocated by it) or "user"
}  // namespace parameter

/// The names of what is measured.
namespace metric {
inline constexpr std::string_view latency = "latency";
inline constexpr std::string_view bandwidth = "bandwidth";
inline constexpr std::string_view bandwidth_aggregate =
    "bandwidth_aggregate";  ///< both ways summed
// The physical limits: raw code on this machine. All but the first carry `message_bytes`.
inline constexpr std::string_view cache_line_handover = "cache_line_handover";  ///< one way, in us
inline constexpr std::string_view copy = "copy";                    ///< one copy across cores
inline constexpr std::string_view copy_pipeline = "copy_pipeline";  ///< two copies, overlapping
inline constexpr std::string_view process_vm_readv = "process_vm_readv";
inline constexpr std::string_view tcp = "tcp";  ///< loopback, spinning: us or MB/s, by its unit
}  // namespace metric

struct Row {
    std::string experiment;
    std::string fabric;
    Parameters parameters;
    std::string metric;
    double value = 0;
    std::string unit;
    Statistics statistics;

    friend bool operator==(const Row&, const Row&) = default;
};

/// As people read it: "8", "0.5", "send_recv".
std::string to_string(const Value& value);

/// A row as one line of JSON without a line break, and back: how ranks hand rows to their launcher.
/// Throws Error, naming `where`, for a line that is not a row.
std::string to_json_line(const Row& row);
Row from_json_line(std::string_view line, std::string_view where = "row");

}  // namespace railyard::results
