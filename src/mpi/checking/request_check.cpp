#include "mpi/checking/request_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "mpi/calls/parameters.hpp"
#include "mpi/checking/findings.hpp"

namespace railyard::mpi::checking {

namespace {

constexpr std::size_t most_overlaps = 10;

bool completes(Function function) {
    switch (function) {
        case Function::Wait:
        case Function::Waitall:
        case Function::Waitany:
        case Function::Waitsome:
        case Function::Test:
        case Function::Testall:
        case Function::Testany:
        case Function::Testsome:
            return true;
        default:
            return false;
    }
}

bool starts(Function function) {
    return function == Function::Start || function == Function::Startall;
}

/// Calls whose last argument is the place of a new request.
bool makes_request(Function function) {
    using calls::Chapter;
    if (starts(function)) return false;
    switch (calls::chapter(function)) {
        case Chapter::point_to_point:
        case Chapter::persistent:
        case Chapter::probe:
        case Chapter::nonblocking_collectives:
        case Chapter::persistent_collectives:
        case Chapter::nonblocking_neighbourhoods:
        case Chapter::persistent_neighbourhoods: {
            const auto parameters = calls::parameters(function);
            return !parameters.empty() && parameters.back().kind == calls::Kind::request_at;
        }
        default:
            return false;
    }
}

bool is_persistent(Function function) {
    return std::string_view(calls::name(function)).find("_init") != std::string_view::npos;
}

bool moves_messages(Function function) {
    const auto chapter = calls::chapter(function);
    return chapter == calls::Chapter::point_to_point || chapter == calls::Chapter::persistent ||
           chapter == calls::Chapter::probe;
}

std::uint64_t sum_of_bytes(std::span<const std::byte> bytes) {
    std::uint64_t sum = bytes.size();
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 29;
    }
    for (; at < bytes.size(); ++at)
        sum = (sum ^ static_cast<std::uint64_t>(bytes[at])) * 0x100000001b3;
    return sum;
}

}  // namespace

std::uint64_t RequestCheck::sum_of(const Followed& followed) {
    if (followed.type == nullptr || followed.count <= 0) return 0;
    const auto count = static_cast<std::size_t>(followed.count);
    const std::size_t bytes = count * followed.type->size();
    if (followed.type->is_dense())
        return sum_of_bytes({followed.type->dense_data(followed.data), bytes});
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
    followed.type->pack(followed.data, count, 0, {packed.get(), bytes});
    return sum_of_bytes({packed.get(), bytes});
}

void RequestCheck::entered(const MadeCall& call) {
    if (!found_.empty()) fail(objects_.process(), std::exchange(found_, {}));
    if (completes(call.function)) {
        Completing completing{::pthread_self(), {}};
        for (const int& handle : facts(call).requests)
            if (const Request* const request = objects_.request(handle))
                if (followed_.contains(handle))
                    completing.all.push_back({&handle, handle, request});
        completing_.push_back(std::move(completing));
    } else if (starts(call.function)) {
        for (const int handle : facts(call).requests)
            if (const auto found = followed_.find(handle); found != followed_.end())
                start(found->second);
    } else if (call.function == Function::Request_free) {
        for (const int handle : facts(call).requests)
            if (const auto found = followed_.find(handle); found != followed_.end()) {
                remove_memory(found->second);
                followed_.erase(found);
            }
    } else if (moves_messages(call.function)) {
        objects_.process().take_last_came();
    }
}

void RequestCheck::left(const MadeCall& call) {
    if (completes(call.function)) {
        const auto found = std::find_if(
            completing_.rbegin(), completing_.rend(), [](const Completing& completing) {
                return ::pthread_equal(completing.thread, ::pthread_self()) != 0;
            });
        if (found == completing_.rend()) return;
        for (const auto& [place, handle, request] : found->all) {
            const auto followed = followed_.find(handle);
            if (followed == followed_.end() || !followed->second.active) continue;
            if (*place != handle || (followed->second.persistent && !request->is_active()))
                completed(handle, *request);
        }
        completing_.erase(std::next(found).base());
    } else if (makes_request(call.function)) {
        follow(call);
    } else if (moves_messages(call.function)) {
        const calls::CallFacts its = facts(call);
        if (its.receive.type != calls::absent && its.receive.data != nullptr)
            check_type(its.receive, objects_.process().take_last_came(), its.receive.peer, 1,
                       text_of(call, objects_));
    }
}

void RequestCheck::follow(const MadeCall& call) {
    const calls::CallFacts its = facts(call);
    if (its.requests.size() != 1 || objects_.request(its.requests[0]) == nullptr) return;
    Followed followed;
    followed.text = text_of(call, objects_);
    followed.persistent = is_persistent(call.function);
    if (moves_messages(call.function)) {
        followed.is_send = its.send.data != nullptr && its.send.type != calls::absent;
        const calls::Side& side = followed.is_send ? its.send : its.receive;
        followed.data = side.data;
        followed.count = side.count;
        followed.type = objects_.type(side.type);
        followed.peer = side.peer;
    }
    if (followed.persistent)
        followed.active = false;
    else
        start(followed);
    followed_[its.requests[0]] = std::move(followed);
}

void RequestCheck::start(Followed& followed) {
    followed.active = true;
    if (followed.is_send) followed.sum = sum_of(followed);
    add_memory(followed);
}

void RequestCheck::completed(int handle, const Request& request) {
    Followed& followed = followed_[handle];
    followed.active = false;
    remove_memory(followed);
    const Status& status = request.status();
    if (followed.is_send && !status.cancelled && sum_of(followed) != followed.sum)
        note(
            fmt::format("the buffer of {} was changed before the request was complete; the "
                        "message may be the old, the new, or a mixture",
                        followed.text));
    if (!followed.is_send && followed.type != nullptr && !status.cancelled && status.bytes > 0 &&
        !go_together(request.came, followed.type->uniform_basic())) {
        const int sender = request.communicator != nullptr && status.source >= 0
                               ? request.communicator->world_rank(status.source)
                               : status.source;
        note(fmt::format("types do not match: rank {} sent {} with tag {}, rank {} called {}",
                         sender, traits(request.came).name, status.tag,
                         objects_.process().world_rank(), followed.text));
    }
    if (!followed.persistent) followed_.erase(handle);
}

void RequestCheck::check_type(const calls::Side& side, Basic came, int source, std::size_t bytes,
                              const std::string& text) {
    const TypeRef type = objects_.type(side.type);
    if (bytes == 0 || type == nullptr || go_together(came, type->uniform_basic())) return;
    note(fmt::format("types do not match: {} sent {}, rank {} called {}",
                     source >= 0 ? fmt::format("rank {}", source) : std::string("some rank"),
                     traits(came).name, objects_.process().world_rank(), text));
}

void RequestCheck::note(std::string what) {
    if (found_.empty()) found_ = std::move(what);
}

void RequestCheck::add_memory(const Followed& followed) {
    if (followed.type == nullptr || !followed.type->is_dense() || followed.count <= 0 ||
        followed.type->size() == 0)
        return;
    const std::byte* const begin = followed.type->dense_data(followed.data);
    const std::byte* const end =
        begin + static_cast<std::size_t>(followed.count) * followed.type->size();
    // Those before may reach into it; how long the longest is, nobody knows, but neighbours do.
    auto near = in_use_.lower_bound(begin);
    if (near != in_use_.begin()) --near;
    for (; near != in_use_.end() && near->first < end; ++near) {
        const InUse& other = near->second;
        if (other.end <= begin || (followed.is_send && other.is_send)) continue;
        if (overlaps_told_++ < most_overlaps)
            warn(objects_.process(),
                 fmt::format("buffers overlap: {} is given memory that {} still uses",
                             followed.text, other.text));
        break;
    }
    in_use_.emplace(begin, InUse{end, followed.is_send, followed.text});
}

void RequestCheck::remove_memory(const Followed& followed) {
    if (followed.type == nullptr || !followed.type->is_dense()) return;
    const auto [first, last] = in_use_.equal_range(followed.type->dense_data(followed.data));
    for (auto at = first; at != last; ++at)
        if (at->second.text == followed.text) {
            in_use_.erase(at);
            return;
        }
}

void RequestCheck::tell_leaks() {
    constexpr std::size_t most_lines = 20;
    std::map<std::string, std::size_t> leaks;
    for (const auto& [handle, followed] : followed_)
        ++leaks[followed.text + (followed.persistent && !followed.active
                                     ? " was never freed: call MPI_Request_free"
                                     : " was never completed: wait for its request, or test it")];
    std::size_t lines = 0;
    for (const auto& [text, times] : leaks)
        if (lines++ < most_lines)
            warn(objects_.process(),
                 text + (times > 1 ? fmt::format(" ({} requests)", times) : std::string()));
    if (leaks.size() > most_lines)
        warn(objects_.process(),
             fmt::format("and {} more calls like these", leaks.size() - most_lines));
}

}  // namespace railyard::mpi::checking
