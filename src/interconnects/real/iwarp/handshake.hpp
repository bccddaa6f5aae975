#pragma once
/// MPA's start-up as two machines without sockets: who connected asks (Initiator), who was
/// connected to answers (Answerer), and both know then how the stream is framed and how many Reads
/// and atomics may be under way each way (RFC 6581).
///
/// Timers are their owner's. After an error the TCP connection is closed, and nothing is sent,
/// except where `terminate` says what.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "interconnects/real/iwarp/framing.hpp"

namespace railyard::iwarp::mpa {

inline constexpr std::size_t startup_header_size = 20;
inline constexpr std::size_t enhanced_size = 4;
inline constexpr std::size_t most_private_data = 512;  ///< enhanced data included
inline constexpr std::size_t longest_startup = startup_header_size + most_private_data;
/// As IRD or ORD: "not negotiated here".
inline constexpr std::uint16_t not_negotiated = 0x3fff;
inline constexpr std::uint16_t most_requests = 0x3ffe;

/// Which message may tell the responder that it may send.
struct RtrKinds {
    bool send = false;
    bool write = false;
    bool read = false;
    friend bool operator==(const RtrKinds&, const RtrKinds&) = default;
};

/// What revision 2 has in front of the private data.
struct Enhanced {
    bool peer_to_peer = false;  ///< a ready-to-receive message is wanted
    RtrKinds rtr{};
    std::uint16_t ird = 0;
    std::uint16_t ord = 0;
    friend bool operator==(const Enhanced&, const Enhanced&) = default;
};

/// MPA's start-up frames (RFC 5044, and 6581 for revision 2): a request by the one who connected, a
/// reply by the other, before the first FPDU.
struct StartupFrame {
    bool reply = false;
    bool markers = false;  ///< whoever sends this wants Markers
    bool crc = true;       ///< and CRCs
    bool reject = false;
    std::uint8_t revision = 2;
    std::optional<Enhanced> enhanced{};
    std::uint16_t private_size = 0;  ///< without the enhanced data
    std::array<std::byte, most_private_data> private_bytes{};

    std::span<const std::byte> private_data() const { return {private_bytes.data(), private_size}; }
    /// Throws UsageError if there is more than fits.
    void set_private_data(std::span<const std::byte> data);
    /// Into `to`, which has room for longest_startup; returns how many bytes.
    std::size_t write(std::byte* to) const;
};

enum class StartupError : std::uint8_t {
    none,
    wrong_key,     ///< not a start-up frame
    both_asked,    ///< a request where a reply was due
    nobody_asked,  ///< a reply where a request was due
    revision,      ///< one that we do not speak
    private_data,  ///< longer than allowed, or too short for the enhanced data in it
    wrong_answer,  ///< a reply that does not fit the request
};

/// Collects one frame, never a byte more. Wrong bytes are noticed as soon as they are there.
class StartupReader {
  public:
    explicit StartupReader(bool expects_reply) : expects_reply_(expects_reply) {}

    /// Takes what belongs to the frame and says how much.
    std::size_t feed(std::span<const std::byte> bytes);
    /// How many bytes to read next; 0 once it is complete or wrong.
    std::size_t missing() const { return error_ == StartupError::none ? needed_ - have_ : 0; }
    StartupError error() const { return error_; }
    bool complete() const { return error_ == StartupError::none && have_ == needed_; }
    /// Once complete.
    StartupFrame frame() const;

  private:
    StartupError check_key() const;
    StartupError check_header();

    bool expects_reply_;
    StartupError error_ = StartupError::none;
    std::size_t needed_ = startup_header_size;
    std::size_t have_ = 0;
    std::array<std::byte, longest_startup> bytes_;
};

/// What one side wants of a connection.
struct Wishes {
    bool crc = true;
    bool markers = false;                       ///< in what it receives
    std::uint8_t revision = 2;                  ///< 1 for peers that do not answer to 2
    std::uint16_t ird = 16;                     ///< most Reads and atomics that it serves at once
    std::uint16_t ord = 16;                     ///< most that it wants to have under way
    bool peer_to_peer = true;                   ///< either side may speak first
    RtrKinds rtr{.write = true, .read = true};  ///< ready-to-receive messages that it knows
};

/// The message by which the initiator tells the other side that it may speak.
enum class Rtr : std::uint8_t { none, write, read, send };

struct Agreement {
    Framing in{};
    Framing out{};
    std::uint16_t ird = 0;
    std::uint16_t ord = 0;
    Rtr rtr = Rtr::none;  ///< the initiator sends it first of all, before it is connected
    bool enhanced = false;
    friend bool operator==(const Agreement&, const Agreement&) = default;
};

/// The bytes of one frame, as far as they are not sent.
class StartupOutput {
  public:
    void set(const StartupFrame& frame) {
        size_ = frame.write(bytes_.data());
        sent_ = 0;
    }
    std::span<const std::byte> unsent() const { return {bytes_.data() + sent_, size_ - sent_}; }
    void sent(std::size_t n) { sent_ += n; }

  private:
    std::array<std::byte, longest_startup> bytes_;
    std::size_t size_ = 0;
    std::size_t sent_ = 0;
};

class Initiator {
  public:
    enum class State : std::uint8_t { asking, agreed, rejected, failed };

    /// Throws UsageError if the private data are too long.
    Initiator(const Wishes& wishes, std::span<const std::byte> private_data);

    StartupOutput& output() { return output_; }
    /// Takes what belongs to the reply and says how much; what follows is the stream's.
    std::size_t feed(std::span<const std::byte> bytes);
    /// How many bytes the reply still needs, at least.
    std::size_t missing() const { return reader_.missing(); }

    State state() const { return state_; }
    StartupError error() const { return error_; }
    /// With `failed`: both are in full operation, so the peer is told by a Terminate.
    std::optional<Fault> terminate() const { return terminate_; }
    /// Once agreed.
    const Agreement& agreement() const { return agreement_; }
    /// Once agreed or rejected: what the peer sent along.
    const StartupFrame& reply() const { return *reply_; }

  private:
    void understand();
    void fail(StartupError error, std::optional<Fault> terminate = {});

    Wishes wishes_;
    StartupOutput output_;
    StartupReader reader_{true};
    State state_ = State::asking;
    StartupError error_ = StartupError::none;
    std::optional<Fault> terminate_;
    std::optional<StartupFrame> reply_;
    Agreement agreement_;
};

class Answerer {
  public:
    enum class State : std::uint8_t { listening, asked, accepted, rejected, failed };

    std::size_t feed(std::span<const std::byte> bytes);
    std::size_t missing() const { return reader_.missing(); }
    StartupOutput& output() { return output_; }

    State state() const { return state_; }
    StartupError error() const { return reader_.error(); }
    /// Once asked.
    const StartupFrame& request() const { return *request_; }

    // The answer; only when asked. Both throw UsageError if the private data are too long.

    const Agreement& accept(const Wishes& wishes, std::span<const std::byte> private_data);
    void reject(std::span<const std::byte> private_data);

  private:
    StartupOutput output_;
    StartupReader reader_{false};
    State state_ = State::listening;
    std::optional<StartupFrame> request_;
    Agreement agreement_;
};

}  // namespace railyard::iwarp::mpa
