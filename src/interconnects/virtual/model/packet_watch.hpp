#pragma once
/// What a lane tells of its packets where faults can take them, and asks: may this one go on?

#include <cstdint>

#include "railyard/base/bytes.hpp"

namespace railyard::model {

class Fifo;
struct Message;

class PacketWatch {
  public:
    virtual ~PacketWatch() = default;

    /// It is the lane's from now on. Its packets are watched in the round that is set in it.
    virtual void submitted(Message& message) = 0;
    /// One more packet of it, that numbered Message::injected, is read from memory.
    virtual void injected(Message& message) = 0;
    /// A packet, injected in that round, crosses that part of the network. False: it is lost.
    virtual bool crosses(Message& message, std::uint8_t round, Fifo& part, Bytes size) = 0;
    /// A packet has come to the target. False: it is not the one that comes next, and is dropped.
    virtual bool accepts(Message& message, std::uint32_t index) = 0;
};

}  // namespace railyard::model
