// Peers by the thousand against a live Nic, over real sockets: those who keep to the RFCs get what
// they ask for, and the others change nothing that is not theirs, keep nobody out and leave
// nothing.
//
//     RAILYARD_PEER_SCRIPTS   how many (a sample unless set)
//     RAILYARD_PEER_SEED      of the first; each next one has the next number

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <memory>
#include <string>

#include "interconnects/real/iwarp/nics.hpp"
#include "soak/peers/counts.hpp"
#include "soak/peers/iwarp_script.hpp"

namespace railyard::iwarp {
namespace {

using fabric::ConnectionState;
using namespace testing;
using soak::number_of;
using soak::open_files;
using soak::resident;

/// One Nic under attack, with memory between guards.
class Target {
  public:
    static constexpr std::size_t size = 4096;
    static constexpr std::size_t apart = 64;
    static constexpr std::byte guard{0xC3};

    Target(hosts::RealHost& host, const Settings& settings)
        : station(host, settings),
          room_(3 * size, guard),
          closed_(size, guard),
          inbox_(most_arrivals * (longest_arrival + apart) + apart, guard) {
        open_ = station.nic().register_memory(std::span(room_).subspan(size, size),
                                              fabric::Access::all);
        secret_ = station.nic().register_memory(closed_, fabric::Access::local);
        letters_ = station.nic().register_memory(inbox_, fabric::Access::local);
        victim.name = station.name();
        victim.service = Station::service;
        victim.takes_strangers = settings.plain_service.has_value();
        victim.wants_markers = settings.markers;
        victim.wants_crc = settings.crc;
        victim.open = tagged_buffer(open_->export_blob());
        victim.closed_stag = tagged_buffer(secret_->export_blob()).stag;
    }

    Buffer memory() const { return {open_->span().begin(), open_->span().end()}; }
    fabric::Slice letter(std::size_t i) const {
        return {*letters_, Bytes(apart + i * (longest_arrival + apart)), Bytes(longest_arrival)};
    }
    /// Nothing was written but what may be.
    bool is_unharmed() const {
        // All are what the first is.
        const auto all_guard = [](std::span<const std::byte> bytes) {
            return bytes.front() == guard &&
                   std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
        };
        bool well = all_guard(std::span(room_).first(size)) &&
                    all_guard(std::span(room_).last(size)) && all_guard(closed_);
        for (std::size_t i = 0; i <= most_arrivals; ++i)
            well =
                well && all_guard(std::span(inbox_).subspan(i * (longest_arrival + apart), apart));
        return well;
    }

    Station station;
    Victim victim;

  private:
    std::vector<std::byte> room_;
    std::vector<std::byte> closed_;
    std::vector<std::byte> inbox_;
    std::unique_ptr<fabric::Region> open_;
    std::unique_ptr<fabric::Region> secret_;
    std::unique_ptr<fabric::Region> letters_;
};

/// A script as it is played.
class Visit {
  public:
    Visit(hosts::RealHost& host, Target& target, Script script)
        : host_(host), target_(target), script_(std::move(script)), peer_(target.victim.name) {}

    /// What the peer says and what becomes of it.
    void play() {
        say(script_.request);
        if (!get_in()) return;
        for (std::size_t i = 0; i < most_arrivals; ++i) {
            const fabric::Slice slice = target_.letter(i);
            EXPECT_TRUE(end_.receives->post({i, std::span(&slice, 1)}).ok());
        }
        for (const Buffer& frame : script_.frames)
            say(frame);
        if (script_.is_legal) expect_all_done();
        if (!script_.must_fail) return;
        EXPECT_TRUE(target_.station.wait_for(end_, ConnectionState::failed))
            << "what is wrong was not noticed";
    }

    bool stays() const { return script_.stays; }

    /// The peer goes, and the connection with it.
    void end() {
        Descriptor socket = peer_.take();
        if (script_.end == Script::End::half_closes) ::shutdown(socket.get(), SHUT_WR);
        if (script_.end == Script::End::resets) {
            const linger hard{1, 0};
            ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
            socket.reset();
        }
        if (script_.end == Script::End::closes) ::shutdown(socket.get(), SHUT_RDWR);
        if (end_.queue_pair != nullptr) {
            EXPECT_TRUE(target_.station.wait_for(end_, ConnectionState::failed))
                << "the peer's end was not noticed";
        }
        end_ = {};
        // Without a wait in the kernel: ports are few, and scripts many.
        if (socket) {
            const linger hard{1, 0};
            ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        }
    }

  private:
    /// In its pieces, and the Nic works in between. What the other side has closed takes no more.
    void say(std::span<const std::byte> bytes) {
        while (!bytes.empty()) {
            const std::size_t n = std::min(script_.piece, bytes.size());
            if (!peer_.say(bytes.first(n))) return;
            host_.progress();
            bytes = bytes.subspan(n);
        }
    }

    /// False if the Nic does not let it in.
    bool get_in() {
        std::unique_ptr<fabric::ConnectionRequest> request;
        const auto asked = [&] { return (request = target_.station.listener().poll()) != nullptr; };
        if (script_.is_answered) {
            EXPECT_TRUE(host_.wait_until(asked, target_.station.until())) << "a good request";
        } else {
            for (int i = 0; i < 20 && !asked(); ++i)
                host_.progress();
        }
        if (request == nullptr) return false;
        end_ = target_.station.make_end();
        if (!end_.queue_pair->accept(*request, {}).ok()) {
            end_ = {};
            return false;
        }
        if (!script_.is_answered) return true;
        mpa::StartupReader reader(true);
        EXPECT_TRUE(host_.wait_until(
            [&] {
                host_.progress();
                const Buffer more = peer_.hear_now(reader.missing());
                reader.feed(more);
                return reader.missing() == 0;
            },
            target_.station.until()));
        EXPECT_TRUE(reader.complete() && !reader.frame().reject);
        return true;
    }

    void expect_all_done() {
        for (const Script::Arrival& expected : script_.arrivals) {
            fabric::Completion done;
            ASSERT_TRUE(host_.wait_until([&] { return end_.received->poll(done); },
                                         target_.station.until()));
            ASSERT_TRUE(done.status.ok()) << done.status.name();
            ASSERT_EQ(done.has_immediate, expected.immediate.has_value());
            if (expected.immediate) {
                ASSERT_EQ(done.immediate, *expected.immediate);
                continue;
            }
            ASSERT_EQ(done.length.count(), expected.bytes.size());
            ASSERT_TRUE(std::equal(expected.bytes.begin(), expected.bytes.end(),
                                   target_.letter(done.id).data()));
        }
        for (const Buffer& expected : script_.answers)
            ASSERT_EQ(to_hex(hear_answer()), to_hex(expected));
        ASSERT_TRUE(host_.wait_until([&] { return target_.memory() == script_.memory; },
                                     target_.station.until()))
            << "the memory is not as it was written";
    }

    /// The payload of the next frame.
    Buffer hear_answer() {
        Buffer frame;
        std::size_t wanted = 2;
        host_.wait_until(
            [&] {
                host_.progress();
                append(frame, peer_.hear_now(wanted - frame.size()));
                if (frame.size() == 2 && wanted == 2)
                    wanted = mpa::frame_size(load16(frame.data()));
                return wanted > 2 && frame.size() == wanted;
            },
            target_.station.until());
        if (frame.size() < 2) return {};
        const std::size_t header = 2 + ddp::header_size(frame[2]);
        const std::size_t length = load16(frame.data());
        return {frame.begin() + static_cast<std::ptrdiff_t>(header),
                frame.begin() + static_cast<std::ptrdiff_t>(2 + length)};
    }

    hosts::RealHost& host_;
    Target& target_;
    Script script_;
    Stranger peer_;
    Station::End end_;
};

class Peers : public ::testing::Test {
  protected:
    static Settings with(bool crc, bool markers, bool strangers) {
        Settings settings;
        settings.crc = crc;
        settings.markers = markers;
        if (strangers) settings.plain_service = Station::service;
        return settings;
    }

    Peers() : friendly(host, {}) {
        targets.push_back(std::make_unique<Target>(host, with(true, false, false)));
        targets.push_back(std::make_unique<Target>(host, with(false, true, false)));
        targets.push_back(std::make_unique<Target>(host, with(false, false, true)));
        targets.push_back(std::make_unique<Target>(host, with(true, true, true)));
        for (const auto& target : targets)
            others.push_back(connect(friendly, target->station));
    }

    void expect_others_alive() {
        for (auto& [client, server] : others)
            expect_alive(friendly, client, server);
    }

    // The peers are this same thread: to let others have the processor would help nobody.
    hosts::RealHost host{{.shares_core = false}};
    Station friendly;
    std::vector<std::unique_ptr<Target>> targets;
    std::vector<std::pair<Station::End, Station::End>> others;
};

TEST_F(Peers, ByGrammar) {
    const std::uint64_t scripts = number_of("RAILYARD_PEER_SCRIPTS", 1500);
    const std::uint64_t first = number_of("RAILYARD_PEER_SEED", 1);
    const auto start = std::chrono::steady_clock::now();
    std::deque<Visit> staying;
    std::uint64_t legal = 0;
    std::uint64_t must_fail = 0;
    std::size_t memory_at_a_third = 0;
    const std::size_t files = open_files();
    for (std::uint64_t seed = first; seed < first + scripts; ++seed) {
        SCOPED_TRACE("RAILYARD_PEER_SCRIPTS=1 RAILYARD_PEER_SEED=" + std::to_string(seed));
        Target& target = *targets[seed % targets.size()];
        Script script = draw_script(soak::mix(seed), target.victim, target.memory());
        legal += script.is_legal ? 1 : 0;
        must_fail += script.must_fail ? 1 : 0;
        staying.emplace_back(host, target, std::move(script));
        staying.back().play();
        if (!staying.back().stays()) {
            staying.back().end();
            staying.pop_back();
        }
        if (staying.size() > 16) {
            staying.front().end();
            staying.pop_front();
        }
        ASSERT_TRUE(target.is_unharmed()) << "memory was written that is not the peer's";
        if (seed % 64 == 0) expect_others_alive();
        if (seed - first == scripts / 3) memory_at_a_third = resident();
        if (HasFailure()) break;
    }
    for (Visit& visit : staying)
        visit.end();
    expect_others_alive();
    const std::size_t memory = resident();
    EXPECT_LT(memory, memory_at_a_third + soak::resident_slack) << "it grows with its peers";
    staying.clear();
    EXPECT_TRUE(host.wait_until([&] { return open_files() <= files; }, friendly.until()))
        << open_files() << " descriptors instead of " << files;
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("peers: %llu scripts, %llu legal, %llu that must fail, %.1f s\n",
                static_cast<unsigned long long>(scripts), static_cast<unsigned long long>(legal),
                static_cast<unsigned long long>(must_fail), seconds);
}

}  // namespace
}  // namespace railyard::iwarp
