/// A conversation between two Nics, as tshark understands it: every frame found, every CRC good.
/// Skipped where there is no tshark.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "interconnects/real/iwarp/nics.hpp"

namespace railyard::iwarp {
namespace {

using testing::append;
using testing::Buffer;
using testing::Station;

/// Passes one connection on and notes what was said, and by whom.
class Tap {
  public:
    struct Said {
        bool by_initiator;
        Buffer bytes;
    };
    explicit Tap(std::uint16_t to) {
        SocketAddress at = find_address("loopback");
        listening_ = listen_at(at, {});
        port = at.port;
        thread_ = std::thread([this, to] { run(to); });
    }
    ~Tap() { thread_.join(); }
    std::uint16_t port = 0;
    std::vector<Said> said;  ///< to be read when both sides have closed, and after join()

    void join() {
        if (thread_.joinable()) thread_.join();
        thread_ = std::thread([] {});
    }

  private:
    void run(std::uint16_t to) {
        pollfd waiting{listening_.get(), POLLIN, 0};
        ::poll(&waiting, 1, -1);
        SocketAddress from;
        bool failed = false;
        const Descriptor one = accept_next(listening_.get(), from, failed);
        SocketAddress there = find_address("loopback");
        there.port = to;
        const Descriptor two = begin_connect(find_address("loopback"), there);
        pollfd ends[] = {{one.get(), POLLIN, 0}, {two.get(), POLLIN, 0}};
        int open = 2;
        while (open > 0) {
            ::poll(ends, 2, -1);
            for (int side : {0, 1}) {
                if (ends[side].fd < 0 || (ends[side].revents & (POLLIN | POLLHUP)) == 0) continue;
                Buffer bytes(60'000);
                const ssize_t n = ::recv(ends[side].fd, bytes.data(), bytes.size(), MSG_DONTWAIT);
                if (n < 0 && errno == EAGAIN) continue;
                if (n <= 0) {
                    shutdown(side == 0 ? two.get() : one.get(), SHUT_WR);
                    ends[side].fd = -1;
                    --open;
                    continue;
                }
                bytes.resize(static_cast<std::size_t>(n));
                write_all(side == 0 ? two.get() : one.get(), bytes);
                said.push_back({side == 0, std::move(bytes)});
            }
        }
    }
    static void write_all(int socket, std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const ssize_t n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n < 0 && errno != EAGAIN) return;
            if (n > 0) bytes = bytes.subspan(static_cast<std::size_t>(n));
        }
    }
    Descriptor listening_;
    std::thread thread_;
};

/// A file of raw IPv4 packets, as if it had been captured on a wire.
class Pcap {
  public:
    explicit Pcap(const std::string& path) : file_(path, std::ios::binary) {
        for (const std::uint32_t word : {0xa1b2c3d4u, 0x00040002u, 0u, 0u, 262144u, 101u})
            little(word);
        packet(true, 0x02, {});
        packet(false, 0x12, {});
        packet(true, 0x10, {});
    }
    void packet(bool by_initiator, std::uint8_t flags, std::span<const std::byte> payload) {
        const std::size_t me = by_initiator ? 0 : 1;
        Buffer tcp(20);
        store16(tcp.data(), by_initiator ? 40001 : 20049);
        store16(tcp.data() + 2, by_initiator ? 20049 : 40001);
        store32(tcp.data() + 4, sequence_[me]);
        store32(tcp.data() + 8, (flags & 0x10) != 0 ? sequence_[1 - me] : 0);
        store8(tcp.data() + 12, 0x50);
        store8(tcp.data() + 13, flags);
        store16(tcp.data() + 14, 65535);
        append(tcp, payload);
        Buffer ip(20);
        store8(ip.data(), 0x45);
        store16(ip.data() + 2, static_cast<std::uint16_t>(20 + tcp.size()));
        store16(ip.data() + 6, 0x4000);
        store8(ip.data() + 8, 64);
        store8(ip.data() + 9, 6);
        store32(ip.data() + 12, by_initiator ? 0x0a000001 : 0x0a000002);
        store32(ip.data() + 16, by_initiator ? 0x0a000002 : 0x0a000001);
        append(ip, tcp);
        for (const std::uint32_t word : {++time_, 0u, static_cast<std::uint32_t>(ip.size()),
                                         static_cast<std::uint32_t>(ip.size())})
            little(word);
        file_.write(reinterpret_cast<const char*>(ip.data()),
                    static_cast<std::streamsize>(ip.size()));
        sequence_[me] += static_cast<std::uint32_t>(payload.size()) + ((flags & 0x03) != 0 ? 1 : 0);
    }

  private:
    void little(std::uint32_t word) {
        for (int shift = 0; shift < 32; shift += 8)
            file_.put(static_cast<char>(word >> shift));
    }
    std::ofstream file_;
    std::uint32_t sequence_[2] = {1000, 5000};
    std::uint32_t time_ = 0;
};

std::string output_of(const std::string& command) {
    std::string text;
    FILE* pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (pipe != nullptr && fgets(buffer, sizeof buffer, pipe) != nullptr)
        text += buffer;
    if (pipe != nullptr) pclose(pipe);
    return text;
}

std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
        ++found;
    return found;
}

TEST(Capture, TsharkFindsEveryFrameAndEveryCrcGood) {
    if (output_of("command -v tshark").empty()) GTEST_SKIP() << "tshark is not installed";
    hosts::RealHost host({.shares_core = true});
    Settings settings;
    settings.frame = Bytes(1440);  // so that a message has several frames
    Station a(host, settings, 20'000), b(host, settings, 20'000);
    Tap tap(b.name().at.port);
    {
        auto [from, to] = testing::connect(a, b, tap.port);
        const auto remote = a.nic().import_region(b.region().export_blob());
        const fabric::Slice all(a.region(), Bytes(0), Bytes(10'000));
        const fabric::Slice word(a.region(), Bytes(0), Bytes(8));
        const fabric::Slice room(b.region());
        ASSERT_TRUE(to.receives->post({1, std::span(&room, 1)}).ok());
        using fabric::Op;
        std::uint64_t id = 0;
        for (const Op op : {Op::send, Op::rdma_write, Op::rdma_read, Op::fetch_add}) {
            fabric::WorkRequest request;
            request.id = ++id;
            request.op = op;
            request.local = std::span(op == Op::fetch_add ? &word : &all, 1);
            if (op != Op::send) request.remote = {remote.get(), Bytes()};
            ASSERT_TRUE(from.queue_pair->post(request).ok());
            fabric::Completion done;
            ASSERT_TRUE(host.wait_until([&] { return from.sent->poll(done); }, a.until()));
            ASSERT_TRUE(done.status.ok()) << done.status.name();
        }
        from.queue_pair->close();
        ASSERT_TRUE(b.wait_for(to, fabric::ConnectionState::failed));
    }
    host.wait_until([] { return false; }, host.now() + Duration::ms(20));
    tap.join();
    // 10,000 bytes take 8 frames; a request and its answer one each; and the one that says ready.
    constexpr std::uint64_t expected = 1 + 8 + 8 + (1 + 8) + (1 + 1);
    const auto path = std::filesystem::temp_directory_path() /
                      ("railyard-capture-" + std::to_string(getpid()) + ".pcap");
    {
        Pcap pcap(path.string());
        for (const Tap::Said& said : tap.said)
            pcap.packet(said.by_initiator, 0x18, said.bytes);
    }
    const std::string shown =
        output_of("tshark -r " + path.string() +
                  " --disable-protocol rpcordma --disable-protocol smb_direct"
                  " -o tcp.try_heuristic_first:TRUE -Y iwarp_mpa.fpdu -V 2>/dev/null");
    std::filesystem::remove(path);
    EXPECT_EQ(count(shown, "Good CRC32"), expected);
    EXPECT_EQ(count(shown, "Bad CRC32"), 0u);
    EXPECT_EQ(count(shown, "Malformed"), 0u);
}

}  // namespace
}  // namespace railyard::iwarp
