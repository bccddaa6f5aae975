#pragma once
/// Broadcasts by the switches, one after the other, of whichever process of a job: for those who do
/// not wait, and with no barrier between them. Each lands in one of a few buffers, which are at the
/// same address in all processes and used in turn. Everybody counts what it has taken out of them
/// in its Elan memory, and the sender's thread tests all counts by one packet before a buffer is
/// used again (BC-1): nobody's buffer is written before it is free.

#include <array>
#include <cstdint>
#include <optional>
#include <span>

#include "interconnects/quadrics/elan3/process.hpp"

namespace railyard::elanlib {

class BroadcastChannel {
  public:
    using Address = elan3::Address;
    using Vpid = elan3::Vpid;

    /// One is filled and one emptied while two are on their way.
    static constexpr std::uint32_t buffers = 4;
    /// Of one buffer. Short, so that the first piece of many is soon copied in and the last one
    /// soon copied out; long enough that a DMA's beginning and end pass beside its data.
    static constexpr std::uint32_t buffer_size = 2048;
    static constexpr std::uint32_t header_size = 8;
    /// The most that one broadcast carries.
    static constexpr std::uint32_t capacity = buffer_size - header_size;

    /// Collective: every process makes one, before any uses it, and after the same allocations. The
    /// nodes of the job must be a range (BC-3), of two at least.
    explicit BroadcastChannel(elan3::Process& process);

    /// Whether the next broadcast may be this process'; if not, it is to ask again upon news.
    bool can_send() { return is_free(next_ % buffers); }
    /// Sends the next one, of `capacity` bytes at most, which may be used again at once. `more`
    /// is for the receivers.
    void send(std::span<const std::byte> data, bool more);
    /// Nothing while a broadcast of this process' is on its way to somebody. After a failure, the
    /// channel is of no use any more.
    std::optional<Status> test_sent();

    struct Arrived {
        Status status;
        std::uint32_t size = 0;
        bool more = false;
    };
    /// The next broadcast, another process', once it is here: to be taken before anything else.
    std::optional<Arrived> test_arrived();
    /// Copies as much of it as there is room for, and gives its buffer back.
    void take(std::span<std::byte> into);

    /// Whether one of the tests might find what it did not find before. Takes no time.
    bool has_news();

  private:
    struct Header {
        std::uint32_t size = 0;
        std::uint32_t more = 0;
    };
    static_assert(sizeof(Header) == header_size);
    /// What the thread is asked to broadcast.
    struct Request {
        std::uint32_t number = 0;
        std::uint32_t size = 0;
    };
    struct Buffer {
        Address data = elan::null_address;
        elan3::Event landed;
        elan3::Event sent;
    };
    /// At the same addresses in all processes.
    struct Places {
        Address taken = elan::null_address;     ///< in Elan memory: broadcasts that it is done with
        Address requests = elan::null_address;  ///< in Elan memory: to its thread, used in turn
        elan3::Event begin;                     ///< a request is there
        std::array<Buffer, buffers> in_turn;
    };
    /// What of this process' own broadcast through a buffer has not happened yet.
    struct Pending {
        bool sent = false;
        bool landed = false;  ///< here, where the process is in the middle of the range
    };

    static Places make_places(elan3::Process& process);
    bool is_free(std::uint32_t buffer);
    void start_thread();
    static void serve(elan::Thread& thread, const Places& places);

    elan3::Process& process_;
    const Places places_;
    std::array<Pending, buffers> pending_{};
    std::uint32_t next_ = 0;  ///< broadcasts before the next, of all processes together
    std::uint32_t own_ = 0;   ///< ... and of this one
    bool has_thread_ = false;
    Status failure_;
};

}  // namespace railyard::elanlib
