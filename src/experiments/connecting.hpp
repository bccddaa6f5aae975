#pragma once
/// How two ranks of an experiment find each other: each puts up a card, and both ask for the same
/// connection.

#include <string_view>

#include "experiments/patience.hpp"
#include "railyard/connection.hpp"
#include "railyard/memory.hpp"
#include "railyard/queue_pair.hpp"

namespace railyard::experiments {

/// Everything that one side must know of the other.
struct Card {
    fabric::Address address;
    fabric::RegionBlob target;
};

/// Both sides derive the same number from the same tag.
fabric::Discriminator discriminator_of(std::string_view tag);

/// Asks for the connection; the peer does the same.
void ask(fabric::QueuePair& queue_pair, const fabric::Address& to,
         fabric::Discriminator discriminator, const Patience& patience);
/// Waits until it is there. Both throw Error.
void await_connected(fabric::QueuePair& queue_pair, Patience& patience);

}  // namespace railyard::experiments
