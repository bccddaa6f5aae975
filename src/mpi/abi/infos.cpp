// Info objects: hints as pairs of key and value.

#include "mpi/communicators/comm.hpp"

#include <algorithm>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

Info& existing(State& state, MPI_Info handle) {
    if (Info* info = state.info(handle, "info")) return *info;
    throw CodedError(MPI_ERR_INFO, "info is MPI_INFO_NULL");
}

std::string_view to_key(const char* key) {
    const std::string_view text = key == nullptr ? std::string_view() : std::string_view(key);
    if (text.empty() || text.size() > MPI_MAX_INFO_KEY)
        throw MpiError(ErrorClass::info_key, "key has " + std::to_string(text.size()) +
                                                 " characters; it must have 1 to " +
                                                 std::to_string(MPI_MAX_INFO_KEY));
    return text;
}

void info_create(State& state, MPI_Info& info) {
    info = state.infos.add(std::make_unique<Info>());
}

void info_set(State& state, MPI_Info info, const char* key, const char* value) {
    const std::string_view text = value == nullptr ? std::string_view() : std::string_view(value);
    if (text.size() > MPI_MAX_INFO_VAL)
        throw MpiError(ErrorClass::info_value, "value has " + std::to_string(text.size()) +
                                                   " characters; it must have at most " +
                                                   std::to_string(MPI_MAX_INFO_VAL));
    existing(state, info).set(to_key(key), text);
}

void info_get(State& state, MPI_Info info, const char* key, int valuelen, char* value, int& flag) {
    const std::string* const found = existing(state, info).find(to_key(key));
    flag = found != nullptr;
    if (found == nullptr) return;
    int length = 0;
    copy_text(*found, value, to_count(valuelen, "valuelen") + 1, length);
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
    if (!existing(state, info).erase(to_key(key)))
        throw MpiError(ErrorClass::info_no_key, "there is no key '" + std::string(key) + "'");
}

void info_dup(State& state, MPI_Info info, MPI_Info& newinfo) {
    newinfo = state.infos.add(std::make_unique<Info>(existing(state, info)));
}

void info_free(State& state, MPI_Info& info) {
    existing(state, info);
    state.infos.remove(info);
    info = MPI_INFO_NULL;
}

}  // namespace

#include <entries/infos.inc>

}  // namespace railyard::mpi::abi
