#pragma once
/// Keeps the board of one host in step with those of the others: tells them what ranks do here, and
/// does here what they tell.
///
/// A fence is told once a host, when all its ranks have entered: the others' boards then count all
/// of them. Whoever passes messages on keeps their order, so a fence never overtakes what was put
/// before it, nor another fence. Ranks here pass a fence by their own board, and may have ended
/// before it is told: that they have left is told behind it.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "launch/job/board.hpp"
#include "launch/job/frames.hpp"
#include "launch/peers/messages.hpp"

namespace railyard::peers {

class BoardRelay {
  public:
    using Tell = std::function<void(Message kind, std::string text)>;

    /// Says on the board which node each rank is on.
    BoardRelay(job::Board board, fabric::NodeId here, std::vector<fabric::NodeId> nodes, Tell tell);

    /// A frame of kind `put` or `fence`, of a rank that is here.
    void on_frame(int rank, job::FrameKind kind, std::string_view payload);
    void on_leave(int rank);

    /// A message of kind `put`, `fence` or `left`. Throws Error if it makes no sense.
    void on_message(Message kind, std::string_view text);

  private:
    bool is_elsewhere(std::uint32_t rank) const;
    void tell_fences();
    void tell_leaves();

    job::Board board_;
    fabric::NodeId here_;
    std::vector<fabric::NodeId> nodes_;
    Tell tell_;
    std::vector<std::uint32_t> fences_;  ///< that each rank here has entered
    std::uint32_t fences_told_ = 0;
    std::vector<std::uint32_t> leaving_;  ///< ranks here that have ended, and nobody was told yet
};

}  // namespace railyard::peers
