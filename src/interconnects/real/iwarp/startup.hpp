#pragma once
/// MPA's start-up frames (RFC 5044, and 6581 for revision 2): a request by the one who connected, a
/// reply by the other, before the first FPDU.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

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

}  // namespace railyard::iwarp::mpa
