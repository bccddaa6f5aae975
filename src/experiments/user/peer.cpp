#include "experiments/user/peer.hpp"

#include <cstring>
#include <string>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

namespace {

constexpr std::size_t page_bytes = 4096;

std::size_t whole_pages(Bytes size) {
    return (size.count() / page_bytes + 1) * page_bytes;
}

}  // namespace

Pages make_pages(Bytes size) {
    const std::size_t whole = whole_pages(size);
    Pages pages(static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole)));
    if (!pages) throw Error("no memory for a buffer of the experiment");
    std::memset(pages.get(), 0, whole);
    return pages;
}

Buffer::Buffer(fabric::Nic& nic, Bytes size, fabric::Access access, Memory memory,
               fabric::Home home) {
    const std::size_t whole = whole_pages(size);
    if (memory == Memory::user) {
        user_memory_ = make_pages(size);
        region_ = nic.register_memory({user_memory_.get(), whole}, access);
        return;
    }
    region_ = nic.allocate(Bytes(whole), access, home);
    // In virtual time, what a Nic allocates is zero already.
    if (nic.traits().clock == fabric::Clock::real) std::memset(region_->data(), 0, whole);
}

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
