#pragma once
/// One result: what was measured, on what, with which parameters, and what came out. Everything
/// that is reported, compared or checked is made of rows.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace railyard::results {

/// What many measurements of one thing say. All in the unit of the row that carries it, except
/// `spread` (a ratio) and `iterations`.
struct Statistics {
    double p1 = 0;
    double p50 = 0;  ///< the median
    double p99 = 0;
    double mean = 0;
    double min = 0;
    double max = 0;
    /// The interquartile range over the median, (p75 - p25) / p50: how far apart the middle half of
    /// the samples lies. 0 when the median is 0.
    double spread = 0;
    std::uint64_t iterations = 0;  ///< how many samples there were

    friend bool operator==(const Statistics&, const Statistics&) = default;
};

/// Percentiles are interpolated linearly between the two nearest samples. Throws Error when there
/// are no samples, or when one of them is not a number.
Statistics summarize(std::vector<double> samples);

/// For a thing measured once as a whole: `value` everywhere, spread 0.
Statistics single(double value, std::uint64_t iterations = 1);

using Value = std::variant<std::int64_t, double, std::string>;
/// Sorted by name, so that the same parameters always give the same bytes.
using Parameters = std::map<std::string, Value>;

/// The units that rows use. MB is 10^6 bytes.
namespace unit {
inline constexpr std::string_view microseconds = "us";
inline constexpr std::string_view megabytes_per_second = "MB/s";
inline constexpr std::string_view messages_per_second = "messages/s";
inline constexpr std::string_view percent = "percent";
inline constexpr std::string_view ratio = "1";
inline constexpr std::string_view fraction = "fraction";
inline constexpr std::string_view vis = "VIs";
inline constexpr std::string_view bytes = "bytes";
inline constexpr std::string_view processes = "processes";
}  // namespace unit

/// The names that parameters of rows have.
namespace parameter {
inline constexpr const char* message_bytes = "message_bytes";  ///< integer
inline constexpr const char* op = "op";                        ///< "send_recv", "rdma_write", ...
inline constexpr const char* queue = "queue";      ///< integer: messages outstanding at most
inline constexpr const char* window = "window";    ///< integer: messages to a reply
inline constexpr const char* memory = "memory";    ///< "nic" (allocated by it) or "user"
inline constexpr const char* method = "method";    ///< how an arrival is found: "memory", ...
inline constexpr const char* buffers = "buffers";  ///< integer: used in turn
inline constexpr const char* reuse_percent = "reuse_percent";          ///< integer
inline constexpr const char* slaves = "slaves";                        ///< integer
inline constexpr const char* senders = "senders";                      ///< integer: to one
inline constexpr const char* computation_us = "computation_us";        ///< for each message
inline constexpr const char* cpu_share_percent = "cpu_share_percent";  ///< of that computation
inline constexpr const char* source = "source";            ///< "main" or "elan" (the adapter's)
inline constexpr const char* destination = "destination";  ///< likewise
inline constexpr const char* access = "access";            ///< "read" or "write"
inline constexpr const char* nodes = "nodes";              ///< integer: that access one
inline constexpr const char* ports = "ports";              ///< integer
/// "striping" or "binding"; of connections: "on-demand", "static", "static peer-to-peer", ...
inline constexpr const char* mode = "mode";
inline constexpr const char* processes = "processes";      ///< integer: on each node; MPI: in all
inline constexpr const char* connections = "connections";  ///< integer
inline constexpr const char* level = "level";              ///< "queue_pair" or "tagged"
inline constexpr const char* mpi = "mpi";                  ///< the library: "native" or "paper"
inline constexpr const char* application = "application";  ///< "Ring", "Barrier", ...
inline constexpr const char* problem_class = "class";      ///< of a NAS kernel: "S", "W", "A", ...
inline constexpr const char* collective = "collective";    ///< "allreduce", "bcast", ...
inline constexpr const char* registration_cache = "registration_cache";  ///< "yes" or "no"
}  // namespace parameter

/// The names of what is measured.
namespace metric {
inline constexpr std::string_view latency = "latency";
inline constexpr std::string_view bandwidth = "bandwidth";
inline constexpr std::string_view bandwidth_aggregate =
    "bandwidth_aggregate";                                          ///< both ways summed
inline constexpr std::string_view host_overhead = "host_overhead";  ///< both sides, per message
inline constexpr std::string_view cpu_share_before_bandwidth_drop =
    "cpu_share_before_bandwidth_drop";
inline constexpr std::string_view completion_overhead = "completion_overhead";
inline constexpr std::string_view iteration_latency = "iteration_latency";
inline constexpr std::string_view bandwidth_per_direction =
    "bandwidth_per_direction";  ///< half of both ways
inline constexpr std::string_view bandwidth_per_node = "bandwidth_per_node";
inline constexpr std::string_view normalized_latency = "normalized_latency";  ///< per connection
inline constexpr std::string_view throughput = "throughput";                  ///< both ways summed
inline constexpr std::string_view vis_per_process =
    "vis_per_process";  ///< connections of a rank, on average
inline constexpr std::string_view resource_utilization =
    "resource_utilization";  ///< the share of them that carried a message
inline constexpr std::string_view connection_memory =
    "connection_memory";  ///< that a rank holds for them, on average
inline constexpr std::string_view cpu_time = "cpu_time";  ///< of a program's timed part
inline constexpr std::string_view destinations_per_process =
    "destinations_per_process";  ///< ranks that a rank sends to, on average
inline constexpr std::string_view run_time = "run_time";  ///< of a program, after MPI_Init
inline constexpr std::string_view start_up = "start_up";  ///< of a program, until then
inline constexpr std::string_view computing_time =
    "computing_time";  ///< of it, that a rank computed, on average
inline constexpr std::string_view connecting_time =
    "connecting_time";  ///< of it, that a rank made connections, on average
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
    bool steady = true;  ///< false: of a rate that longer runs still change

    friend bool operator==(const Row&, const Row&) = default;
};

/// As people read it: "8", "0.5", "send_recv".
std::string to_string(const Value& value);

/// A row as one line of JSON without a line break, and back: how ranks hand rows to their launcher.
/// Throws Error, naming `where`, for a line that is not a row.
std::string to_json_line(const Row& row);
Row from_json_line(std::string_view line, std::string_view where = "row");

}  // namespace railyard::results
