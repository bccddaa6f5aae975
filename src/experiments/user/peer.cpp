#include "experiments/user/peer.hpp"

#include <string>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

[[noreturn]] void fail(Status why) {
    throw Error("cannot connect to the peer: " + std::string(why.name()));
}

}  // namespace

fabric::Discriminator discriminator_of(std::string_view tag) {
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    for (const char c : tag)
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

void ask(fabric::QueuePair& queue_pair, const fabric::Address& to,
         fabric::Discriminator discriminator, const Patience& patience) {
    const Status asked =
        queue_pair.connect_peer(to, discriminator, fabric::PrivateData(), patience.deadline());
    if (!asked.ok()) fail(asked);
}

void await_connected(fabric::QueuePair& queue_pair, Patience& patience) {
    patience.wait([&] {
        const auto state = queue_pair.state();
        return state == fabric::ConnectionState::connected ||
               state == fabric::ConnectionState::failed;
    });
    if (queue_pair.state() == fabric::ConnectionState::failed) fail(queue_pair.reason());
}

void Patience::fail() {
    throw Error("the peer has sent nothing for " +
                std::to_string(length.picoseconds() / 1'000'000'000'000) +
                " s; is its process stopped, or the machine overloaded?");
}

}  // namespace railyard::experiments
