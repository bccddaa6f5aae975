// Callers by the thousand at a listener that wants a secret: those who know it are let in and
// heard, the others are not, whatever they say, however slowly, and they keep nobody out.
//
//     RAILYARD_TLS_SCRIPTS   how many (a sample unless set)
//     RAILYARD_PEER_SEED     of the first; each next one has the next number

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cstdio>
#include <deque>
#include <string>
#include <vector>

#include "base/frames.hpp"
#include "base/reactor.hpp"
#include "launch/tls/addresses.hpp"
#include "launch/tls/link.hpp"
#include "launch/tls/listener.hpp"
#include "launch/tls/session.hpp"
#include "soak/peers/counts.hpp"
#include "soak/traffic/random.hpp"

namespace railyard::tls {
namespace {

using soak::Draw;

/// What a caller does, step by step: the first few steps are those of somebody honest.
struct Call {
    enum class Spoil : std::uint8_t {
        nothing,
        other_secret,
        noise,            ///< from the start
        noise_in_record,  ///< a record's header, and noise in it
        flipped_bit,      ///< in one of its flights
        cut,              ///< in one of its flights
        again,            ///< its first flight over and over
        noise_inside,     ///< once it is let in
        too_long,         ///< a message that is announced longer than any may be
    };
    Spoil spoil;
    int flight;  ///< in which of its flights, 0 or 1
    bool stays;  ///< it does not hang up by itself
};

Call draw_call(Draw& draw) {
    return {static_cast<Call::Spoil>(draw.below(9)), draw.below(2), draw.one_in(4)};
}

std::string noise(Draw& draw, std::size_t n) {
    std::string bytes(n, '\0');
    for (char& c : bytes)
        c = static_cast<char>(draw.next());
    return bytes;
}

class Caller {
  public:
    Caller(std::uint16_t port, const Secret& secret) : session_(secret, Side::caller) {
        const SocketAddress where = resolve({"127.0.0.1", port}).front();
        socket_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<const sockaddr*>(&where.address),
                            where.length),
                  0);
    }
    ~Caller() {
        // A reset: ports are few, and callers many.
        const linger hard{1, 0};
        if (socket_) ::setsockopt(socket_.get(), SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    }
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;

    bool say(std::string_view bytes) {
        return ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
    }
    /// Takes in what has come; false once the other has hung up.
    bool hear() {
        char some[4096];
        for (;;) {
            const ssize_t n = ::recv(socket_.get(), some, sizeof some, MSG_DONTWAIT);
            if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
            if (n <= 0) return false;
            session_.feed({some, static_cast<std::size_t>(n)}, [](std::string_view) {});
        }
    }
    Session& session() { return session_; }

  private:
    Descriptor socket_;
    Session session_;
};

class TlsPeers : public ::testing::Test {
  protected:
    static Listener::Options here() {
        Listener::Options options;
        options.where = {"127.0.0.1", 0};
        options.patience = Duration::s(20);
        return options;
    }
    void turn_for(const std::function<bool()>& done) {
        bool is_late = false;
        const auto timer = reactor_.after(Duration::s(20), [&] { is_late = true; });
        for (Reactor::Timer look; !done() && !is_late; reactor_.turn())
            look = reactor_.after(Duration::ms(1), [] {});
        EXPECT_FALSE(is_late) << "nothing came of it";
    }
    /// A few turns, for what nobody waits for.
    void turn_a_little() {
        for (int i = 0; i < 3; ++i) {
            const auto look = reactor_.after(Duration(), [] {});
            reactor_.turn();
        }
    }

    /// One flight of a caller's, spoilt if its turn has come.
    std::string flight(Caller& caller, const Call& call, int number, Draw& draw) {
        std::string bytes = caller.session().take_output();
        if (call.flight != number || bytes.empty()) return bytes;
        const auto place = static_cast<std::size_t>(draw.below(static_cast<int>(bytes.size())));
        if (call.spoil == Call::Spoil::flipped_bit)
            bytes[place] = static_cast<char>(bytes[place] ^ (1 << draw.below(8)));
        if (call.spoil == Call::Spoil::cut) bytes.resize(place);
        return bytes;
    }

    void play(Caller& caller, const Call& call, Draw& draw) {
        const std::size_t before = accepted_.size();
        if (call.spoil == Call::Spoil::noise) {
            caller.say(noise(draw, static_cast<std::size_t>(draw.below(2000))));
            return turn_a_little();
        }
        if (call.spoil == Call::Spoil::noise_in_record) {
            std::string record = noise(draw, static_cast<std::size_t>(5 + draw.below(2000)));
            record[0] = static_cast<char>(20 + draw.below(5));
            record[1] = 3;
            record[2] = static_cast<char>(draw.below(5));
            caller.say(record);
            return turn_a_little();
        }
        const std::string first = flight(caller, call, 0, draw);
        caller.say(first);
        if (call.spoil == Call::Spoil::again)
            for (int i = draw.below(50); i >= 0 && caller.say(first); --i)
                turn_a_little();
        const bool is_honest = call.spoil == Call::Spoil::nothing ||
                               call.spoil == Call::Spoil::noise_inside ||
                               call.spoil == Call::Spoil::too_long;
        const auto has_opened = [&] {
            return !caller.hear() || caller.session().state() != Session::State::handshake;
        };
        if (is_honest) {
            turn_for(has_opened);
        } else {
            for (int i = 0; i < 4 && !has_opened(); ++i)
                turn_a_little();
        }
        caller.say(flight(caller, call, 1, draw));
        if (is_honest) {
            turn_for([&] { return accepted_.size() > before; });
            if (accepted_.size() > before) be_heard(caller, call, draw);
        } else {
            turn_a_little();
            // A bit of its last flight may be spoilt that does not matter, but never without the
            // secret.
            if (call.spoil == Call::Spoil::other_secret) {
                EXPECT_EQ(accepted_.size(), before) << "somebody was let in";
            }
        }
    }

    void be_heard(Caller& caller, const Call& call, Draw& draw) {
        Link link = std::move(accepted_.back());
        accepted_.pop_back();
        std::string heard;
        bool alive = true;
        link.attach(reactor_, [&] {
            alive = link.receive([&](std::uint32_t, const std::string& text) { heard += text; });
        });
        const auto framed = [](std::uint64_t size, std::string_view text) {
            const FrameHeader header = frame_header(1, size);
            return std::string(header.begin(), header.end()).append(text);
        };
        if (call.spoil == Call::Spoil::noise_inside) {
            caller.say(noise(draw, static_cast<std::size_t>(1 + draw.below(3000))));
            caller.say(std::string(20'000, '\x17'));
        } else if (call.spoil == Call::Spoil::too_long) {
            caller.session().send(framed(longest_message + 1, "x"));
            caller.say(caller.session().take_output());
        } else {
            caller.session().send(framed(5, "hello"));
            caller.say(caller.session().take_output());
            turn_for([&] { return heard == "hello" || !alive; });
            EXPECT_EQ(heard, "hello");
            link.detach();
            return;
        }
        turn_for([&] { return !alive; });
        EXPECT_EQ(heard, "");
        link.detach();
    }

    Reactor reactor_;
    std::vector<Link> accepted_;
    const Secret secret_ = Secret::make();
    const Secret other_ = Secret::make();
};

TEST_F(TlsPeers, ByGrammar) {
    const std::uint64_t scripts = soak::number_of("RAILYARD_TLS_SCRIPTS", 150);
    const std::uint64_t first = soak::number_of("RAILYARD_PEER_SEED", 1);
    Listener listener(reactor_, secret_, here(),
                      [this](Link link) { accepted_.push_back(std::move(link)); });
    const std::size_t files = soak::open_files();
    std::deque<Caller> staying;
    std::size_t memory_at_a_third = 0;
    std::uint64_t honest = 0;
    for (std::uint64_t seed = first; seed < first + scripts && !HasFailure(); ++seed) {
        SCOPED_TRACE("RAILYARD_TLS_SCRIPTS=1 RAILYARD_PEER_SEED=" + std::to_string(seed));
        Draw draw(soak::mix(seed));
        const Call call = draw_call(draw);
        honest += call.spoil == Call::Spoil::nothing ? 1 : 0;
        staying.emplace_back(listener.port(),
                             call.spoil == Call::Spoil::other_secret ? other_ : secret_);
        play(staying.back(), call, draw);
        accepted_.clear();
        if (!call.stays) staying.pop_back();
        if (staying.size() > 30) staying.pop_front();
        if (seed - first == scripts / 3) memory_at_a_third = soak::resident();
    }
    EXPECT_LT(soak::resident(), memory_at_a_third + soak::resident_slack);
    staying.clear();
    turn_for([&] { return soak::open_files() <= files; });
    std::printf("peers: %llu callers, %llu honest\n", static_cast<unsigned long long>(scripts),
                static_cast<unsigned long long>(honest));
}

}  // namespace
}  // namespace railyard::tls
