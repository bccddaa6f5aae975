#pragma once
/// What happened to each remote DMA, step by step: the thirteen of the figure that shows one's way.

#include <cstdint>
#include <string_view>
#include <vector>

#include "interconnects/quadrics/elan/descriptor.hpp"
#include "railyard/base/time.hpp"

namespace railyard::elan {

enum class Step : std::uint8_t {
    none,
    write_descriptor,   ///< 1: the process, into Elan memory
    give_command,       ///< 2: its address, to the command processor
    check,              ///< 3
    enqueue,            ///< 4
    transfer,           ///< 5: the DMA engine
    notify_engine,      ///< 6: the remote inputter, at the end
    acknowledge,        ///< 7: to the inputter of the source
    source_event,       ///< 8
    source_copy,        ///< 9: its block copy
    source_seen,        ///< 10: in main memory
    destination_event,  ///< 11
    destination_copy,   ///< 12
    destination_seen,   ///< 13
};

/// In a few words.
std::string_view name(Step step);

/// Kept where somebody asks for it (Machine::keep_journal).
struct Journal {
    struct Line {
        Time at;
        elite::NodeId node = 0;
        Step step = Step::none;
        DmaId dma = 0;
    };
    std::vector<Line> lines;
};

}  // namespace railyard::elan
