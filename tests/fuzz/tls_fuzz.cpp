/// Any bytes to what anybody may talk to: no session is ever opened by them, and in one that is
/// open nothing is handed over from where they come on, however they are cut. Inside a session, the
/// reader of messages takes any bytes, and the same however they are cut.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/frames.hpp"
#include "launch/tls/link.hpp"
#include "launch/tls/session.hpp"

namespace {

using namespace railyard::tls;
using Reader = railyard::BasicFrameReader<std::uint32_t>;
using Messages = std::vector<std::pair<std::uint32_t, std::string>>;

const Secret& secret() {
    static const Secret made = Secret::make();
    return made;
}

void require(bool condition, const char* what) {
    if (condition) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

template <class Take>
void in_pieces(std::string_view bytes, std::size_t step, const Take& take) {
    for (; !bytes.empty(); bytes.remove_prefix(std::min(step, bytes.size())))
        take(bytes.substr(0, step));
}

void try_handshake(std::string_view bytes, Side side, std::size_t step) {
    Session session(secret(), side);
    in_pieces(bytes, step, [&](std::string_view piece) {
        session.feed(piece, [](std::string_view) { require(false, "a stranger was heard"); });
    });
    require(session.state() != Session::State::open, "a stranger was believed");
}

/// What is heard of something genuine, the bytes, and something genuine behind them.
std::string heard_around(std::string_view bytes, std::size_t step) {
    Session listener(secret(), Side::listener);
    Session caller(secret(), Side::caller);
    std::string heard;
    const auto hear = [&](std::string_view plain) { heard += plain; };
    for (int i = 0; i < 2; ++i) {
        listener.feed(caller.take_output(), hear);
        caller.feed(listener.take_output(), hear);
    }
    caller.send("genuine");
    std::string stream = caller.take_output();
    stream += bytes;
    caller.send(" and behind");
    stream += caller.take_output();
    in_pieces(stream, step, [&](std::string_view piece) { listener.feed(piece, hear); });
    return heard;
}

Messages messages_in(std::string_view bytes, std::size_t step) {
    Reader reader(longest_message);
    Messages messages;
    in_pieces(bytes, step, [&](std::string_view piece) {
        reader.feed(piece, [&](std::uint32_t kind, std::string text) {
            messages.emplace_back(kind, std::move(text));
        });
    });
    return messages;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const std::size_t step = 1 + size % 7;
    try_handshake(bytes, Side::listener, step);
    try_handshake(bytes, Side::caller, 1 << 20);
    // Opening a session takes its time, so only some try to spoil one.
    if (size % 16 == 0) {
        const std::string heard = heard_around(bytes, 1 << 20);
        require(heard == "genuine" || (bytes.empty() && heard == "genuine and behind"),
                "a forged message was handed over");
    }
    require(messages_in(bytes, 1 << 20) == messages_in(bytes, step), "pieces make a difference");
    return 0;
}
