#include "interconnects/real/iwarp/hello.hpp"

#include <algorithm>
#include <cstring>

#include "interconnects/real/iwarp/big_endian.hpp"

namespace railyard::iwarp {

namespace {
constexpr std::uint32_t hello_magic = 0x52594431;  // "RYD1": the last digit is the layout's version
}

void Hello::write(std::byte* to) const {
    store32(to, hello_magic);
    store8(to + 4, static_cast<std::uint8_t>(kind));
    store8(to + 5, static_cast<std::uint8_t>(refusal));
    store16(to + 6, port);
    store64(to + 8, target);
    std::memcpy(to + 16, ask.nic.data(), ask.nic.size());
    store64(to + 32, ask.nonce);
    store64(to + 40, key);
    store32(to + 48, patience_ms);
}

std::optional<Hello> Hello::read_from(std::span<const std::byte> data) {
    if (data.size() < size || load32(data.data()) != hello_magic) return {};
    const std::uint8_t kind = load8(data.data() + 4);
    const std::uint8_t refusal = load8(data.data() + 5);
    if (kind < 1 || kind > 2 || refusal > 3) return {};
    Hello hello;
    hello.kind = static_cast<Kind>(kind);
    hello.refusal = static_cast<Refusal>(refusal);
    hello.port = load16(data.data() + 6);
    hello.target = load64(data.data() + 8);
    std::copy_n(data.begin() + 16, hello.ask.nic.size(), hello.ask.nic.begin());
    hello.ask.nonce = load64(data.data() + 32);
    hello.key = load64(data.data() + 40);
    hello.patience_ms = load32(data.data() + 48);
    return hello;
}

SimultaneousOpen::Step SimultaneousOpen::want() {
    if (state_ == State::held) return connect_by(false);
    if (state_ != State::idle) return Step::nothing;
    state_ = State::asking;
    return Step::connect;
}

SimultaneousOpen::Step SimultaneousOpen::asked(const Ask& theirs) {
    switch (state_) {
        case State::idle:
            state_ = State::held;
            return Step::hold_theirs;
        case State::asking:
            return ours_ < theirs ? Step::refuse_theirs : connect_by(false);
        case State::yielding:
            return connect_by(false);
        case State::held:       // asked twice: the first is still good
        case State::connected:  // too late
        case State::failed:
            break;
    }
    return Step::refuse_theirs;
}

void SimultaneousOpen::withdrawn() {
    if (state_ == State::held) state_ = State::idle;
}

void SimultaneousOpen::accepted() {
    if (state_ == State::asking) connect_by(true);
}

void SimultaneousOpen::refused(Hello::Refusal why) {
    if (state_ != State::asking) return;  // given up already
    state_ = why == Hello::Refusal::collision ? State::yielding : State::failed;
}

SimultaneousOpen::Step SimultaneousOpen::connect_by(bool own) {
    state_ = State::connected;
    by_own_ask_ = own;
    return own ? Step::nothing : Step::accept_theirs;
}

}  // namespace railyard::iwarp
