#include "launch/peers/board_relay.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/frames.hpp"
#include "railyard/base/error.hpp"

namespace railyard::peers {

BoardRelay::BoardRelay(job::Board board, fabric::NodeId here, std::vector<fabric::NodeId> nodes,
                       Tell tell)
    : board_(board),
      here_(here),
      nodes_(std::move(nodes)),
      tell_(std::move(tell)),
      fences_(nodes_.size()) {
    board_.set_relayed();
    for (std::size_t rank = 0; rank < nodes_.size(); ++rank)
        board_.place(static_cast<int>(rank), nodes_[rank]);
}

void BoardRelay::on_frame(int rank, job::FrameKind kind, std::string_view payload) {
    const auto index = static_cast<std::uint32_t>(rank);
    if (kind == job::FrameKind::fence) {
        ++fences_[index];
        return tell_fences();
    }
    FieldReader fields(payload);
    RankPut put{.rank = index, .key = fields.text(), .value = {}};
    put.value = fields.text();
    tell_(Message::put, put.text());
}

void BoardRelay::tell_fences() {
    std::uint32_t entered_by_all = std::numeric_limits<std::uint32_t>::max();
    for (std::size_t rank = 0; rank < nodes_.size(); ++rank)
        if (nodes_[rank] == here_) entered_by_all = std::min(entered_by_all, fences_[rank]);
    for (; fences_told_ < entered_by_all; ++fences_told_)
        tell_(Message::fence, number_text(here_));
    tell_leaves();
}

void BoardRelay::on_leave(int rank) {
    leaving_.push_back(static_cast<std::uint32_t>(rank));
    tell_leaves();
}

void BoardRelay::tell_leaves() {
    std::erase_if(leaving_, [this](std::uint32_t rank) {
        if (fences_[rank] > fences_told_) return false;
        tell_(Message::left, number_text(rank));
        return true;
    });
}

bool BoardRelay::is_elsewhere(std::uint32_t rank) const {
    return rank < nodes_.size() && nodes_[rank] != here_;
}

void BoardRelay::on_message(Message kind, std::string_view text) {
    const Error senseless("another host says what makes no sense; is it another version?");
    if (kind == Message::put) {
        const auto put = RankPut::parse(text);
        if (!put || !is_elsewhere(put->rank)) throw senseless;
        return board_.put(static_cast<int>(put->rank), put->key,
                          std::as_bytes(std::span(put->value)));
    }
    const auto number = parse_number(text);
    if (!number) throw senseless;
    if (kind == Message::left) {
        if (!is_elsewhere(*number)) throw senseless;
        return board_.leave(static_cast<int>(*number));
    }
    if (kind != Message::fence || *number == here_) throw senseless;
    for (std::size_t rank = 0; rank < nodes_.size(); ++rank)
        if (nodes_[rank] == *number) board_.enter_fence(static_cast<int>(rank));
}

}  // namespace railyard::peers
