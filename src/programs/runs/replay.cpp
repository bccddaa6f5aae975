#include "programs/runs/replay.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "railyard/base/error.hpp"

namespace railyard::runs {

namespace {

using mpi::calls::Function;

/// Zeros, which take no room until somebody writes. A piece begins at a page.
class Memory {
  public:
    explicit Memory(std::uint64_t size) : bytes_(std::calloc(size + page, 1)) {
        if (bytes_ == nullptr) throw Error(fmt::format("no memory for {} bytes", size));
    }
    char* begin() const {
        const auto address = reinterpret_cast<std::uintptr_t>(bytes_.get());
        return static_cast<char*>(bytes_.get()) + (page - address % page) % page;
    }

  private:
    static constexpr std::size_t page = 4096;
    struct Free {
        void operator()(void* bytes) const { std::free(bytes); }
    };
    std::unique_ptr<void, Free> bytes_;
};

/// Handles by the numbers that a recording has for them.
class Handles {
  public:
    explicit Handles(int none, std::vector<int> known = {}) : none_(none), all_(std::move(known)) {}

    int get(std::int64_t number) const {
        if (number == no_handle) return none_;
        const auto place = static_cast<std::size_t>(number);
        if (place >= all_.size() || all_[place] == none_)
            throw Error(
                fmt::format("a recorded call uses what no call before it has made, "
                            "number {}: the recording is wrong",
                            number));
        return all_[place];
    }
    void set(std::int64_t number, int handle) {
        if (number == no_handle) return;
        constexpr std::int64_t most = 1 << 20;
        if (number >= most)
            throw Error(fmt::format("a recorded call makes number {}, which is too large", number));
        const auto place = static_cast<std::size_t>(number);
        if (place >= all_.size()) all_.resize(place + 1, none_);
        all_[place] = handle;
    }

  private:
    int none_;
    std::vector<int> all_;
};

/// One rank's calls.
class Replay {
  public:
    explicit Replay(const Recording::Rank& rank) {
        for (const std::uint64_t size : rank.memory)
            memory_.emplace_back(size);
    }

    void make(const RecordedCall& call);
    double seconds() const { return first_.has_value() ? last_ - *first_ : 0; }

  private:
    // The arguments of the call, taken one after the other, as its signature has them.
    std::int64_t next() { return *at_++; }
    int number() { return static_cast<int>(next()); }
    void* memory() {
        const std::int64_t piece = next();
        const std::int64_t offset = next();
        if (piece == no_memory) return nullptr;
        if (piece == in_place) return MPI_IN_PLACE;
        return memory_[static_cast<std::size_t>(piece)].begin() + offset;
    }
    MPI_Datatype type() { return recorded_types()[static_cast<std::size_t>(next())].handle; }
    MPI_Op op() { return recorded_ops()[static_cast<std::size_t>(next())].handle; }
    MPI_Comm comm() { return comms_.get(next()); }
    std::vector<int> list() {
        const auto count = next();
        std::vector<int> values(at_, at_ + count);
        at_ += count;
        return values;
    }

    void point_to_point(Function function);
    void send_and_receive();
    void wait(std::int64_t request);
    void wait_all();
    void rooted(Function function);
    void reduction(Function function);
    void all_to_all(Function function);
    void all_to_all_of_counts();
    void on_communicators(Function function);
    void look_at_clock();

    std::vector<std::int64_t>::const_iterator at_;
    std::vector<Memory> memory_;
    Handles requests_{MPI_REQUEST_NULL};
    Handles comms_{MPI_COMM_NULL, {MPI_COMM_WORLD, MPI_COMM_SELF}};
    std::optional<double> first_;
    double last_ = 0;
};

void Replay::make(const RecordedCall& call) {
    at_ = call.arguments.begin();
    switch (call.function) {
        case Function::Finalize:
            MPI_Finalize();
            return;
        case Function::Wtime:
            return look_at_clock();
        case Function::Pcontrol:
            MPI_Pcontrol(number());
            return;
        case Function::Send:
        case Function::Ssend:
        case Function::Recv:
        case Function::Isend:
        case Function::Issend:
        case Function::Irecv:
            return point_to_point(call.function);
        case Function::Sendrecv:
            return send_and_receive();
        case Function::Wait:
            return wait(next());
        case Function::Waitall:
            return wait_all();
        case Function::Barrier:
            MPI_Barrier(comm());
            return;
        case Function::Bcast:
        case Function::Gather:
        case Function::Scatter:
            return rooted(call.function);
        case Function::Reduce:
        case Function::Allreduce:
        case Function::Scan:
            return reduction(call.function);
        case Function::Allgather:
        case Function::Alltoall:
            return all_to_all(call.function);
        case Function::Alltoallv:
            return all_to_all_of_counts();
        default:
            return on_communicators(call.function);
    }
}

void Replay::look_at_clock() {
    last_ = MPI_Wtime();
    if (!first_) first_ = last_;
}

void Replay::point_to_point(Function function) {
    void* const data = memory();
    const int count = number();
    const MPI_Datatype datatype = type();
    const int peer = number();
    const int tag = number();
    const MPI_Comm on = comm();
    MPI_Request request = MPI_REQUEST_NULL;
    switch (function) {
        case Function::Send:
            MPI_Send(data, count, datatype, peer, tag, on);
            return;
        case Function::Ssend:
            MPI_Ssend(data, count, datatype, peer, tag, on);
            return;
        case Function::Recv:
            MPI_Recv(data, count, datatype, peer, tag, on, MPI_STATUS_IGNORE);
            return;
        case Function::Isend:
            MPI_Isend(data, count, datatype, peer, tag, on, &request);
            break;
        case Function::Issend:
            MPI_Issend(data, count, datatype, peer, tag, on, &request);
            break;
        default:
            MPI_Irecv(data, count, datatype, peer, tag, on, &request);
    }
    requests_.set(next(), request);
}

void Replay::send_and_receive() {
    const void* const sent = memory();
    const int sent_count = number();
    const MPI_Datatype sent_type = type();
    const int to = number();
    const int sent_tag = number();
    void* const received = memory();
    const int received_count = number();
    const MPI_Datatype received_type = type();
    const int from = number();
    const int received_tag = number();
    MPI_Sendrecv(sent, sent_count, sent_type, to, sent_tag, received, received_count, received_type,
                 from, received_tag, comm(), MPI_STATUS_IGNORE);
}

void Replay::wait(std::int64_t request) {
    MPI_Request handle = requests_.get(request);
    MPI_Wait(&handle, MPI_STATUS_IGNORE);
    requests_.set(request, handle);
}

void Replay::wait_all() {
    const std::vector<int> numbers = list();
    std::vector<MPI_Request> handles;
    for (const int request : numbers) {
        handles.push_back(requests_.get(request));
        // Named twice, it would be waited for twice.
        requests_.set(request, MPI_REQUEST_NULL);
    }
    MPI_Waitall(static_cast<int>(handles.size()), handles.data(), MPI_STATUSES_IGNORE);
}

void Replay::rooted(Function function) {
    void* const data = memory();
    const int count = number();
    const MPI_Datatype datatype = type();
    if (function == Function::Bcast) {
        const int root = number();
        MPI_Bcast(data, count, datatype, root, comm());
        return;
    }
    void* const other = memory();
    const int other_count = number();
    const MPI_Datatype other_type = type();
    const int root = number();
    const auto call = function == Function::Gather ? MPI_Gather : MPI_Scatter;
    call(data, count, datatype, other, other_count, other_type, root, comm());
}

void Replay::reduction(Function function) {
    const void* const in = memory();
    void* const out = memory();
    const int count = number();
    const MPI_Datatype datatype = type();
    const MPI_Op operation = op();
    if (function == Function::Reduce) {
        const int root = number();
        MPI_Reduce(in, out, count, datatype, operation, root, comm());
        return;
    }
    const auto call = function == Function::Allreduce ? MPI_Allreduce : MPI_Scan;
    call(in, out, count, datatype, operation, comm());
}

void Replay::all_to_all(Function function) {
    const void* const in = memory();
    const int in_count = number();
    const MPI_Datatype in_type = type();
    void* const out = memory();
    const int out_count = number();
    const MPI_Datatype out_type = type();
    const auto call = function == Function::Alltoall ? MPI_Alltoall : MPI_Allgather;
    call(in, in_count, in_type, out, out_count, out_type, comm());
}

void Replay::all_to_all_of_counts() {
    const void* const in = memory();
    const std::vector<int> in_counts = list();
    const std::vector<int> in_places = list();
    const MPI_Datatype in_type = type();
    void* const out = memory();
    const std::vector<int> out_counts = list();
    const std::vector<int> out_places = list();
    const MPI_Datatype out_type = type();
    MPI_Alltoallv(in, in_counts.data(), in_places.data(), in_type, out, out_counts.data(),
                  out_places.data(), out_type, comm());
}

void Replay::on_communicators(Function function) {
    const std::int64_t on = next();
    const MPI_Comm handle = comms_.get(on);
    MPI_Comm made = handle;
    int answer = 0;
    switch (function) {
        case Function::Comm_rank:
            MPI_Comm_rank(handle, &answer);
            return;
        case Function::Comm_size:
            MPI_Comm_size(handle, &answer);
            return;
        case Function::Comm_free:
            MPI_Comm_free(&made);
            comms_.set(on, made);
            return;
        case Function::Comm_dup:
            MPI_Comm_dup(handle, &made);
            break;
        default: {
            const int colour = number();
            MPI_Comm_split(handle, colour, number(), &made);
        }
    }
    comms_.set(next(), made);
}

}  // namespace

void check_replayable(const Recording& recording, const std::string& file) {
    for (std::size_t rank = 0; rank < recording.ranks.size(); ++rank) {
        const auto& calls = recording.ranks[rank].calls;
        for (std::size_t i = 0; i < calls.size(); ++i)
            if (const RecordedCall& call = recording.calls[calls[i]]; !call.whole)
                throw Error(fmt::format(
                    "{}: call {} of rank {} is {}, which cannot be made again without the program "
                    "(its function, or a datatype, operation or request of it, is not recorded); "
                    "name the program, and only its computation is replayed",
                    file, i + 1, rank, name(call.function)));
    }
}

double replay_calls(const Recording& recording, std::size_t rank) {
    MPI_Init(nullptr, nullptr);
    Replay replay(recording.ranks[rank]);
    for (const std::uint32_t call : recording.ranks[rank].calls)
        replay.make(recording.calls[call]);
    return replay.seconds();
}

void ChargingWatch::entered(Function function, std::span<const mpi::calls::Word>) {
    // Before MPI_Init there is no call to have computed since.
    if (depth_++ > 0 || function == Function::Init || times_.empty()) return;
    host_.compute(scaled(times_.front(), factor_));
    times_ = times_.subspan(1);
}

}  // namespace railyard::runs
