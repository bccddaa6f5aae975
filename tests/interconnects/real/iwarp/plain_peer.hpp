#pragma once
/// An iWARP peer of which nothing is ours but the helpers that write its bytes down: start-up
/// frames by hand, FPDUs one at a time, over a plain socket.

#include "interconnects/real/iwarp/nics.hpp"

namespace railyard::iwarp::testing {

/// What an initiator says before the other side may speak.
enum class Ready : std::uint8_t { unasked, by_write, by_read };

/// "MPA ID Req Frame" or "MPA ID Rep Frame", and what follows.
inline Buffer startup(const std::string& kind, std::uint8_t flags, std::uint8_t revision,
                      std::optional<std::uint32_t> enhanced, std::string_view data) {
    Buffer frame = text_bytes("MPA ID " + kind + " Frame");
    const std::size_t size = data.size() + (enhanced ? 4 : 0);
    frame.resize(20 + (enhanced ? 4 : 0));
    store8(frame.data() + 16, static_cast<std::uint8_t>(flags | (enhanced ? 0x10 : 0)));
    store8(frame.data() + 17, revision);
    store16(frame.data() + 18, static_cast<std::uint16_t>(size));
    if (enhanced) store32(frame.data() + 20, *enhanced);
    append(frame, text_bytes(data));
    return frame;
}

class PlainPeer {
  public:
    PlainPeer(hosts::RealHost& host, Descriptor socket)
        : host_(&host), socket_(std::move(socket)) {}

    static Descriptor connected_to(const SocketAddress& at) {
        Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const SocketAddress::Raw raw = at.raw();
        EXPECT_EQ(::connect(socket.get(), raw.get(), raw.size), 0);
        return socket;
    }

    void say(std::span<const std::byte> bytes) {
        EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    void finish() { shutdown(socket_.get(), SHUT_WR); }
    Buffer hear_exactly(std::size_t n) {
        Buffer heard;
        host_->wait_until(
            [&] {
                host_->progress();
                std::byte byte;
                while (heard.size() < n && ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT) == 1)
                    heard.push_back(byte);
                return heard.size() == n;
            },
            host_->now() + patience);
        EXPECT_EQ(heard.size(), n);
        return heard;
    }
    bool has_heard_more() {
        std::byte byte;
        return ::recv(socket_.get(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
    }
    /// The next frame's length field and ULPDU; its CRC is good.
    Buffer hear_frame() {
        Buffer frame = hear_exactly(2);
        const std::size_t ulpdu = load16(frame.data());
        const std::size_t pad = (4 - (2 + ulpdu) % 4) % 4;
        append(frame, hear_exactly(ulpdu + pad));
        const Buffer crc = hear_exactly(4);
        EXPECT_EQ(load_crc(crc.data()), crc32c(frame));
        frame.resize(2 + ulpdu);
        return frame;
    }

    // What it asks of us.

    void send(std::string_view text) {
        untagged(rdmap::Opcode::send, 0, ++sends_, text_bytes(text));
    }
    void write(std::uint32_t stag, std::uint64_t to, std::string_view text) {
        tagged(rdmap::Opcode::write, stag, to, text);
    }
    void read(std::uint32_t sink, std::uint64_t sink_to, std::uint32_t length, std::uint32_t stag,
              std::uint64_t to) {
        Buffer body(rdmap::ReadRequest::size);
        rdmap::write(body.data(), rdmap::ReadRequest{sink, sink_to, length, stag, to});
        untagged(rdmap::Opcode::read_request, 1, ++reads_, body);
    }
    void answer(const rdmap::ReadRequest& request, std::string_view text) {
        tagged(rdmap::Opcode::read_response, request.sink_stag, request.sink_to, text);
    }

    void say_ready(Ready ready) {
        if (ready == Ready::by_write) write(1, 0, "");  // as siw does
        if (ready != Ready::by_read) return;
        read(5, 0, 0, 0, 0);
        EXPECT_EQ(to_hex(hear_frame()),
                  "000ec142"
                  "00000005"
                  "0000000000000000");
    }
    void expect_ready(Ready ready) {
        if (ready == Ready::by_write) {
            const Buffer frame = hear_frame();
            EXPECT_EQ(to_hex(std::span(frame).first(4)), "000ec140");
        }
        if (ready != Ready::by_read) return;
        const Buffer frame = hear_frame();
        ASSERT_EQ(frame.size(), 2u + 46u);
        const rdmap::ReadRequest request = rdmap::read_read_request(frame.data() + 20);
        EXPECT_EQ(request.length, 0u);
        answer(request, "");
    }

  private:
    void untagged(rdmap::Opcode opcode, std::uint32_t queue, std::uint32_t msn,
                  std::span<const std::byte> payload) {
        ddp::Header header;
        header.ulp_control = rdmap::to_byte(opcode);
        header.queue = queue;
        header.msn = msn;
        say(framed(segment(header, payload)));
    }
    void tagged(rdmap::Opcode opcode, std::uint32_t stag, std::uint64_t to, std::string_view text) {
        ddp::Header header;
        header.tagged = true;
        header.ulp_control = rdmap::to_byte(opcode);
        header.stag = stag;
        header.to = to;
        say(framed(segment(header, text_bytes(text))));
    }

    hosts::RealHost* host_;
    Descriptor socket_;
    std::uint32_t sends_ = 0;
    std::uint32_t reads_ = 0;
};

/// Where such a peer is called.
class PlainListener {
  public:
    PlainListener() {
        SocketAddress at = find_address("loopback");
        socket_ = listen_at(at, {});
        port_ = at.port;
    }
    std::uint16_t port() const { return port_; }
    Descriptor accept(hosts::RealHost& host) {
        Descriptor socket;
        EXPECT_TRUE(host.wait_until(
            [&] {
                host.progress();
                socket = Descriptor(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
                return static_cast<bool>(socket);
            },
            host.now() + patience));
        return socket;
    }

  private:
    Descriptor socket_;
    std::uint16_t port_ = 0;
};

}  // namespace railyard::iwarp::testing
