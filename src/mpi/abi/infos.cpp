// Info objects: hints as pairs of key and value.

#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/communicators/comm.hpp"

namespace railyard::mpi::abi {

namespace {

Info& existing(State& state, MPI_Info handle) {
    if (Info* info = state.info(handle, "info")) return *info;
    throw CodedError(MPI_ERR_INFO, "info is MPI_INFO_NULL");
}

Info& changeable(State& state, MPI_Info handle) {
    if (handle == MPI_INFO_ENV)
        throw CodedError(MPI_ERR_INFO, "info is MPI_INFO_ENV, which can only be read");
    return existing(state, handle);
}

std::string_view to_key(const char* key) {
    const std::string_view text = key == nullptr ? std::string_view() : std::string_view(key);
    if (text.empty() || text.size() > MPI_MAX_INFO_KEY)
        throw MpiError(ErrorClass::info_key, "key has " + std::to_string(text.size()) +
                                                 " characters; it must have 1 to " +
                                                 std::to_string(MPI_MAX_INFO_KEY));
    return text;
}

/// The program's arguments, if the system tells.
std::vector<std::string> arguments() {
    std::ifstream in("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> list;
    for (std::string argument; std::getline(in, argument, '\0');)
        list.push_back(argument);
    return list;
}

// A program may have one before its first session, for which it is made.
void info_create(MPI_Info& info) {
    State& state = State::awake();
    const Call call(state.around, Function::Info_create, &info);
    info = state.infos.add(std::make_unique<Info>());
}

void info_set(State& state, MPI_Info info, const char* key, const char* value) {
    if (value == nullptr) throw MpiError(ErrorClass::info_value, "value is a null pointer");
    const std::string_view text(value);
    if (text.size() > MPI_MAX_INFO_VAL)
        throw MpiError(ErrorClass::info_value, "value has " + std::to_string(text.size()) +
                                                   " characters; it must have at most " +
                                                   std::to_string(MPI_MAX_INFO_VAL));
    changeable(state, info).set(to_key(key), text);
}

void info_get(State& state, MPI_Info info, const char* key, int valuelen, char* value, int& flag) {
    const std::string* const found = existing(state, info).find(to_key(key));
    flag = found != nullptr;
    if (found == nullptr) return;
    int length = 0;
    copy_text(*found, value, to_count(valuelen, "valuelen") + 1, length);
}

/// `buflen` counts the closing zero: what there is room for, and then what is needed.
void info_get_string(State& state, MPI_Info info, const char* key, int& buflen, char* value,
                     int& flag) {
    const std::size_t room = to_count(buflen, "buflen");
    const std::string* const found = existing(state, info).find(to_key(key));
    flag = found != nullptr;
    if (found == nullptr) return;
    int length = 0;
    if (room != 0) copy_text(*found, value, room, length);
    buflen = static_cast<int>(found->size()) + 1;
}

/// The same as MPI_INFO_ENV, as what the program was started with is known here.
void info_create_env(State& state, int, char**, MPI_Info& info) {
    info = state.infos.add(std::make_unique<Info>(environment_of(state)));
}

void info_get_nkeys(State& state, MPI_Info info, int& nkeys) {
    nkeys = static_cast<int>(existing(state, info).pairs().size());
}

void info_get_nthkey(State& state, MPI_Info info, int n, char* key) {
    const auto& pairs = existing(state, info).pairs();
    if (n < 0 || static_cast<std::size_t>(n) >= pairs.size())
        throw MpiError(ErrorClass::arg, "n is " + std::to_string(n) + "; there are " +
                                            std::to_string(pairs.size()) + " keys");
    int length = 0;
    copy_text(pairs[static_cast<std::size_t>(n)].first, key, MPI_MAX_INFO_KEY + 1, length);
}

void info_get_valuelen(State& state, MPI_Info info, const char* key, int& valuelen, int& flag) {
    const std::string* const found = existing(state, info).find(to_key(key));
    flag = found != nullptr;
    if (found != nullptr) valuelen = static_cast<int>(found->size());
}

void info_delete(State& state, MPI_Info info, const char* key) {
    if (!changeable(state, info).erase(to_key(key)))
        throw MpiError(ErrorClass::info_no_key, "there is no key '" + std::string(key) + "'");
}

void info_dup(State& state, MPI_Info info, MPI_Info& newinfo) {
    newinfo = state.infos.add(std::make_unique<Info>(existing(state, info)));
}

void info_free(State& state, MPI_Info& info) {
    changeable(state, info);
    state.bury(state.infos.remove(info));
    info = MPI_INFO_NULL;
}

/// The hints that MPI defines for communicators. All are assertions; others are ignored, as MPI
/// wants it, and not given back.
constexpr std::string_view known_hints[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
                                            "mpi_assert_exact_length",
                                            "mpi_assert_allow_overtaking"};

}  // namespace

void take_hints(Comm& comm, Info* from) {
    if (from == nullptr) return;
    for (const std::string_view hint : known_hints)
        if (const std::string* value = from->find(hint);
            value != nullptr && (*value == "true" || *value == "false"))
            comm.hints.set(hint, *value);
}

Info hints_of(Comm& comm) {
    Info used;
    for (const std::string_view hint : known_hints) {
        const std::string* const value = comm.hints.find(hint);
        used.set(hint, value == nullptr ? "false" : *value);
    }
    return used;
}

Info environment_of(State& state) {
    constexpr const char* levels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                      "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
    Info info;
    info.set("maxprocs", std::to_string(state.process().world_size()));
    info.set("thread_level", levels[state.thread_level]);
    if (const Bytes limit = state.process().settings().payload; limit != Settings::all_payload)
        info.set("railyard_payload_limit", std::to_string(limit.count()));
    // In virtual time a rank is part of the program that runs the model.
    if (state.process().rank().nic().traits().clock != fabric::Clock::real) return info;
    if (const std::vector<std::string> list = arguments(); !list.empty()) {
        info.set("command", list[0]);
        std::string rest;
        for (std::size_t i = 1; i < list.size(); ++i)
            rest += (i > 1 ? " " : "") + list[i];
        info.set("argv", rest);
    }
    if (utsname system{}; uname(&system) == 0) {
        info.set("host", system.nodename);
        info.set("arch", system.machine);
    }
    std::error_code missing;
    if (const auto folder = std::filesystem::current_path(missing); !missing)
        info.set("wdir", folder.string());
    return info;
}

#include <entries/infos.inc>

}  // namespace railyard::mpi::abi
