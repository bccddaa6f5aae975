#include "programs/runs/recorder.hpp"

#include <mpi.h>

#include <algorithm>
#include <iterator>

namespace railyard::runs {

namespace {

using mpi::calls::Function;
using mpi::calls::Word;

/// The lowest number that is free is taken, so that a loop names the same ones in every round.
std::int64_t take_lowest(std::vector<bool>& taken) {
    const auto free = std::ranges::find(taken, false);
    const auto number = free - taken.begin();
    if (free == taken.end())
        taken.push_back(true);
    else
        *free = true;
    return number;
}

bool takes_name(std::span<const NamedHandle> names, Word handle,
                std::vector<std::int64_t>& arguments) {
    const auto found = std::ranges::find(names, static_cast<int>(handle), &NamedHandle::handle);
    if (found == names.end()) return false;
    arguments.push_back(found - names.begin());
    return true;
}

template <class T>
T* pointer(Word word) {
    return reinterpret_cast<T*>(word);
}

constexpr std::uint64_t page = 4096;

/// Addresses from the beginning of a page to the end of the memory that lies there.
struct Piece {
    std::uint64_t begin;
    std::uint64_t end;
};

/// Memory of calls, together where it shares a page.
std::vector<Piece> joined(std::vector<Piece> pieces) {
    std::ranges::sort(pieces, {}, &Piece::begin);
    std::vector<Piece> out;
    for (const Piece& piece : pieces) {
        const std::uint64_t begin = piece.begin / page * page;
        if (!out.empty() && begin < (out.back().end + page - 1) / page * page)
            out.back().end = std::max(out.back().end, piece.end);
        else
            out.push_back({begin, piece.end});
    }
    return out;
}

bool is_address(std::int64_t argument) {
    return argument != no_memory && argument != in_place;
}

}  // namespace

Recorder::Recorder(std::size_t ranks)
    : ranks_(ranks),
      comms_{{MPI_COMM_WORLD, world}, {MPI_COMM_SELF, self}},
      comm_taken_{true, true},
      spans_world_{world} {}

void Recorder::entered(Function function, std::span<const Word> arguments) {
    call_ = {function, false, {}};
    answer_ = nullptr;
    const auto kinds = signature(function);
    if (!kinds) return;
    call_.whole = std::ranges::all_of(*kinds, [&](char code) { return take(code, arguments); });
    // MPI finds out itself what is wrong with a count or a displacement.
    call_.whole = call_.whole && memory_of(call_, ranks_).has_value();
}

/// One parameter, off the arguments. False: it cannot be kept.
bool Recorder::take(char code, std::span<const Word>& words) {
    const Word word = words.front();
    words = words.subspan(1);
    std::vector<std::int64_t>& into = call_.arguments;
    switch (code) {
        case kind::result:
            return true;
        case kind::memory:
        case kind::memory_all:
        case kind::memory_span: {
            const bool none = pointer<void>(word) == MPI_BOTTOM;
            const bool same = pointer<void>(word) == MPI_IN_PLACE;
            into.insert(into.end(), {none ? no_memory : same ? in_place : word, 0});
            return true;
        }
        case kind::count:
            if (word < 0) return false;
            [[fallthrough]];
        case kind::number:
            into.push_back(word);
            return true;
        case kind::type:
            return takes_name(recorded_types(), word, into);
        case kind::op:
            return takes_name(recorded_ops(), word, into);
        case kind::comm:
        case kind::old_comm: {
            const bool frees = code == kind::old_comm;
            const auto found = comms_.find(frees ? *pointer<int>(word) : static_cast<int>(word));
            if (found == comms_.end()) return false;
            into.push_back(found->second);
            if (!frees) return true;
            comm_taken_[static_cast<std::size_t>(found->second)] = false;
            std::erase(spans_world_, found->second);
            comms_.erase(found);
            return true;
        }
        case kind::new_comm:
        case kind::new_request:
            answer_ = pointer<int>(word);
            into.push_back(no_handle);
            return answer_ != nullptr;
        case kind::old_request:
            if (pointer<int>(word) == nullptr) return false;
            into.push_back(request_of(*pointer<int>(word)));
            return into.back() != no_handle || *pointer<int>(word) == MPI_REQUEST_NULL;
        case kind::old_requests: {
            const Word array = words.front();
            words = words.subspan(1);
            return word >= 0 && take_requests(pointer<int>(array), word);
        }
        case kind::each_rank: {
            if (pointer<int>(word) == nullptr) return false;
            // The communicator is the last argument.
            const auto comm = comms_.find(static_cast<int>(words.back()));
            if (comm == comms_.end() || !std::ranges::count(spans_world_, comm->second))
                return false;
            into.push_back(static_cast<std::int64_t>(ranks_));
            std::copy_n(pointer<int>(word), ranks_, std::back_inserter(into));
            return true;
        }
        default:
            return false;
    }
}

bool Recorder::take_requests(const int* handles, std::int64_t count) {
    call_.arguments.push_back(count);
    for (std::int64_t i = 0; i < count; ++i) {
        call_.arguments.push_back(request_of(handles[i]));
        if (call_.arguments.back() == no_handle && handles[i] != MPI_REQUEST_NULL) return false;
    }
    return true;
}

/// Of a request that the call completes; none if it was not recorded.
std::int64_t Recorder::request_of(int handle) {
    const auto found = requests_.find(handle);
    if (found == requests_.end()) return no_handle;
    const std::int64_t number = found->second.front();
    found->second.erase(found->second.begin());
    if (found->second.empty()) requests_.erase(found);
    request_taken_[static_cast<std::size_t>(number)] = false;
    return number;
}

void Recorder::left() {
    if (call_.whole && answer_ != nullptr) {
        // What a call makes is its last argument.
        std::int64_t& number = call_.arguments.back();
        if (signature(call_.function)->back() == kind::new_request) {
            number = take_lowest(request_taken_);
            requests_[*answer_].push_back(number);
        } else if (*answer_ != MPI_COMM_NULL) {
            number = take_lowest(comm_taken_);
            comms_[*answer_] = number;
            if (call_.function == Function::Comm_dup && call_.arguments.front() == world)
                spans_world_.push_back(number);
        }
    }
    if (!call_.whole) call_.arguments.clear();
    const auto place = static_cast<std::uint32_t>(distinct_.size());
    sequence_.push_back(distinct_.try_emplace(call_, place).first->second);
}

/// Of a call that was written down.
std::vector<MemoryUse> Recorder::memory_in(const RecordedCall& call) const {
    return call.whole ? memory_of(call, ranks_).value() : std::vector<MemoryUse>();
}

Recording::Rank Recorder::finish(std::vector<RecordedCall>& calls,
                                 std::map<RecordedCall, std::uint32_t>& index) {
    std::vector<Piece> pieces;
    for (const auto& [call, place] : distinct_)
        for (const MemoryUse& use : memory_in(call))
            if (const std::int64_t address = call.arguments[use.at]; is_address(address))
                pieces.push_back({static_cast<std::uint64_t>(address),
                                  static_cast<std::uint64_t>(address) + use.length});
    pieces = joined(std::move(pieces));

    // In the order in which they first came, so that recordings of two ranks look alike.
    std::vector<const RecordedCall*> in_order(distinct_.size());
    for (const auto& [call, place] : distinct_)
        in_order[place] = &call;
    std::vector<std::uint32_t> shared;
    for (const RecordedCall* own : in_order) {
        RecordedCall call = *own;
        for (const MemoryUse& use : memory_in(call)) {
            std::int64_t& address = call.arguments[use.at];
            if (!is_address(address)) continue;
            const auto piece = std::prev(std::ranges::upper_bound(
                pieces, static_cast<std::uint64_t>(address), {}, &Piece::begin));
            call.arguments[use.at + 1] = address - static_cast<std::int64_t>(piece->begin);
            address = piece - pieces.begin();
        }
        const auto [found, added] =
            index.try_emplace(std::move(call), static_cast<std::uint32_t>(calls.size()));
        if (added) calls.push_back(found->first);
        shared.push_back(found->second);
    }
    Recording::Rank rank;
    for (const std::uint32_t place : sequence_)
        rank.calls.push_back(shared[place]);
    for (const Piece& piece : pieces)
        rank.memory.push_back(piece.end - piece.begin);
    return rank;
}

}  // namespace railyard::runs
