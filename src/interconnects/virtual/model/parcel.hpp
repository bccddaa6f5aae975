#pragma once
/// What Traffic keeps of a message, for its own files: traffic.cpp and arrival.cpp.

#include "interconnects/virtual/model/traffic.hpp"

namespace railyard::model {

inline bool asks_for_answer(virtual_time::Kind kind) {
    return kind == virtual_time::Kind::read_request || kind == virtual_time::Kind::atomic_request;
}

/// A message on its way, from carry() until it is in memory and that has been told.
struct Traffic::Parcel final : Message {
    void retired() override {
        left_lane = true;
        stage = Stage::gone;
        if (told) traffic->give_back(*this);
    }

    Traffic* traffic = nullptr;
    virtual_time::Kind kind = virtual_time::Kind::control;
    virtual_time::End from;
    virtual_time::End to;
    Node* source = nullptr;
    Node* target = nullptr;
    Duration fetch;  ///< of data that the send engine waits for
    enum class Stage : std::uint8_t { engine, lane, gone };
    Stage stage = Stage::gone;
    bool recalled = false;  ///< and so does not go to the lane
    bool takes_receive = false;
    bool delivered_to_memory = false;
    bool left_lane = false;
    bool told = false;  ///< `placed` has run
    sim::Action arrived;
    sim::Action placed;
};

}  // namespace railyard::model
