#include "fabric/spmd.hpp"

#include <cstdio>
#include <cstdlib>
#include <ostream>

#include "fabric/team.hpp"
#include "railyard/library/fabrics.hpp"
#include "railyard/library/job.hpp"

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
        case RankKind::processes:
            return setting.fabric + "_processes";
        case RankKind::threads:
            return setting.fabric + "_threads";
        case RankKind::fibers:
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
    for (const fabric::Traits& traits : fabrics()) {
        if (!asked(traits.name)) continue;
        if (traits.clock == fabric::Clock::virtual_time) {
            all.push_back({traits.name, RankKind::fibers});
        } else {
            all.push_back({traits.name, RankKind::processes});
            all.push_back({traits.name, RankKind::threads});
        }
    }
    return all;
}

const fabric::Traits& Contract::traits() const {
    return *find_fabric(GetParam().fabric);
}

bool Contract::quick() const {
    const char* wish = std::getenv("RAILYARD_CONTRACT_QUICK");
    // A library of others does the work there; RAILYARD_CONTRACT_QUICK=0 runs it whole.
    if (GetParam().fabric == "ofi") return wish == nullptr || *wish != '0';
    return GetParam().kind == RankKind::threads || (wish != nullptr && *wish == '1');
}

Job Contract::options(int ranks) const {
    Job options;
    options.ranks = ranks;
    options.fabric = GetParam().fabric;
    options.kind = GetParam().kind;
    return options;
}

namespace {
/// RAILYARD_CONTRACT_FAULTS names a script of faults: the contract holds on a model that they
/// strike, too.
JobResult run_job(const Job& options, const Body& body) {
    const char* script = std::getenv("RAILYARD_CONTRACT_FAULTS");
    Job struck = options;
    if (script != nullptr && datasheet(options.fabric)) struck.faults = script;
    return railyard::run(struck, body);
}
}  // namespace

void Contract::run_ranks(const Job& options, const Body& body) const {
    const JobResult result = run_job(options, body);
    EXPECT_TRUE(result.ok) << result.failure;
}

void Contract::run_ranks(int ranks, const Body& body) const {
    run_ranks(options(ranks), body);
}

void Contract::run(int ranks, const std::function<void(Team&)>& body) const {
    run_ranks(ranks, [&](Rank& rank) { as_team(rank, body); });
}

void Contract::run_on(const std::vector<fabric::NodeId>& nodes,
                      const std::function<void(Team&)>& body) const {
    Job placed = options(static_cast<int>(nodes.size()));
    placed.nodes = nodes;
    run_ranks(placed, [&](Rank& rank) { as_team(rank, body); });
}

void Contract::as_team(Rank& rank, const std::function<void(Team&)>& body) const {
    Team team(rank, GetParam().fabric);
    body(team);
    team.finish();
}

}  // namespace railyard::contract
