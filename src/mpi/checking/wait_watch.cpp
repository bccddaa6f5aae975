#include "mpi/checking/wait_watch.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "mpi/calls/parameters.hpp"

namespace railyard::mpi::checking {

namespace {

/// Where all ranks meet at the end; no communicator has such a context.
constexpr std::uint32_t place_of_end = 0xffffffff;

Duration interval_for(Duration timeout) {
    return std::clamp(Duration::ps(timeout.picoseconds() / 8), Duration::ms(5), Duration::s(1));
}

/// Of this process. Its folder has two links and one for each.
std::uint64_t count_threads() {
    struct stat tasks {};
    return ::stat("/proc/self/task", &tasks) == 0 ? tasks.st_nlink - 2 : 0;
}

}  // namespace

WaitWatch::WaitWatch(Objects& objects, Duration timeout)
    : objects_(objects), timeout_(timeout), interval_(interval_for(timeout)) {
    Process& process = objects_.process();
    process.rank().explain_wait_by([this] { return waiting(); });
    const bool is_real = process.rank().nic().traits().clock == fabric::Clock::real;
    if (is_real && timeout_ > Duration{}) process.watch_stalls(*this, interval_);
}

void WaitWatch::entered(Function function, std::span<const Word> arguments) {
    Entered& here = calls_.emplace_back(Entered{::pthread_self(), {function, arguments}, {}});
    if (function == Function::Finalize) {
        here.meeting = Meetings::Meeting{place_of_end, 1};
    } else if (together(function) != Together::no) {
        if (const Communicator* const comm = met_on(here.call, objects_))
            here.meeting = meetings_.next(*comm);
    }
}

void WaitWatch::left(Function) {
    const pthread_t thread = ::pthread_self();
    const auto found = std::find_if(calls_.rbegin(), calls_.rend(), [&](const Entered& call) {
        return ::pthread_equal(call.thread, thread) != 0;
    });
    if (found == calls_.rend()) return;
    if (found->meeting && together(found->call.function) == Together::starting &&
        found->call.count > 0) {
        // The request is the last argument.
        const Word place = found->call.words[found->call.count - 1];
        if (place != 0)
            started_[*reinterpret_cast<const int*>(place)] = {*found->meeting, found->call};
    }
    calls_.erase(std::next(found).base());
}

std::optional<Meetings::Meeting> WaitWatch::current_meeting() const {
    return calls_.empty() ? std::nullopt : calls_.back().meeting;
}

void WaitWatch::waited(Time now) {
    // A process that was stopped for a while has not waited all that time.
    const Duration passed = std::min(now - last_look_, interval_ + interval_);
    last_look_ = now;
    const std::uint64_t movement = objects_.process().movement();
    if (std::exchange(movement_, movement) != movement) {
        stood_ = {};
        if (std::exchange(has_told_, false)) objects_.process().rank().say_waiting(nullptr);
        return;
    }
    stood_ += passed;
    if (look_) look_();
    if (has_told_ || stood_ < timeout_ || !do_all_threads_wait()) return;
    auto what = waiting();
    if (!what) return;
    what->for_so_long = timeout_;
    has_told_ = true;
    objects_.process().rank().say_waiting(&*what);
}

void WaitWatch::went_on() {
    stood_ = {};
    movement_ = 0;
    if (std::exchange(has_told_, false)) objects_.process().rank().say_waiting(nullptr);
}

/// One that does not may call at any time, and send what another waits for.
bool WaitWatch::do_all_threads_wait() {
    if (!objects_.has_many_threads()) return true;
    return static_cast<std::uint64_t>(objects_.process().waiting_calls()) >= count_threads();
}

std::optional<job::Waiting> WaitWatch::waiting() {
    job::Waiting all;
    // The innermost call of each thread: those come last.
    std::vector<const Entered*> calls;
    for (auto call = calls_.rbegin(); call != calls_.rend(); ++call)
        if (std::ranges::none_of(calls, [&](const Entered* other) {
                return ::pthread_equal(other->thread, call->thread) != 0;
            }))
            calls.push_back(&*call);
    if (calls.empty()) return std::nullopt;
    for (const Entered* const call : calls) {
        Awaited found = awaited(*call);
        all.call +=
            (all.call.empty() ? "" : " and ") + text_of(call->call, objects_) + found.detail;
        all.ranks.insert(all.ranks.end(), found.ranks.begin(), found.ranks.end());
        all.any |= found.any;
        if (calls.size() == 1) all.meeting = found.meeting;
    }
    std::ranges::sort(all.ranks);
    all.ranks.erase(std::ranges::unique(all.ranks).begin(), all.ranks.end());
    all.met = meetings_.last();
    for (const Entered* const call : calls)
        if (call->meeting && call->meeting->place == place_of_end)
            all.met.push_back(*call->meeting);
    return all;
}

WaitWatch::Awaited WaitWatch::awaited(const Entered& entered) {
    using calls::Chapter;
    const MadeCall& call = entered.call;
    if (entered.meeting && entered.meeting->place == place_of_end) {
        std::vector<int> all(static_cast<std::size_t>(objects_.process().world_size()));
        std::iota(all.begin(), all.end(), 0);
        return {std::move(all), false, entered.meeting};
    }
    const Communicator* const comm = met_on(call, objects_);
    if (entered.meeting && comm != nullptr) return {ranks_of(*comm), false, entered.meeting};
    switch (calls::chapter(call.function)) {
        case Chapter::completion:
            if (call.function == Function::Wait)
                return awaited_requests(entered, {reinterpret_cast<const int*>(call.words[0]), 1});
            return awaited_requests(entered, {reinterpret_cast<const int*>(call.words[1]),
                                              static_cast<std::size_t>(call.words[0])});
        case Chapter::probe:
        case Chapter::point_to_point:
            return awaited_messages(entered);
        default:
            break;
    }
    Awaited found;
    if (comm == nullptr) return found;
    // Of windows: the target, where there is one, else all.
    const auto parameters = calls::parameters(call.function);
    for (std::size_t i = 0; i < std::min(parameters.size(), call.count); ++i)
        if (parameters[i].kind == calls::Kind::target) {
            add_source(found, comm, static_cast<int>(call.words[i]));
            return found;
        }
    found.ranks = ranks_of(*comm);
    std::erase(found.ranks, objects_.process().world_rank());
    return found;
}

WaitWatch::Awaited WaitWatch::awaited_requests(const Entered& call, std::span<const int> handles) {
    Awaited found;
    found.any = call.call.function == Function::Waitany || call.call.function == Function::Waitsome;
    std::size_t pending = 0;
    for (const int handle : handles) {
        const Request* const request = objects_.request(handle);
        if (request == nullptr || request->complete) continue;
        if (request->kind == Request::Kind::collective) {
            if (const auto started = started_.find(handle); started != started_.end())
                found.meeting = started->second.meeting;
            if (request->communicator != nullptr) found.ranks = ranks_of(*request->communicator);
        } else {
            add(found, *request);
        }
        if (pending++ > 0) continue;
        const bool is_send = request->kind == Request::Kind::send;
        const auto started = started_.find(handle);
        found.detail =
            request->kind == Request::Kind::collective
                ? " of " + (started != started_.end() ? text_of(started->second.call, objects_)
                                                      : std::string("a collective"))
            : is_send ? fmt::format(" of a send with tag {}", request->envelope.tag)
            : request->envelope.tag == any_tag
                ? std::string(" of a receive with any tag")
                : fmt::format(" of a receive with tag {}", request->envelope.tag);
    }
    if (pending > 1) {
        found.detail += fmt::format(" and {} more", pending - 1);
        if (found.ranks.size() > 1) found.meeting.reset();
    }
    return found;
}

WaitWatch::Awaited WaitWatch::awaited_messages(const Entered& entered) {
    using calls::Kind;
    const MadeCall& call = entered.call;
    const Communicator* const comm = met_on(call, objects_);
    Awaited found;
    // What is not complete yet, of a call that both sends and receives.
    objects_.process().for_each_pending([&](const Request& request) {
        if (comm != nullptr && request.envelope.context == comm->context() &&
            request.then == Request::Then::nothing)
            for (std::size_t i = 0; i < call.count; ++i) {
                const Kind kind = calls::parameters(call.function)[i].kind;
                const int rank = static_cast<int>(call.words[i]);
                const bool is_it =
                    kind == Kind::dest
                        ? request.kind == Request::Kind::send && rank >= 0 &&
                              rank < comm->peer_count() && request.peer == comm->world_rank(rank)
                        : kind == Kind::source && request.kind == Request::Kind::receive &&
                              request.envelope.source == rank;
                if (is_it) add(found, request);
            }
    });
    if (!found.ranks.empty()) return found;
    // Of a probe there is no request.
    for (std::size_t i = 0; i < call.count; ++i)
        if (const Kind kind = calls::parameters(call.function)[i].kind;
            kind == Kind::source || kind == Kind::dest)
            add_source(found, comm, static_cast<int>(call.words[i]));
    return found;
}

void WaitWatch::add(Awaited& to, const Request& request) {
    if (request.kind == Request::Kind::send)
        to.ranks.push_back(request.peer);
    else
        add_source(to, request.communicator, request.envelope.source);
}

void WaitWatch::add_source(Awaited& to, const Communicator* comm, int source) {
    if (comm == nullptr) return;
    if (source >= 0 && source < comm->peer_count()) to.ranks.push_back(comm->world_rank(source));
    if (source != any_source) return;
    to.any = true;
    for (const int rank : comm->peers().world_ranks())
        if (rank != objects_.process().world_rank()) to.ranks.push_back(rank);
}

}  // namespace railyard::mpi::checking
