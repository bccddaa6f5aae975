#pragma once
/// What travels in messages between two Nics of `ofi`. Every message begins with a Header; requests
/// name memory by numbers that only their owner understands.
///
/// Where all links of a Nic share an endpoint, a Header tells for which it is (`link`), and those
/// of `hello`, `accept`, `reject` and `gone` have the sender's number of it in `region`, those of
/// `hello` and `gone` the id of the Nic that it is for in `offset`, `gone` that of the sender's Nic
/// in `number`.
///
/// Requests are carried out by whoever owns the memory, in the order in which they were posted.
/// Small data are in the message. Of larger data the message tells where they lie (a list of
/// Places), and the owner moves them with one-sided operations of the provider. Where messages
/// cannot overtake data (Device::grants()), large writes need no help of the owner: `writing`, the
/// data by operations of the provider, and `write` with the last byte, which the owner checks and
/// completes as any other. So order,
/// placement, rights and errors are the same on every provider, whatever it promises. Where the
/// provider's own reads are not to be trusted (Device::fetches()), the owner asks the other side to
/// write instead.

#include <cstddef>
#include <cstdint>

namespace railyard::ofi {

enum class Kind : std::uint8_t {
    // Connecting: see connection.hpp.
    hello,
    accept,
    reject,
    ready,
    // Requests, which take a credit each and are kept in order.
    send,
    write,
    read,
    fetch_add,
    compare_swap,
    // What is said of requests, or of the connection: never waits.
    answer,  ///< of a read or an atomic
    done,    ///< all up to this number are done here
    failed,  ///< this number is at fault, all before are done; the connection is over
    credit,  ///< nothing but credits
    bye,     ///< the connection is over
    // Instead of a read of the provider's: never waits.
    fetch,    ///< write that part of your request's data to the Place behind this
    fetched,  ///< they have been written
    writing,  ///< data of that request come now, to `region`: never waits
    // Where all share an endpoint.
    gone,  ///< nothing comes behind this, and nothing that was begun is still under way
    // Between tagged ports, of no link: `region` is what the receiver calls the sender, `offset`
    // the id of the receiver's Nic, `number` that of a tagged message unless said otherwise.
    tagged_hello,      ///< a NicName follows; `number` is what the sender calls the receiver
    tagged_welcome,    ///< likewise, without the name
    tagged_matched,    ///< it has
    tagged_go,         ///< and its data go to the Place behind this; `length` is the receive
    tagged_done,       ///< they have been written; `number` is the receive
    tagged_withdraw,   ///< the sender wants it back
    tagged_withdrawn,  ///< and gets it
    tagged_sign,       ///< the sender is there
    tagged_goodbye,    ///< and soon is not any more
    tagged_farewell,   ///< which has been heard
};

namespace flag {
inline constexpr std::uint8_t bulk = 1;       ///< Places instead of data
inline constexpr std::uint8_t tell = 2;       ///< when it is done
inline constexpr std::uint8_t immediate = 4;  ///< there is a value
inline constexpr std::uint8_t solicited = 8;
inline constexpr std::uint8_t invalidates = 16;  ///< `region` ends
inline constexpr std::uint8_t tail = 32;         ///< the last byte comes with `fetched`, alone
inline constexpr std::uint8_t direct = 64;       ///< all data but the last byte are there already
/// Of a read: if its data can bring a word along (Device::brings_words()), that is the answer, and
/// `immediate` is what the reader calls the link.
inline constexpr std::uint8_t word = 128;
}  // namespace flag

struct Header {
    std::uint32_t link = 0;  ///< of the receiver's, where all share an endpoint
    Kind kind = Kind::credit;
    std::uint8_t flags = 0;
    std::uint8_t credits = 0;   ///< requests that the receiver of this may send beyond those so far
    std::uint8_t sequence = 0;  ///< of all messages of a link, where all share an endpoint
    std::uint64_t number = 0;   ///< of a request, from 1; of what is said, that which it is about
    std::uint64_t region = 0;   ///< of the receiver's; of `fetch` and `fetched`: which fetch it is
    std::uint64_t offset = 0;   ///< in it, or in the data; of an answer to an atomic: the old value
    std::uint64_t length = 0;   ///< of the data, wherever they are
    std::uint32_t immediate = 0;
    std::uint32_t places = 0;  ///< how many follow; of `failed`: the code
};
static_assert(sizeof(Header) == 48);

/// What the data of a read tell: of which link, and which of its requests.
constexpr std::uint64_t word_of(std::uint32_t link, std::uint64_t number) {
    return std::uint64_t{link} << 32 | static_cast<std::uint32_t>(number);
}

/// Memory of the sender's as the provider names it.
struct Place {
    std::uint64_t address = 0;
    std::uint64_t key = 0;
    std::uint64_t length = 0;
};

/// Of an atomic, behind its Header.
struct Operands {
    std::uint64_t operand = 0;
    std::uint64_t swap = 0;
};

/// The longest data in a message: so much, and what libraries put before it. Both ends have
/// endpoints of one kind, and so the same limit (Device::longest_data()).
inline constexpr std::size_t before_data = 256;
inline constexpr std::size_t longest_data = (16 << 10) + before_data;
/// Over TCP, where bytes are copied anyhow and a question takes as long as many of them.
inline constexpr std::size_t longest_data_on_sockets = (64 << 10) + before_data;
/// Requests that may be under way before the receiver has dealt with one.
inline constexpr std::uint8_t most_credits = 32;

}  // namespace railyard::ofi
