// An archive of OTF2, as OTF2's own reader has it.

#include "mpi/traces/otf2.hpp"

#include <unistd.h>

#include <filesystem>
#include <map>
#include <string>

#include "mpi/traces/recorded.hpp"
#include "railyard/base/error.hpp"

#if RAILYARD_OTF2
#include <otf2/otf2.h>
#endif

namespace railyard::mpi::traces {
namespace {

const Program exchange = [](int rank, fabric::Host&) {
    MPI_Request request = MPI_REQUEST_NULL;
    char room[64] = {};
    MPI_Irecv(room, 64, MPI_CHAR, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &request);
    MPI_Send(room, rank + 1, MPI_CHAR, (rank + 1) % 3, 5, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
};

#if RAILYARD_OTF2

struct Read {
    std::vector<OTF2_LocationRef> locations;
    int enters = 0, leaves = 0, collectives = 0;
    std::multimap<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> sent,
        received;  ///< bytes
    OTF2_TimeStamp last = 0;
    bool in_order = true;
};

OTF2_CallbackCode seen(Read& read, OTF2_TimeStamp time) {
    read.in_order = read.in_order && time >= read.last;
    read.last = time;
    return OTF2_CALLBACK_SUCCESS;
}

Read read_archive(const std::filesystem::path& folder) {
    Read read;
    OTF2_Reader* const reader = OTF2_Reader_Open((folder / "traces.otf2").c_str());
    if (reader == nullptr) return read;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    OTF2_GlobalDefReaderCallbacks* const definitions = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(
        definitions, [](void* to, OTF2_LocationRef self, OTF2_StringRef, OTF2_LocationType,
                        uint64_t, OTF2_LocationGroupRef) {
            static_cast<Read*>(to)->locations.push_back(self);
            return OTF2_CALLBACK_SUCCESS;
        });
    OTF2_GlobalDefReader* const global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, definitions, &read);
    uint64_t n = 0;
    EXPECT_EQ(OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &n), OTF2_SUCCESS);
    for (const OTF2_LocationRef location : read.locations)
        OTF2_Reader_SelectLocation(reader, location);
    OTF2_Reader_OpenEvtFiles(reader);
    for (const OTF2_LocationRef location : read.locations)
        OTF2_Reader_GetEvtReader(reader, location);
    OTF2_GlobalEvtReaderCallbacks* const events = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(
        events,
        [](OTF2_LocationRef, OTF2_TimeStamp time, void* to, OTF2_AttributeList*, OTF2_RegionRef) {
            ++static_cast<Read*>(to)->enters;
            return seen(*static_cast<Read*>(to), time);
        });
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(
        events,
        [](OTF2_LocationRef, OTF2_TimeStamp time, void* to, OTF2_AttributeList*, OTF2_RegionRef) {
            ++static_cast<Read*>(to)->leaves;
            return seen(*static_cast<Read*>(to), time);
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(
        events, [](OTF2_LocationRef from, OTF2_TimeStamp time, void* to, OTF2_AttributeList*,
                   uint32_t receiver, OTF2_CommRef, uint32_t, uint64_t length) {
            static_cast<Read*>(to)->sent.insert({{from, receiver}, length});
            return seen(*static_cast<Read*>(to), time);
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(
        events, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* to, OTF2_AttributeList*,
                   uint32_t sender, OTF2_CommRef, uint32_t, uint64_t length, uint64_t) {
            static_cast<Read*>(to)->received.insert({{sender, at}, length});
            return seen(*static_cast<Read*>(to), time);
        });
    // What is posted and waited for at one time is as if it had been received at once.
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(
        events, [](OTF2_LocationRef at, OTF2_TimeStamp time, void* to, OTF2_AttributeList*,
                   uint32_t sender, OTF2_CommRef, uint32_t, uint64_t length) {
            static_cast<Read*>(to)->received.insert({{sender, at}, length});
            return seen(*static_cast<Read*>(to), time);
        });
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(
        events, [](OTF2_LocationRef, OTF2_TimeStamp time, void* to, OTF2_AttributeList*,
                   OTF2_CollectiveOp, OTF2_CommRef, uint32_t, uint64_t, uint64_t) {
            ++static_cast<Read*>(to)->collectives;
            return seen(*static_cast<Read*>(to), time);
        });
    OTF2_GlobalEvtReader* const all = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, all, events, &read);
    EXPECT_EQ(OTF2_Reader_ReadAllGlobalEvents(reader, all, &n), OTF2_SUCCESS);
    OTF2_Reader_CloseGlobalEvtReader(reader, all);
    OTF2_Reader_CloseEvtFiles(reader);
    OTF2_GlobalDefReaderCallbacks_Delete(definitions);
    OTF2_GlobalEvtReaderCallbacks_Delete(events);
    OTF2_Reader_Close(reader);
    return read;
}

TEST(Otf2, ItsOwnReaderFindsCallsAndMessages) {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                         ("railyard-" + std::to_string(::getpid()) + ".otf2");
    const RunRecord run = recorded(3, exchange).run;
    write_otf2(run, {}, folder);
    write_otf2(run, {}, folder);  // in the place of the first
    const Read read = read_archive(folder);
    std::filesystem::remove_all(folder);
    EXPECT_EQ(read.locations.size(), 3U);
    EXPECT_EQ(read.enters, 3 * 6);  // MPI_Init and MPI_Finalize, and what is above
    EXPECT_EQ(read.leaves, read.enters);
    EXPECT_EQ(read.collectives, 3);
    EXPECT_EQ(read.sent.size(), 3U);
    EXPECT_EQ(read.sent, read.received);
    EXPECT_TRUE(read.in_order);
}

#else

TEST(Otf2, IsRefusedWithARemedyWhereItWasNotBuilt) {
    EXPECT_THROW(write_otf2(recorded(3, exchange).run, {}, "t.otf2"), UsageError);
}

#endif

}  // namespace
}  // namespace railyard::mpi::traces
