#pragma once
/// Where frames that came in part wait for their rest. Lent for as long as that takes, so that idle
/// connections hold none; kept for the next, so that a busy Nic does not allocate.

#include <array>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "interconnects/real/iwarp/mpa.hpp"

namespace railyard::iwarp {

class StagingPool {
  public:
    using Buffer = std::array<std::byte, mpa::longest_frame>;
    using Handle = std::unique_ptr<Buffer>;

    Handle take() {
        if (spare_.empty()) return Handle(new Buffer);  // bytes are written before they are read
        Handle buffer = std::move(spare_.back());
        spare_.pop_back();
        return buffer;
    }
    void give_back(Handle buffer) {
        if (buffer && spare_.size() < most_spare) spare_.push_back(std::move(buffer));
    }
    std::size_t spare() const { return spare_.size(); }

  private:
    static constexpr std::size_t most_spare = 16;
    std::vector<Handle> spare_;
};

}  // namespace railyard::iwarp
