#include "mpi/checking/request_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>

#include "mpi/calls/parameters.hpp"
#include "mpi/checking/findings.hpp"

namespace railyard::mpi::checking {

namespace {

using calls::Chapter;

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

/// Calls that may tell that a request is complete, and leave it.
bool looks_at(Function function) {
    return function == Function::Request_get_status ||
           function == Function::Request_get_status_all ||
           function == Function::Request_get_status_any ||
           function == Function::Request_get_status_some;
}

bool starts(Function function) {
    return function == Function::Start || function == Function::Startall;
}

/// Calls whose last argument is the place of a new request.
bool makes_request(Function function) {
    if (starts(function) || function == Function::Cancel || function == Function::Request_free)
        return false;
    const auto parameters = calls::parameters(function);
    return !parameters.empty() && parameters.back().kind == calls::Kind::request_at;
}

bool is_persistent(Function function) {
    return std::string_view(calls::name(function)).find("_init") != std::string_view::npos;
}

bool replaces(Function function) {
    return function == Function::Isendrecv_replace || function == Function::Isendrecv_replace_c;
}

bool moves_messages(Function function) {
    switch (calls::chapter(function)) {
        case Chapter::point_to_point:
        case Chapter::combined:
        case Chapter::buffered:
        case Chapter::persistent:
        case Chapter::probe:
            return true;
        default:
            return false;
    }
}

}  // namespace

std::optional<MessageCheck::Message> RequestCheck::message_of(const MadeCall& call,
                                                              const calls::CallFacts& its) {
    const UserData data = data_of(its.send);
    const Comm* const comm = objects_.comm(its.comm);
    // What is wrong the call itself says.
    if (data.type == nullptr || comm == nullptr || its.send.tag < 0 || its.send.peer < 0 ||
        comm->peers().rank_of(its.send.peer) < 0)
        return std::nullopt;
    return MessageCheck::Message{its.send.peer, its.context, its.send.tag,
                                 sequence_of(*data.type, data.count), text_of(call, objects_)};
}

void RequestCheck::entered(const MadeCall& call) {
    if (!found_.empty()) fail(objects_.process(), std::exchange(found_, {}));
    if (completes(call.function)) {
        keep_places(call);
    } else if (starts(call.function)) {
        for (const int handle : facts(call).requests)
            if (const auto found = followed_.find(handle); found != followed_.end())
                start(handle, found->second);
    } else if (call.function == Function::Request_free) {
        for (const int handle : facts(call).requests)
            forget(handle);
    } else if (moves_messages(call.function)) {
        objects_.process().take_last_receive();
        if (is_persistent(call.function)) return;
        if (const auto message = message_of(call, facts(call)))
            objects_.process().set_piggyback(messages_.describe(*message));
    }
}

void RequestCheck::keep_places(const MadeCall& call) {
    const std::span<const int> places = facts(call).requests;
    completing_.push_back(
        {::pthread_self(), places, std::vector<int>(places.begin(), places.end()), made_});
}

void RequestCheck::left(const MadeCall& call) {
    try {
        if (completes(call.function))
            look_at_completed();
        else if (looks_at(call.function))
            looked_at(call);
        else if (makes_request(call.function))
            follow(call);
        else if (const Request* const receive = moves_messages(call.function)
                                                    ? objects_.process().take_last_receive()
                                                    : nullptr)
            if (const UserData data = data_of(facts(call).receive); data.type != nullptr)
                note(messages_.compare(*receive, *data.type, data.count, text_of(call, objects_)));
    } catch (const MpiError&) {
        // A rank out of reach: whoever needs it will say so.
    }
    if (moves_messages(call.function)) objects_.process().set_piggyback(0);
}

void RequestCheck::look_at_completed() {
    const auto found =
        std::find_if(completing_.rbegin(), completing_.rend(), [](const Completing& completing) {
            return ::pthread_equal(completing.thread, ::pthread_self()) != 0;
        });
    if (found == completing_.rend()) return;
    const Completing completing = std::move(*found);
    completing_.erase(std::next(found).base());
    note(partitioned_.look());
    for (std::size_t i = 0; i < completing.handles.size(); ++i)
        if (completing.places[i] != completing.handles[i])
            went_away(completing.handles[i], completing.places[i], completing.made);
    std::vector<int> ended;
    for (const int handle : started_)
        if (objects_.request_state(handle) == RequestState::inactive &&
            std::ranges::find(completing.handles, handle) != completing.handles.end())
            ended.push_back(handle);
    for (const int handle : ended)
        completed(handle);
}

void RequestCheck::went_away(int handle, int now, std::uint64_t made) {
    const auto followed = followed_.find(handle);
    if (followed == followed_.end() || followed->second.serial > made) return;
    if (objects_.request_state(now) != RequestState::none) {
        // It goes on under another handle, as Fortran's collectives of sections do.
        auto node = followed_.extract(followed);
        node.key() = now;
        followed_.insert(std::move(node));
        if (started_.erase(handle) > 0) started_.insert(now);
    } else if (followed->second.active) {
        completed(handle);
    }
}

/// From now on the buffers are the user's again, though the request is there.
void RequestCheck::looked_at(const MadeCall& call) {
    const int one = static_cast<int>(call.words[0]);
    const calls::CallFacts its = facts(call);
    for (const int handle : call.function == Function::Request_get_status
                                ? std::span(&one, 1)
                                : std::span<const int>(its.requests)) {
        const auto found = followed_.find(handle);
        if (found == followed_.end() || objects_.request_state(handle) != RequestState::complete)
            continue;
        check_sum(found->second);
        buffers_.remove(handle, found->second.sent);
        buffers_.remove(handle, found->second.received);
    }
}

void RequestCheck::forget(int handle) {
    const auto found = followed_.find(handle);
    if (found == followed_.end()) return;
    buffers_.remove(handle, found->second.sent);
    buffers_.remove(handle, found->second.received);
    started_.erase(handle);
    followed_.erase(found);
}

void RequestCheck::follow(const MadeCall& call) {
    const calls::CallFacts its = facts(call);
    if (its.requests.size() != 1) return;
    const int handle = its.requests[0];
    if (objects_.request_state(handle) == RequestState::none) return;
    partitioned_.made(call, its);
    forget(handle);  // one that somebody else has ended, and whose handle is used again
    Followed followed;
    followed.serial = ++made_;
    followed.text = text_of(call, objects_);
    followed.persistent = is_persistent(call.function);
    if (moves_messages(call.function)) {
        if (its.send.peer >= 0) {
            // What is copied at once may change at once.
            if (!replaces(call.function) && calls::chapter(call.function) != Chapter::buffered)
                followed.sent = data_of(its.send);
            if (followed.persistent)
                if (auto message = message_of(call, its)) followed.message = std::move(*message);
        }
        if (its.receive.type != calls::absent) followed.received = data_of(its.receive);
    }
    if (followed.persistent)
        followed.active = false;
    else
        start(handle, followed);
    followed_[handle] = std::move(followed);
}

void RequestCheck::start(int handle, Followed& followed) {
    followed.active = true;
    followed.request = objects_.message_request(handle);
    if (followed.persistent) started_.insert(handle);
    if (followed.sent.is_there()) {
        followed.sum = followed.sent.sum();
        followed.is_summed = true;
        buffers_.add(handle, followed.sent, true, followed.text);
    }
    buffers_.add(handle, followed.received, false, followed.text);
    Request* const request = objects_.request(handle);
    if (request != nullptr && followed.persistent && !followed.message.call.empty())
        request->envelope.piggyback = messages_.describe(followed.message);
}

void RequestCheck::check_sum(Followed& followed) {
    if (!std::exchange(followed.is_summed, false)) return;
    if (followed.sent.sum() != followed.sum)
        note(
            fmt::format("the buffer of {} was changed before the request was complete; the "
                        "message may be the old, the new, or a mixture",
                        followed.text));
}

void RequestCheck::completed(int handle) {
    Followed& followed = followed_[handle];
    const Request* const message = followed.request;
    followed.active = false;
    started_.erase(handle);
    buffers_.remove(handle, followed.sent);
    buffers_.remove(handle, followed.received);
    if (message == nullptr || !message->status().cancelled) check_sum(followed);
    const UserData into = followed.received;
    const std::string text = followed.text;
    if (!followed.persistent) followed_.erase(handle);
    if (message != nullptr && into.type != nullptr)
        note(messages_.compare(*message, *into.type, into.count, text));
}

void RequestCheck::note(std::string what) {
    if (found_.empty()) found_ = std::move(what);
}

void RequestCheck::tell_leaks() {
    constexpr std::size_t most_lines = 20;
    messages_.finish();
    partitioned_.finish();
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
