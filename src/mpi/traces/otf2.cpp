#include "mpi/traces/otf2.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "mpi/calls/parameters.hpp"
#include "mpi/traces/pairing.hpp"
#include "railyard/base/error.hpp"

#if RAILYARD_OTF2
#include <otf2/otf2.h>
#endif

namespace railyard::mpi::traces {

bool is_otf2(const std::filesystem::path& path) {
    return path.extension() == ".otf2";
}

#if RAILYARD_OTF2

namespace {

void check(OTF2_ErrorCode code, const char* what) {
    if (code != OTF2_SUCCESS)
        throw Error(fmt::format("cannot write the OTF2 archive: {}: {}", what,
                                OTF2_Error_GetDescription(code)));
}

OTF2_FlushType pre_flush(void*, OTF2_FileType, OTF2_LocationRef, void*, bool) {
    return OTF2_FLUSH;
}

/// What happens to a rank's messages in one of its calls.
struct InCall {
    std::vector<const Message*> sent, posted, received, left;
};

class ArchiveWriter {
  public:
    ArchiveWriter(const RunRecord& run, const Span& span, const std::filesystem::path& path)
        : run_(run),
          span_(span),
          archive_(OTF2_Archive_Open(path.c_str(), "traces", OTF2_FILEMODE_WRITE, 1 << 20, 4 << 20,
                                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE)) {
        if (archive_ == nullptr)
            throw Error(fmt::format("--trace: cannot make the folder {}", path.string()));
    }
    ~ArchiveWriter() { OTF2_Archive_Close(archive_); }
    ArchiveWriter(const ArchiveWriter&) = delete;
    ArchiveWriter& operator=(const ArchiveWriter&) = delete;

    void write() {
        static const OTF2_FlushCallbacks flushing{pre_flush, nullptr};
        check(OTF2_Archive_SetFlushCallbacks(archive_, &flushing, nullptr), "flushing");
        check(OTF2_Archive_SetSerialCollectiveCallbacks(archive_), "collectives");
        sort_messages();
        check(OTF2_Archive_OpenEvtFiles(archive_), "events");
        events_.resize(run_.ranks.size());
        for (std::size_t rank = 0; rank < run_.ranks.size(); ++rank)
            write_rank(rank);
        check(OTF2_Archive_CloseEvtFiles(archive_), "events");
        check(OTF2_Archive_OpenDefFiles(archive_), "definitions");
        for (std::size_t rank = 0; rank < run_.ranks.size(); ++rank)
            check(OTF2_Archive_CloseDefWriter(archive_, OTF2_Archive_GetDefWriter(archive_, rank)),
                  "definitions");
        check(OTF2_Archive_CloseDefFiles(archive_), "definitions");
        write_definitions();
    }

  private:
    /// Nanoseconds, or picoseconds of virtual time, from when the first rank began.
    std::uint64_t ticks(Time time) const {
        const std::int64_t ps = std::max<std::int64_t>(0, time.since_start().picoseconds());
        return static_cast<std::uint64_t>(run_.in_virtual_time ? ps : ps / 1000);
    }

    void sort_messages() {
        in_calls_.resize(run_.ranks.size());
        for (const Message& message : run_.messages) {
            const auto source = static_cast<std::size_t>(message.source);
            const auto destination = static_cast<std::size_t>(message.destination);
            // Half a message would be taken for a whole one by who reads it.
            if (message.send_call == no_call || message.receive_call == no_call) continue;
            in_calls_[source][message.send_call].sent.push_back(&message);
            if (message.leave_call != no_call && message.leave_call != message.send_call)
                in_calls_[source][message.leave_call].left.push_back(&message);
            const std::size_t posting = call_at(run_.ranks[destination], message.posted);
            if (posting != no_call && posting != message.receive_call)
                in_calls_[destination][posting].posted.push_back(&message);
            in_calls_[destination][message.receive_call].received.push_back(&message);
        }
    }

    /// Of a message, for its sends and receives that do not block.
    std::uint64_t id_of(const Message& message) const {
        return static_cast<std::uint64_t>(&message - run_.messages.data());
    }
    OTF2_CommRef communicator(std::uint32_t context) {
        return communicators_.try_emplace(context, communicators_.size()).first->second;
    }

    void write_rank(std::size_t rank) {
        OTF2_EvtWriter* const to = OTF2_Archive_GetEvtWriter(archive_, rank);
        const auto& calls = run_.ranks[rank].calls;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            const Call& call = calls[i];
            if (!call.is_outermost || call.thread != 0) continue;
            if (call.end < Time::at(span_.from) || call.begin.since_start() > span_.to) continue;
            write_call(to, call, in_calls_[rank][i]);
        }
        OTF2_EvtWriter_GetNumberOfEvents(to, &events_[rank]);
        check(OTF2_Archive_CloseEvtWriter(archive_, to), "events");
    }

    void write_call(OTF2_EvtWriter* to, const Call& call, InCall& messages) {
        const std::uint64_t begin = ticks(call.begin);
        const std::uint64_t end = ticks(call.end);
        regions_.try_emplace(call.function, static_cast<OTF2_RegionRef>(regions_.size()));
        check(OTF2_EvtWriter_Enter(to, nullptr, begin, regions_.at(call.function)), "a call");
        const bool is_collective = calls::chapter(call.function) == calls::Chapter::collectives;
        if (is_collective) OTF2_EvtWriter_MpiCollectiveBegin(to, nullptr, begin);
        for (const Message* const message : messages.posted)
            OTF2_EvtWriter_MpiIrecvRequest(to, nullptr, begin, id_of(*message));
        for (const Message* const message : messages.sent)
            write_send(to, begin, *message);
        std::ranges::stable_sort(messages.received, {}, &Message::received);
        for (const Message* const message : messages.received)
            write_receive(to, std::clamp(ticks(message->received), begin, end), call, *message);
        for (const Message* const message : messages.left)
            OTF2_EvtWriter_MpiIsendComplete(to, nullptr, end, id_of(*message));
        if (is_collective)
            OTF2_EvtWriter_MpiCollectiveEnd(
                to, nullptr, end, operation(call.function),
                communicator(call.communicator & 0xffff),
                call.peer >= 0 ? static_cast<std::uint32_t>(call.peer) : OTF2_UNDEFINED_UINT32,
                call.bytes, call.bytes);
        check(OTF2_EvtWriter_Leave(to, nullptr, end, regions_.at(call.function)), "a call");
    }

    void write_send(OTF2_EvtWriter* to, std::uint64_t time, const Message& message) {
        const auto peer = static_cast<std::uint32_t>(message.destination);
        const auto tag = static_cast<std::uint32_t>(message.tag);
        if (message.leave_call != no_call && message.leave_call != message.send_call)
            OTF2_EvtWriter_MpiIsend(to, nullptr, time, peer, communicator(message.context), tag,
                                    message.bytes, id_of(message));
        else
            OTF2_EvtWriter_MpiSend(to, nullptr, time, peer, communicator(message.context), tag,
                                   message.bytes);
    }

    void write_receive(OTF2_EvtWriter* to, std::uint64_t time, const Call& call,
                       const Message& message) {
        const auto peer = static_cast<std::uint32_t>(message.source);
        const auto tag = static_cast<std::uint32_t>(message.tag);
        if (message.posted < call.begin)
            OTF2_EvtWriter_MpiIrecv(to, nullptr, time, peer, communicator(message.context), tag,
                                    message.bytes, id_of(message));
        else
            OTF2_EvtWriter_MpiRecv(to, nullptr, time, peer, communicator(message.context), tag,
                                   message.bytes);
    }

    static OTF2_CollectiveOp operation(calls::Function function) {
        using calls::Function;
        switch (function) {
            case Function::Barrier:
                return OTF2_COLLECTIVE_OP_BARRIER;
            case Function::Bcast:
                return OTF2_COLLECTIVE_OP_BCAST;
            case Function::Gather:
                return OTF2_COLLECTIVE_OP_GATHER;
            case Function::Gatherv:
                return OTF2_COLLECTIVE_OP_GATHERV;
            case Function::Scatter:
                return OTF2_COLLECTIVE_OP_SCATTER;
            case Function::Scatterv:
                return OTF2_COLLECTIVE_OP_SCATTERV;
            case Function::Allgather:
                return OTF2_COLLECTIVE_OP_ALLGATHER;
            case Function::Allgatherv:
                return OTF2_COLLECTIVE_OP_ALLGATHERV;
            case Function::Alltoall:
                return OTF2_COLLECTIVE_OP_ALLTOALL;
            case Function::Alltoallv:
                return OTF2_COLLECTIVE_OP_ALLTOALLV;
            case Function::Reduce:
                return OTF2_COLLECTIVE_OP_REDUCE;
            case Function::Reduce_scatter:
                return OTF2_COLLECTIVE_OP_REDUCE_SCATTER;
            case Function::Scan:
                return OTF2_COLLECTIVE_OP_SCAN;
            default:
                return OTF2_COLLECTIVE_OP_ALLREDUCE;
        }
    }

    OTF2_StringRef text(const std::string& words) {
        const auto [found, is_new] =
            texts_.try_emplace(words, static_cast<OTF2_StringRef>(texts_.size()));
        if (is_new)
            check(OTF2_GlobalDefWriter_WriteString(global_, found->second, words.c_str()),
                  "a name");
        return found->second;
    }

    void write_definitions() {
        global_ = OTF2_Archive_GetGlobalDefWriter(archive_);
        constexpr std::uint64_t nanoseconds = 1'000'000'000;
        check(OTF2_GlobalDefWriter_WriteClockProperties(
                  global_, run_.in_virtual_time ? nanoseconds * 1000 : nanoseconds, 0,
                  ticks(run_.end()) + 1, OTF2_UNDEFINED_TIMESTAMP),
              "the clock");
        const OTF2_StringRef nothing = text("");
        for (const auto& [function, region] : regions_) {
            const OTF2_StringRef name = text(std::string(calls::name(function)));
            check(OTF2_GlobalDefWriter_WriteRegion(global_, region, name, name, nothing,
                                                   OTF2_REGION_ROLE_POINT2POINT, OTF2_PARADIGM_MPI,
                                                   OTF2_REGION_FLAG_NONE, nothing, 0, 0),
                  "a function");
        }
        write_locations();
        write_communicators(nothing);
        check(OTF2_Archive_CloseGlobalDefWriter(archive_, global_), "definitions");
    }

    void write_locations() {
        const OTF2_StringRef host_class = text("node");
        std::map<int, OTF2_SystemTreeNodeRef> hosts;
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(global_, 0, text("job"), text("machine"),
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE),
              "the machine");
        for (std::size_t rank = 0; rank < run_.ranks.size(); ++rank) {
            const int node = run_.ranks[rank].node;
            const auto [host, is_new] =
                hosts.try_emplace(node, static_cast<OTF2_SystemTreeNodeRef>(hosts.size() + 1));
            if (is_new)
                check(OTF2_GlobalDefWriter_WriteSystemTreeNode(
                          global_, host->second, text(fmt::format("node {}", node)), host_class, 0),
                      "a node");
            const OTF2_StringRef name = text(fmt::format("rank {}", rank));
            const auto group = static_cast<OTF2_LocationGroupRef>(rank);
            check(OTF2_GlobalDefWriter_WriteLocationGroup(
                      global_, group, name, OTF2_LOCATION_GROUP_TYPE_PROCESS, host->second,
                      OTF2_UNDEFINED_LOCATION_GROUP),
                  "a rank");
            check(OTF2_GlobalDefWriter_WriteLocation(
                      global_, rank, name, OTF2_LOCATION_TYPE_CPU_THREAD, events_[rank], group),
                  "a rank");
        }
    }

    /// All have the job's ranks as members: partners are known by these.
    void write_communicators(OTF2_StringRef nothing) {
        std::vector<std::uint64_t> members(run_.ranks.size());
        for (std::size_t rank = 0; rank < members.size(); ++rank)
            members[rank] = rank;
        const auto n = static_cast<std::uint32_t>(members.size());
        constexpr OTF2_GroupRef locations = 0, world = 1;
        check(OTF2_GlobalDefWriter_WriteGroup(global_, locations, nothing,
                                              OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI,
                                              OTF2_GROUP_FLAG_NONE, n, members.data()),
              "the ranks");
        check(OTF2_GlobalDefWriter_WriteGroup(global_, world, nothing, OTF2_GROUP_TYPE_COMM_GROUP,
                                              OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE, n,
                                              members.data()),
              "the ranks");
        for (const auto& [context, comm] : communicators_)
            check(OTF2_GlobalDefWriter_WriteComm(global_, comm,
                                                 text(fmt::format("communicator {}", context)),
                                                 world, OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE),
                  "a communicator");
    }

    const RunRecord& run_;
    const Span& span_;
    OTF2_Archive* const archive_;
    OTF2_GlobalDefWriter* global_ = nullptr;
    std::vector<std::map<std::size_t, InCall>> in_calls_;  ///< by rank and call
    std::vector<std::uint64_t> events_;                    ///< by rank
    std::map<calls::Function, OTF2_RegionRef> regions_;
    std::map<std::uint32_t, OTF2_CommRef> communicators_;  ///< by context
    std::map<std::string, OTF2_StringRef> texts_;
};

}  // namespace

void expect_otf2() {}

void write_otf2(const RunRecord& run, const Span& span, const std::filesystem::path& path) {
    // OTF2 makes no archive where one is.
    if (std::filesystem::exists(path / "traces.otf2")) std::filesystem::remove_all(path);
    ArchiveWriter(run, span, path).write();
}

#else

void expect_otf2() {
    throw UsageError(
        "--trace: Railyard was built without OTF2; install Debian's libopen-trace-format2-dev and "
        "build it again, or give a name that ends in .json, for Perfetto");
}

void write_otf2(const RunRecord&, const Span&, const std::filesystem::path&) {
    expect_otf2();
}

#endif

}  // namespace railyard::mpi::traces
