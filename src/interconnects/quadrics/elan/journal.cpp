#include "interconnects/quadrics/elan/journal.hpp"

#include <array>

namespace railyard::elan {

std::string_view name(Step step) {
    static constexpr std::array<std::string_view, 14> names = {
        "",
        "the process writes the descriptor into Elan memory",
        "it gives its address to the command processor",
        "the command processor checks it",
        "and puts it on the DMA queue",
        "the DMA engine carries it out",
        "the remote inputter tells its DMA engine",
        "which acknowledges to the source",
        "the source event is set",
        "its block is copied",
        "and seen in main memory",
        "the destination event is set",
        "its block is copied",
        "and seen in main memory"};
    return names[static_cast<std::size_t>(step)];
}

}  // namespace railyard::elan
