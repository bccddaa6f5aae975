#include "interconnects/quadrics/elan/frames.hpp"

#include <fmt/format.h>

#include "railyard/base/error.hpp"

namespace railyard::elan {

Frame Frames::take(Home home) {
    std::vector<Frame>& free = free_[static_cast<std::size_t>(home)];
    if (!free.empty()) {
        const Frame frame = free.back();
        free.pop_back();
        return frame;
    }
    if (home == Home::sdram && sdrams_ == sdram_pages_)
        throw Error(
            fmt::format("the adapter's memory of {} pages is full; place large buffers in "
                        "main memory",
                        sdram_pages_));
    contents_.push_back(std::make_unique<Content>());
    std::byte* const bytes = contents_.back()->data();
    return {home, home == Home::sdram ? page_size * sdrams_++ : next_main(), bytes};
}

void Frames::give_back(const Frame& frame) {
    free_[static_cast<std::size_t>(frame.home)].push_back(frame);
}

}  // namespace railyard::elan
