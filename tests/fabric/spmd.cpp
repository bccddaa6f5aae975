#include "fabric/spmd.hpp"

#include <cstdio>
#include <cstdlib>
#include <ostream>

#include "fabric/team.hpp"
#include "launch/job/job.hpp"

namespace railyard::contract {

std::string show(bool value) {
    return value ? "true" : "false";
}
std::string show(std::byte value) {
    char text[8];
    std::snprintf(text, sizeof text, "0x%02x", std::to_integer<unsigned>(value));
    return text;
}
std::string show(Status status) {
    return "'" + std::string(status.name()) + "'";
}
std::string show(Bytes bytes) {
    return std::to_string(bytes.count()) + " B";
}
std::string show(Duration duration) {
    return std::to_string(duration.microseconds()) + " us";
}
std::string show(Time time) {
    return show(time.since_start());
}
std::string show(fabric::Op op) {
    return std::string(fabric::name(op));
}
std::string show(fabric::ConnectionState state) {
    switch (state) {
        case fabric::ConnectionState::idle:
            return "idle";
        case fabric::ConnectionState::connecting:
            return "connecting";
        case fabric::ConnectionState::connected:
            return "connected";
        case fabric::ConnectionState::failed:
            return "failed";
    }
    return "state " + std::to_string(static_cast<unsigned>(state));
}
std::string show(const void* pointer) {
    char text[32];
    std::snprintf(text, sizeof text, "%p", pointer);
    return text;
}
std::string show(std::string_view text) {
    return '"' + std::string(text) + '"';
}

void fail(std::string_view what, Where where) {
    std::string_view file = where.file_name();
    file.remove_prefix(file.find_last_of('/') + 1);  // npos + 1 is 0: no folder, nothing removed
    throw Failure(std::string(file) + ":" + std::to_string(where.line()) + ": " +
                  std::string(what));
}

void check(bool holds, std::string_view what, Where where) {
    if (!holds) fail(what, where);
}

void check_ok(Status status, std::string_view what, Where where) {
    if (!status.ok()) fail(std::string(what) + ": refused with " + show(status), where);
}

Duration patience() {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
    return Duration::s(60);
#else
    return Duration::s(20);
#endif
}

namespace {
std::string name_of(const Setting& setting) {
    switch (setting.kind) {
        case job::Kind::processes:
            return setting.fabric + "_processes";
        case job::Kind::threads:
            return setting.fabric + "_threads";
        case job::Kind::fibers:
            return setting.fabric + "_fibers";
    }
    return setting.fabric;
}
}  // namespace

void PrintTo(const Setting& setting, std::ostream* out) {
    *out << name_of(setting);
}

std::string setting_name(const testing::TestParamInfo<Setting>& info) {
    std::string name = name_of(info.param);
    for (char& c : name)
        if (c == '-') c = '_';  // GoogleTest takes letters, digits and underscores
    return name;
}

namespace {
/// RAILYARD_CONTRACT_FABRICS names those that are asked, with commas between; unset: all of them.
bool asked(const std::string& fabric) {
    const char* wish = std::getenv("RAILYARD_CONTRACT_FABRICS");
    if (wish == nullptr || *wish == '\0') return true;
    return (',' + std::string(wish) + ',').find(',' + fabric + ',') != std::string::npos;
}
}  // namespace

std::vector<Setting> settings() {
    std::vector<Setting> all;
    for (const fabric::Traits& traits : job::fabrics()) {
        if (!asked(traits.name)) continue;
        if (traits.clock == fabric::Clock::virtual_time) {
            all.push_back({traits.name, job::Kind::fibers});
        } else {
            all.push_back({traits.name, job::Kind::processes});
            all.push_back({traits.name, job::Kind::threads});
        }
    }
    return all;
}

const fabric::Traits& Contract::traits() const {
    return *job::find_fabric(GetParam().fabric);
}

bool Contract::quick() const {
    const char* wish = std::getenv("RAILYARD_CONTRACT_QUICK");
    // A library of others does the work there; RAILYARD_CONTRACT_QUICK=0 runs it whole.
    if (GetParam().fabric == "ofi") return wish == nullptr || *wish != '0';
    return GetParam().kind == job::Kind::threads || (wish != nullptr && *wish == '1');
}

job::Options Contract::options(int ranks) const {
    job::Options options;
    options.ranks = ranks;
    options.fabric = GetParam().fabric;
    options.kind = GetParam().kind;
    return options;
}

namespace {
/// RAILYARD_CONTRACT_FAULTS names a script of faults: the contract holds on a model that they
/// strike, too.
job::Result run_job(const job::Options& options, const job::Body& body) {
    const char* script = std::getenv("RAILYARD_CONTRACT_FAULTS");
    if (script == nullptr || !job::datasheet(options.fabric)) return job::run(options, body);
    job::Faults faults{script, {}};
    return job::run_with_faults(options, faults, body);
}
}  // namespace

void Contract::run_ranks(const job::Options& options, const job::Body& body) const {
    const job::Result result = run_job(options, body);
    EXPECT_TRUE(result.ok) << result.failure;
}

void Contract::run_ranks(int ranks, const job::Body& body) const {
    run_ranks(options(ranks), body);
}

void Contract::run(int ranks, const std::function<void(Team&)>& body) const {
    run_ranks(ranks, [&](job::Rank& rank) { as_team(rank, body); });
}

void Contract::run_on(const std::vector<fabric::NodeId>& nodes,
                      const std::function<void(Team&)>& body) const {
    job::Options placed = options(static_cast<int>(nodes.size()));
    placed.nodes = nodes;
    run_ranks(placed, [&](job::Rank& rank) { as_team(rank, body); });
}

void Contract::as_team(job::Rank& rank, const std::function<void(Team&)>& body) const {
    Team team(rank, GetParam().fabric);
    body(team);
    team.finish();
}

}  // namespace railyard::contract
