#pragma once
/// A user's request handle, and what it stands for: nothing, something complete, one of the
/// engine's requests, or one of this layer.

#include "mpi/abi/entry.hpp"
#include "mpi/abi/request_failures.hpp"

namespace railyard::mpi::abi {

inline void set_status(MPI_Status* to, const Status& from) {
    if (to == MPI_STATUS_IGNORE) return;
    to->count_lo = static_cast<int>(from.bytes & 0xffffffff);
    to->count_hi_and_cancelled =
        static_cast<int>((from.bytes >> 32) << 1 | (from.cancelled ? 1u : 0u));
    to->MPI_SOURCE = from.source;
    to->MPI_TAG = from.tag;
}

inline std::size_t bytes_of(const MPI_Status& status) {
    return static_cast<std::size_t>(static_cast<std::uint32_t>(status.count_lo)) |
           static_cast<std::size_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1)
               << 32;
}

/// MPI's status of nothing.
inline constexpr Status empty_status{};
/// The status of a receive from MPI_PROC_NULL.
inline constexpr Status proc_null_status{.source = no_rank};

inline MPI_Request handle_of(const Request& request) {
    return make_handle(Prefix::engine_request, request.index() | request.turn() << place_bits);
}

/// A handle that is one of the engine's; null for all others.
inline Request* find_engine(State& state, MPI_Request handle) {
    if (!has_prefix(handle, Prefix::engine_request)) [[unlikely]]
        return nullptr;
    const std::uint32_t index = index_of(handle);
    Request* const request = state.process().find_request(index & place_mask);
    return request != nullptr && request->turn() == index >> place_bits ? request : nullptr;
}

/// A handle for what is under way. `context`: of the communicator that hears of a failure.
inline MPI_Request add_request(State& state, std::unique_ptr<Deferred> deferred,
                               std::uint32_t context) {
    auto local = std::make_unique<LocalRequest>();
    local->active = true;
    local->persistent = false;
    local->context = context;
    local->deferred = std::move(deferred);
    return state.local_requests.add(std::move(local));
}

/// Any handle, found. Throws MpiError (request) for one that stands for nothing.
class Found {
  public:
    Found(State& state, MPI_Request handle, const char* argument) {
        engine_ = find_engine(state, handle);
        if (engine_ != nullptr) [[likely]]
            return;
        local_ = state.local_requests.find(handle);
        done_ = handle == done_request;
        if (local_ == nullptr && !done_ && handle != MPI_REQUEST_NULL) [[unlikely]]
            bad_request(handle, argument);
    }

    Request* engine() const { return engine_; }
    LocalRequest* local() const { return local_; }
    bool is_complete() const {
        if (engine_ != nullptr) [[likely]]
            return engine_->is_complete();
        return local_ == nullptr || local_->deferred == nullptr || !local_->active ||
               local_->deferred->is_complete();
    }
    /// Of the communicator that hears of a failure.
    std::uint32_t context() const {
        if (engine_ != nullptr) return engine_->envelope.context;
        return local_ != nullptr ? local_->context : 0;
    }
    void wait(State& state) const {
        if (engine_ != nullptr) [[likely]]
            return state.process().wait(*engine_);
        if (is_complete()) return;
        local_->deferred->wait();
        if (!is_complete())
            state.process().wait_until([this] { return is_complete(); }, longest_sleep());
    }
    /// How long a call that waits for it may sleep, if no message comes.
    Duration longest_sleep() const {
        return deferred() == nullptr ? Duration::forever() : deferred()->longest_sleep();
    }
    Deferred* deferred() const { return local_ == nullptr ? nullptr : local_->deferred.get(); }
    /// False for MPI_REQUEST_NULL and for persistent requests that were not started: calls that
    /// wait for some of many pass over them.
    bool is_active() const {
        if (engine_ != nullptr) return engine_->is_active();
        return local_ != nullptr ? local_->active : done_;
    }
    Status status() const {
        if (!is_active()) return empty_status;
        if (engine_ != nullptr) return engine_->status();
        if (local_ != nullptr && local_->deferred != nullptr) return local_->deferred->result();
        return local_ != nullptr ? local_->status : proc_null_status;
    }

  private:
    Request* engine_ = nullptr;
    LocalRequest* local_ = nullptr;
    bool done_ = false;
};

/// Takes note that a complete request was seen: the handle becomes null, or the request inactive.
/// Returns how it ended.
ErrorClass finish_other(State& state, const Found& found, MPI_Request& handle, MPI_Status* status);
inline ErrorClass finish(State& state, const Found& found, MPI_Request& handle,
                         MPI_Status* status) {
    Request* const engine = found.engine();
    if (engine == nullptr || engine->is_persistent()) [[unlikely]]
        return finish_other(state, found, handle, status);
    set_status(status, engine->status());
    const ErrorClass error = engine->status().error;
    state.process().release(*engine);
    handle = MPI_REQUEST_NULL;
    return error;
}

}  // namespace railyard::mpi::abi
