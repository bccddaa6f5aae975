// Partitioned communication: a persistent message in parts, each of which leaves as a message of
// its own as soon as it is ready.

#include "mpi/abi/partitioned.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "mpi/abi/entry.hpp"
#include "mpi/abi/requests.hpp"
#include "mpi/collectives/buffers.hpp"

namespace railyard::mpi::abi {

std::shared_ptr<Announcements::Told> Announcements::expect(int source, int tag,
                                                           Communicator& comm) {
    Line& line = lines_[{comm.context(), source}];
    auto slot = std::make_unique<Slot>();
    const Buffer into = as_buffer(std::as_writable_bytes(std::span(&slot->what, 1)));
    slot->receive = &comm.process().start_receive_in(comm.context() + partitioned_context, into,
                                                     source, announcement_tag, comm);
    line.slots.push_back(std::move(slot));
    line.waiting.push_back({tag, std::make_shared<Told>()});
    const auto told = line.waiting.back().told;
    hand_out(line);
    return told;
}

void Announcements::look(int source, Communicator& comm) {
    Line& line = lines_[{comm.context(), source}];
    while (!line.slots.empty() && line.slots.front()->receive->is_complete()) {
        line.unclaimed.push_back(line.slots.front()->what);
        comm.process().release(*line.slots.front()->receive);
        line.slots.pop_front();
    }
    hand_out(line);
}

void Announcements::hand_out(Line& line) {
    std::erase_if(line.unclaimed, [&](const Announcement& what) {
        const auto first = std::ranges::find(line.waiting, what.tag, &Waiting::tag);
        if (first == line.waiting.end()) return false;
        *first->told = {true, what};
        line.waiting.erase(first);
        return true;
    });
}

namespace {

void release_all(Process& process, const std::vector<Request*>& requests) {
    for (Request* const request : requests)
        process.free_when_done(*request);
}

bool all_complete(std::span<Request* const> requests) {
    return std::ranges::all_of(requests, [](const Request* r) { return r->is_complete(); });
}

ErrorClass first_error(const std::vector<Request*>& requests) {
    for (const Request* const request : requests)
        if (request->status().error != ErrorClass::success) return request->status().error;
    return ErrorClass::success;
}

[[noreturn]] void refuse_cancel() {
    throw MpiError(ErrorClass::request, "request is a partitioned one, which cannot be cancelled");
}

/// One send a partition. To nobody there are none.
class PartitionedSend : public Deferred {
  public:
    PartitionedSend(State& state, const ConstBuffer& data, std::size_t partitions, int dest,
                    int tag, Comm& comm)
        : process_(state.process()), ready_(partitions) {
        if (dest == no_rank) return;
        const std::size_t each = data.count / partitions;
        const int count = static_cast<int>(partitions);
        announcement_ = {each * data.type->size(), count, tag, state.announcements.take_tags(count),
                         0};
        for (int p = 0; p < count; ++p) {
            const ConstBuffer one = part(data, static_cast<std::size_t>(p) * each, each);
            sends_.push_back(&process_.make_persistent_send(one, dest, announcement_.first_tag + p,
                                                            comm, Mode::standard));
            sends_.back()->envelope.context = comm.context() + partitioned_context;
        }
        const ConstBuffer bytes = as_buffer(std::as_bytes(std::span(&announcement_, 1)));
        announcing_ = &process_.start_send_in(comm.context() + partitioned_context, bytes, dest,
                                              announcement_tag, comm);
    }
    ~PartitionedSend() override {
        release_all(process_, sends_);
        if (announcing_ != nullptr) process_.free_when_done(*announcing_);
    }

    void start() override { ready_.assign(ready_.size(), false); }
    void mark_ready(std::size_t partition) {
        ready_[partition] = true;
        if (!sends_.empty()) process_.start(*sends_[partition]);
    }
    bool is_ready(std::size_t partition) const { return ready_[partition]; }
    std::size_t partitions() const { return ready_.size(); }

    bool is_complete() override {
        return std::ranges::all_of(ready_, [](bool ready) { return ready; }) &&
               all_complete(sends_);
    }
    Status result() override { return {.source = no_rank, .error = first_error(sends_)}; }
    // What is announced is sent from here.
    void release() override {
        if (announcing_ != nullptr) process_.wait(*announcing_);
    }
    void cancel() override { refuse_cancel(); }

  private:
    Process& process_;
    std::vector<bool> ready_;
    Announcement announcement_;
    Request* announcing_ = nullptr;
    std::vector<Request*> sends_;
};

/// One receive for each of the sender's partitions, once it is known how those are cut.
class PartitionedReceive : public Deferred {
  public:
    PartitionedReceive(State& state, const Buffer& into, const TypeRef& type,
                       std::size_t partitions, int source, int tag, Comm& comm)
        : announcements_(state.announcements),
          process_(state.process()),
          comm_(comm),
          into_(into),
          type_(type),
          partitions_(partitions),
          source_(source),
          tag_(tag) {
        if (source != no_rank) told_ = announcements_.expect(source, tag, comm);
    }
    ~PartitionedReceive() override { release_all(process_, receives_); }

    void start() override {
        is_posted_ = false;
        post();
    }
    bool is_complete() override {
        if (source_ == no_rank) return true;
        post();
        return is_posted_ && has_arrived(0, receives_.size());
    }
    Status result() override {
        if (source_ == no_rank) return proc_null_status;
        Status status{.source = source_, .tag = tag_};
        status.error = is_too_long() ? ErrorClass::truncate : first_error(receives_);
        for (const Request* const request : receives_)
            status.bytes += request->status().bytes;
        return status;
    }
    void cancel() override { refuse_cancel(); }

    std::size_t partitions() const { return partitions_; }
    /// Whether all of that partition, as it is cut here, has come.
    bool has_partition(std::size_t partition) {
        if (source_ == no_rank) return true;
        post();
        if (!is_posted_) return false;
        const std::size_t each = bytes_of(into_) / partitions_;
        const std::size_t theirs = told_->what.partition_bytes;
        if (each == 0 || theirs == 0) return has_arrived(0, receives_.size());
        const std::size_t first = std::min(partition * each / theirs, receives_.size());
        const std::size_t end = (partition * each + each + theirs - 1) / theirs;
        return has_arrived(first, std::min(end, receives_.size()));
    }

  private:
    bool is_too_long() const {
        const std::uint64_t theirs = told_->what.partition_bytes;
        const auto count = static_cast<std::uint64_t>(told_->what.partitions);
        return theirs * count > bytes_of(into_);
    }

    void post() {
        if (is_posted_ || source_ == no_rank) return;
        if (!told_->is_known) announcements_.look(source_, comm_);
        if (!told_->is_known) return;
        if (receives_.empty() && !is_too_long()) make_receives();
        for (Request* const receive : receives_)
            process_.start(*receive);
        is_posted_ = true;
        is_unpacked_.assign(is_unpacked_.size(), false);
    }

    void make_receives() {
        const Announcement& what = told_->what;
        // Where the sender cuts an element in two, its parts come by way of memory of our own.
        const bool is_staged =
            !type_->is_dense() && (type_->size() == 0 || what.partition_bytes % type_->size() != 0);
        if (is_staged) staged_.resize(bytes_of(into_));
        is_unpacked_.resize(is_staged ? static_cast<std::size_t>(what.partitions) : 0);
        for (int p = 0; p < what.partitions; ++p) {
            receives_.push_back(
                &process_.make_persistent_receive(place_of(static_cast<std::size_t>(p), is_staged),
                                                  source_, what.first_tag + p, comm_));
            receives_.back()->envelope.context = comm_.context() + partitioned_context;
        }
    }

    Buffer place_of(std::size_t partition, bool is_staged) {
        const std::size_t bytes = told_->what.partition_bytes;
        if (is_staged) return as_buffer(std::span(staged_).subspan(partition * bytes, bytes));
        if (type_->is_dense())
            return as_buffer(
                std::span(type_->dense_data(into_.address) + partition * bytes, bytes));
        const std::size_t each = bytes / type_->size();
        return part(into_, partition * each, each);
    }

    /// Of the sender's partitions; what came by way of our own memory is put where it belongs.
    bool has_arrived(std::size_t first, std::size_t end) {
        const auto range = std::span(receives_).subspan(first, end - first);
        if (!all_complete(range)) return false;
        const std::size_t bytes = told_->what.partition_bytes;
        for (std::size_t p = first; p < end && !staged_.empty(); ++p)
            if (!is_unpacked_[p]) {
                type_->unpack(into_.address, into_.count, p * bytes,
                              std::span(staged_).subspan(p * bytes, bytes));
                is_unpacked_[p] = true;
            }
        return true;
    }

    Announcements& announcements_;
    Process& process_;
    Comm& comm_;
    Buffer into_;
    TypeRef type_;
    std::size_t partitions_;
    int source_;
    int tag_;
    std::shared_ptr<Announcements::Told> told_;
    bool is_posted_ = false;  ///< the receives were started in this round
    std::vector<Request*> receives_;
    std::vector<std::byte> staged_;
    std::vector<bool> is_unpacked_;
};

void add_persistent(State& state, std::unique_ptr<Deferred> deferred, const Comm& comm,
                    MPI_Request& request) {
    auto local = std::make_unique<LocalRequest>();
    local->context = comm.context();
    local->deferred = std::move(deferred);
    request = state.local_requests.add(std::move(local));
}

/// Elements in all partitions.
std::size_t total_count(std::size_t partitions, MPI_Count count, const Datatype& type) {
    if (partitions < 1 || partitions > static_cast<std::size_t>(max_tag / 2))
        throw MpiError(ErrorClass::arg, "partitions is " + std::to_string(partitions) +
                                            "; there are 1 to " + std::to_string(max_tag / 2));
    const std::size_t total = checked_product(partitions, to_count(count, "count"));
    checked_product(total, type.size());
    return total;
}

void psend_init(State& state, const void* buf, std::size_t partitions, MPI_Count count,
                const TypeRef& type, int dest, int tag, Comm& comm, Info*, MPI_Request& request) {
    const ConstBuffer data = const_buffer(buf, total_count(partitions, count, *type), type);
    add_persistent(state,
                   std::make_unique<PartitionedSend>(state, data, partitions, dest, tag, comm),
                   comm, request);
}

void precv_init(State& state, void* buf, std::size_t partitions, MPI_Count count,
                const TypeRef& type, int source, int tag, Comm& comm, Info*, MPI_Request& request) {
    const Buffer into = buffer(buf, total_count(partitions, count, *type), type);
    add_persistent(
        state,
        std::make_unique<PartitionedReceive>(state, into, type, partitions, source, tag, comm),
        comm, request);
}

template <class Kind>
Kind& partitioned(const LocalRequest* local, const char* made_by) {
    auto* const found = local == nullptr ? nullptr : dynamic_cast<Kind*>(local->deferred.get());
    if (found == nullptr)
        throw MpiError(ErrorClass::request,
                       std::string("request is not one that ") + made_by + " has made");
    return *found;
}

std::size_t to_partition(int partition, std::size_t partitions) {
    if (partition < 0 || static_cast<std::size_t>(partition) >= partitions)
        throw MpiError(ErrorClass::arg, "partition is " + std::to_string(partition) +
                                            "; there are 0 to " + std::to_string(partitions - 1));
    return static_cast<std::size_t>(partition);
}

void pready(State& state, int partition, MPI_Request request) {
    const LocalRequest* const local = state.local_requests.find(request);
    auto& send = partitioned<PartitionedSend>(local, "MPI_Psend_init");
    const std::size_t p = to_partition(partition, send.partitions());
    if (!local->active)
        throw MpiError(ErrorClass::request, "request was not started; call MPI_Start first");
    if (send.is_ready(p))
        throw MpiError(ErrorClass::arg, "partition " + std::to_string(partition) +
                                            " was ready before; it is sent once a start");
    send.mark_ready(p);
}

void pready_range(State& state, int low, int high, MPI_Request request) {
    for (int partition = low; partition <= high; ++partition)
        pready(state, partition, request);
    if (low > high)
        throw MpiError(ErrorClass::arg, "partition_low is " + std::to_string(low) +
                                            ", above partition_high, " + std::to_string(high));
}

void pready_list(State& state, std::size_t length, int partitions[], MPI_Request request) {
    for (std::size_t i = 0; i < length; ++i)
        pready(state, partitions[i], request);
}

void parrived(State& state, MPI_Request request, int partition, int& flag) {
    const LocalRequest* const local = state.local_requests.find(request);
    auto& receive = partitioned<PartitionedReceive>(local, "MPI_Precv_init");
    const std::size_t p = to_partition(partition, receive.partitions());
    flag = !local->active || receive.has_partition(p);
    if (flag != 0) return;
    state.process().progress();
    flag = receive.has_partition(p);
    if (flag == 0) state.charge_empty_poll();
}

}  // namespace

#include <entries/partitioned.inc>

}  // namespace railyard::mpi::abi
