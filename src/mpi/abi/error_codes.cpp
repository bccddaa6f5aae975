// Errors as numbers and in words: the classes of the ABI, and classes and codes that users add.

#include <mpi.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/errors.hpp"
#include "mpi/abi/state.hpp"
#include "mpi/engine/process.hpp"

namespace railyard::mpi::abi {

namespace {

void error_class(int errorcode, int& errorclass) {
    State* const state = State::here();
    const EngineLockGuard guard(state == nullptr ? nullptr : state->process().lock().get());
    errorclass = state == nullptr ? errorcode : state->user_errors().class_of(errorcode);
}

void error_string(State& state, int errorcode, char* string, int& resultlen) {
    copy_text(state.user_errors().explanation(errorcode), string, MPI_MAX_ERROR_STRING, resultlen);
}

void add_error_class(State& state, int& errorclass) {
    errorclass = state.user_errors().add_class();
}

void add_error_code(State& state, int errorclass, int& errorcode) {
    errorcode = state.user_errors().add_code(errorclass);
}

void add_error_string(State& state, int errorcode, const char* string) {
    if (string == nullptr) null_argument("string");
    if (!state.user_errors().set_text(errorcode, string))
        throw MpiError(ErrorClass::arg, "errorcode is " + std::to_string(errorcode) +
                                            ", which neither MPI_Add_error_class nor "
                                            "MPI_Add_error_code has made");
}

/// MPI has them removed in the order code's text, code, class; MPICH takes the text with the code.
void remove_error_class(State& state, int errorclass) {
    state.user_errors().remove_class(errorclass);
}

void remove_error_code(State& state, int errorcode) {
    if (state.user_errors().has_text(errorcode))
        throw MpiError(ErrorClass::arg, "errorcode is " + std::to_string(errorcode) +
                                            ", which has a text still; call "
                                            "MPI_Remove_error_string first");
    state.user_errors().remove_code(errorcode);
}

void remove_error_string(State& state, int errorcode) {
    state.user_errors().remove_text(errorcode);
}

void x_delete_error_class(State& state, int errorclass) {
    state.user_errors().remove_class(errorclass);
}

void x_delete_error_code(State& state, int errorcode) {
    state.user_errors().remove_code(errorcode);
}

void x_delete_error_string(State& state, int errorcode) {
    state.user_errors().remove_text(errorcode);
}

struct Meaning {
    ErrorClass error_class;
    int code;
    std::string_view text;
};

/// In the order of ErrorClass.
constexpr Meaning classes[] = {
    {ErrorClass::success, MPI_SUCCESS, "no error"},
    {ErrorClass::buffer, MPI_ERR_BUFFER, "invalid buffer"},
    {ErrorClass::count, MPI_ERR_COUNT, "invalid count"},
    {ErrorClass::type, MPI_ERR_TYPE, "invalid datatype"},
    {ErrorClass::tag, MPI_ERR_TAG, "invalid tag"},
    {ErrorClass::comm, MPI_ERR_COMM, "invalid communicator"},
    {ErrorClass::rank, MPI_ERR_RANK, "invalid rank"},
    {ErrorClass::root, MPI_ERR_ROOT, "invalid root"},
    {ErrorClass::group, MPI_ERR_GROUP, "invalid group"},
    {ErrorClass::op, MPI_ERR_OP, "invalid operation"},
    {ErrorClass::topology, MPI_ERR_TOPOLOGY, "invalid topology"},
    {ErrorClass::dims, MPI_ERR_DIMS, "invalid dimensions"},
    {ErrorClass::arg, MPI_ERR_ARG, "invalid argument"},
    {ErrorClass::unknown, MPI_ERR_UNKNOWN, "unknown error"},
    {ErrorClass::truncate, MPI_ERR_TRUNCATE, "message truncated"},
    {ErrorClass::other, MPI_ERR_OTHER, "other error"},
    {ErrorClass::intern, MPI_ERR_INTERN, "internal error"},
    {ErrorClass::in_status, MPI_ERR_IN_STATUS, "the error is in the status"},
    {ErrorClass::pending, MPI_ERR_PENDING, "still pending"},
    {ErrorClass::request, MPI_ERR_REQUEST, "invalid request"},
    {ErrorClass::keyval, MPI_ERR_KEYVAL, "invalid attribute key"},
    {ErrorClass::no_mem, MPI_ERR_NO_MEM, "out of memory"},
    {ErrorClass::info_key, MPI_ERR_INFO_KEY, "invalid info key"},
    {ErrorClass::info_value, MPI_ERR_INFO_VALUE, "invalid info value"},
    {ErrorClass::info_no_key, MPI_ERR_INFO_NOKEY, "no such info key"},
    {ErrorClass::unsupported, MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation"},
    {ErrorClass::win, MPI_ERR_WIN, "invalid window"},
    {ErrorClass::file, MPI_ERR_FILE, "invalid file"},
    {ErrorClass::size, MPI_ERR_SIZE, "invalid size"},
    {ErrorClass::disp, MPI_ERR_DISP, "invalid displacement"},
    {ErrorClass::lock_type, MPI_ERR_LOCKTYPE, "invalid lock type"},
    {ErrorClass::assert, MPI_ERR_ASSERT, "invalid assertion"},
    {ErrorClass::rma_conflict, MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"},
    {ErrorClass::rma_sync, MPI_ERR_RMA_SYNC, "wrong synchronisation of a window"},
    {ErrorClass::rma_range, MPI_ERR_RMA_RANGE, "target memory is not in the window"},
    {ErrorClass::rma_attach, MPI_ERR_RMA_ATTACH, "memory cannot be attached"},
    {ErrorClass::rma_shared, MPI_ERR_RMA_SHARED, "memory cannot be shared"},
    {ErrorClass::rma_flavor, MPI_ERR_RMA_FLAVOR, "wrong flavor of window"},
    {ErrorClass::spawn, MPI_ERR_SPAWN, "cannot spawn"},
    {ErrorClass::port, MPI_ERR_PORT, "invalid port"},
    {ErrorClass::service, MPI_ERR_SERVICE, "invalid service"},
    {ErrorClass::name, MPI_ERR_NAME, "invalid name"},
    {ErrorClass::io, MPI_ERR_IO, "input or output failed"},
    {ErrorClass::session, MPI_ERR_SESSION, "invalid session"},
    {ErrorClass::proc_aborted, MPI_ERR_PROC_ABORTED, "a peer has ended"},
    {ErrorClass::conversion, MPI_ERR_CONVERSION, "conversion failed"},
    {ErrorClass::unsupported_datarep, MPI_ERR_UNSUPPORTED_DATAREP,
     "unsupported data representation"},
};

static_assert(
    [] {
        std::size_t place = 0;
        for (const Meaning& meaning : classes)
            if (static_cast<std::size_t>(meaning.error_class) != place++) return false;
        return true;
    }(),
    "the table is in the order of ErrorClass");

/// Classes of the ABI that nothing here raises.
constexpr std::pair<int, std::string_view> others[] = {
    {MPI_ERR_ACCESS, "access denied"},
    {MPI_ERR_AMODE, "invalid access mode"},
    {MPI_ERR_BAD_FILE, "invalid file name"},
    {MPI_ERR_DUP_DATAREP, "data representation exists already"},
    {MPI_ERR_FILE_EXISTS, "file exists"},
    {MPI_ERR_FILE_IN_USE, "file in use"},
    {MPI_ERR_INFO, "invalid info object"},
    {MPI_ERR_NOT_SAME, "arguments differ between ranks"},
    {MPI_ERR_NO_SPACE, "no space left"},
    {MPI_ERR_NO_SUCH_FILE, "no such file"},
    {MPI_ERR_QUOTA, "quota exceeded"},
    {MPI_ERR_READ_ONLY, "read-only"},
    {MPI_ERR_BASE, "invalid base"},
    {MPI_ERR_VALUE_TOO_LARGE, "value too large"},
    {MPI_T_ERR_CANNOT_INIT, "this library has no tools interface yet"},
    {MPI_T_ERR_NOT_INITIALIZED, "the tools interface was not initialised"},
};

[[noreturn]] void not_added(const char* argument, int number, const char* by) {
    throw MpiError(ErrorClass::arg, std::string(argument) + " is " + std::to_string(number) +
                                        ", which " + by + " has not made; was it removed before?");
}

}  // namespace

#include <entries/error_codes.inc>

int code_of(ErrorClass error_class) {
    return classes[static_cast<std::size_t>(error_class)].code;
}

std::string_view meaning_of(int error_class) {
    for (const Meaning& meaning : classes)
        if (meaning.code == error_class) return meaning.text;
    for (const auto& [code, text] : others)
        if (code == error_class) return text;
    return {};
}

const UserErrors::Entry* UserErrors::find(int code) const {
    const auto found = added_.find(code);
    return found != added_.end() ? &found->second : nullptr;
}

int UserErrors::add_class() {
    const int number = next_++;
    added_[number] = {number, {}};
    note_last_used();
    return number;
}

int UserErrors::add_code(int error_class) {
    const int number = next_++;
    added_[number] = {error_class, {}};
    note_last_used();
    return number;
}

bool UserErrors::set_text(int code, std::string text) {
    const auto found = added_.find(code);
    if (found == added_.end()) return false;
    found->second.text = std::move(text);
    return true;
}

bool UserErrors::has_text(int code) const {
    const Entry* const entry = find(code);
    return entry != nullptr && entry->text.has_value();
}

void UserErrors::remove_class(int error_class) {
    const Entry* const entry = find(error_class);
    if (entry == nullptr || entry->error_class != error_class)
        not_added("errorclass", error_class, "MPI_Add_error_class");
    for (const auto& [code, other] : added_)
        if (other.error_class == error_class && code != error_class)
            throw MpiError(ErrorClass::arg, "errorclass is " + std::to_string(error_class) +
                                                ", of which code " + std::to_string(code) +
                                                " is still; call MPI_Remove_error_code first");
    remove(error_class);
}

void UserErrors::remove_code(int code) {
    const Entry* const entry = find(code);
    if (entry == nullptr || entry->error_class == code)
        not_added("errorcode", code, "MPI_Add_error_code");
    remove(code);
}

void UserErrors::remove_text(int code) {
    if (!has_text(code)) not_added("errorcode", code, "MPI_Add_error_string");
    added_[code].text.reset();
}

void UserErrors::remove(int code) {
    added_.erase(code);
    causes_.erase(code);
    note_last_used();
}

void UserErrors::note_last_used() {
    last_used_ = added_.empty() ? MPI_ERR_LASTCODE : added_.rbegin()->first;
}

int UserErrors::class_of(int code) const {
    const Entry* entry = find(code);
    return entry != nullptr ? entry->error_class : code;
}

std::string UserErrors::text(int code) const {
    if (const Entry* entry = find(code)) return entry->text.value_or("");
    const std::string_view meaning = meaning_of(code);
    return meaning.empty() ? "error code " + std::to_string(code) : std::string(meaning);
}

std::string UserErrors::explanation(int code) const {
    const auto cause = causes_.find(code);
    if (cause == causes_.end() || find(code) != nullptr) return text(code);
    return text(code) + " (" + cause->second + ")";
}

}  // namespace railyard::mpi::abi
