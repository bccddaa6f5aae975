#pragma once
/// The way of packets from the memory of one node to that of another, as the list of parts that
/// they pass.

#include <cstddef>
#include <deque>
#include <vector>

#include "base/bytes.hpp"
#include "base/rate.hpp"
#include "base/time.hpp"
#include "interconnects/model/fifo.hpp"

namespace railyard::model {

struct Stage {
    Fifo* fifo = nullptr;
    Rate rate{};               ///< nought: only `fixed`
    Bytes header{};            ///< on top of the payload
    Duration fixed{};          ///< per packet
    Duration rest{};           ///< for which it stays busy after a packet, in nobody's way
    Duration latency{};        ///< from here to the next part; holds up nobody
    std::size_t paced_by = 0;  ///< the stage, this or a later one, whose pace its data have
    Duration full{};           ///< what a full packet takes: set by Route::add

    Duration time(Bytes payload) const {
        return rate == Rate{} ? fixed : (payload + header) / rate + fixed;
    }
};

struct Message;

/// Messages from one lane to one node: they get there in order.
struct Deliveries {
    std::deque<Message*> waiting;  ///< not in memory yet
    Time last_opened;              ///< when the latest may pass the gate
};

struct Route {
    Deliveries* deliveries = nullptr;
    Bytes packet;  ///< payload of a full one
    Bytes block;   ///< payloads are filled up to a multiple of this; nought: they are not
    std::vector<Stage> stages;
    std::size_t link = 0;    ///< the stage whose end frees the packet's place in the adapter
    std::size_t gate = 0;    ///< the first stage at the target: closed until its engine says so
    std::size_t placed = 0;  ///< once the stages before this one are done, the data are in memory;
                             ///< what follows (acknowledgments) nobody waits for
    Duration visible;        ///< ... and so much later they can be seen
    std::uint32_t page_packets = 1;  ///< packets to a page of memory
    bool meets_itself = false;       ///< passes one part twice
    unsigned messages = 0;           ///< under way

    void add(Stage stage) {
        stage.full = stage.time(packet);
        for (const Stage& other : stages)
            meets_itself = meets_itself || other.fifo == stage.fifo;
        stages.push_back(stage);
        // A part that takes no time by the byte lets data through as the next one takes them.
        const std::size_t last = stages.size() - 1;
        stages[last].paced_by = last;
        for (std::size_t i = last; i-- > 0 && stages[i].rate == Rate{};)
            stages[i].paced_by = last;
    }
    /// Does a packet have to be read from memory first?
    bool reads() const { return link > 0; }
};

}  // namespace railyard::model
