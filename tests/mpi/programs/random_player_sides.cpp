// The sending and the receiving side of a letter, each by any of MPI's ways.

#include "mpi/programs/random_player.hpp"

namespace railyard::mpi::programs {

Player::Open Player::open_send(const Letter& letter, SendWay way) {
    const Layout layout = letter.out_layout();
    std::byte* const buffer = arena_.take(layout.span_of(letter.elements));
    layout.fill(buffer, letter.elements, letter.id);
    return {MPI_REQUEST_NULL, &letter, true, way == SendWay::persistent, buffer, layout.make()};
}

MPI_Request Player::init_send(const Open& open) const {
    const Letter& letter = *open.letter;
    const auto init = [&](auto call) {
        MPI_Request request;
        call(open.buffer, count_of(letter), open.type, rank_in(letter, letter.to), letter.tag,
             comm_of(letter), &request);
        return request;
    };
    if (open.is_persistent) switch (letter.mode) {
            case SendMode::standard:
                return init(MPI_Send_init);
            case SendMode::synchronous:
                return init(MPI_Ssend_init);
            case SendMode::buffered:
                return init(MPI_Bsend_init);
            case SendMode::ready:
                return init(MPI_Rsend_init);
        }
    switch (letter.mode) {
        case SendMode::standard:
            return init(MPI_Isend);
        case SendMode::synchronous:
            return init(MPI_Issend);
        case SendMode::buffered:
            return init(MPI_Ibsend);
        case SendMode::ready:
            return init(MPI_Irsend);
    }
    return MPI_REQUEST_NULL;
}

void Player::send(const Letter& letter) {
    Open open = open_send(letter, letter.send_way);
    if (letter.send_way == SendWay::immediate || letter.times == 1) {
        if (letter.send_way != SendWay::blocking) {
            open.request = init_send(open);
            if (open.is_persistent) MPI_Start(&open.request);
            opens_.push_back(open);
            return;
        }
    }
    if (open.is_persistent) open.request = init_send(open);
    for (int time = 0; time < letter.times; ++time) {
        const auto pattern = letter.id + 0x10000 * static_cast<std::uint64_t>(time);
        letter.out_layout().fill(open.buffer, letter.elements, pattern);
        send_once(open, time);
    }
    if (open.is_persistent) MPI_Request_free(&open.request);
    Layout::done(open.type);
}

/// One of several times, waited for.
void Player::send_once(Open open, int time) {
    const Letter& letter = *open.letter;
    if (open.is_persistent) {
        if (time % 2 == 0)
            MPI_Start(&open.request);
        else
            MPI_Startall(1, &open.request);
        MPI_Wait(&open.request, MPI_STATUS_IGNORE);
        require(open.request != MPI_REQUEST_NULL, "a persistent request went away");
        return;
    }
    const auto call = [&](auto function) {
        function(open.buffer, count_of(letter), open.type, rank_in(letter, letter.to), letter.tag,
                 comm_of(letter));
    };
    switch (letter.mode) {
        case SendMode::standard:
            return call(MPI_Send);
        case SendMode::synchronous:
            return call(MPI_Ssend);
        case SendMode::buffered:
            return call(MPI_Bsend);
        case SendMode::ready:
            return call(MPI_Rsend);
    }
}

Player::Open Player::open_receive(const Letter& letter) {
    const Layout layout = letter.in_layout();
    Open open{MPI_REQUEST_NULL,
              &letter,
              false,
              letter.receive_way == ReceiveWay::persistent,
              arena_.take(layout.span_of(letter.room)),
              layout.make()};
    if (open.is_persistent) {
        MPI_Recv_init(open.buffer, room_of(letter), open.type, source_of(letter), tag_of(letter),
                      comm_of(letter), &open.request);
        MPI_Start(&open.request);
    } else {
        MPI_Irecv(open.buffer, room_of(letter), open.type, source_of(letter), tag_of(letter),
                  comm_of(letter), &open.request);
    }
    return open;
}

void Player::receive(const Letter& letter) {
    const ReceiveWay way = letter.receive_way;
    if (way == ReceiveWay::posted_ahead) {
        // They stand in the order of events. Who waited for it before might wait forever.
        opens_.push_back(ahead_.front());
        ahead_.pop_front();
        return;
    }
    if (way == ReceiveWay::immediate || (way == ReceiveWay::persistent && letter.times == 1)) {
        opens_.push_back(open_receive(letter));
        return;
    }
    if (way == ReceiveWay::persistent) return receive_persistent(letter);
    for (int time = 0; time < letter.times; ++time) {
        if (way == ReceiveWay::probed)
            receive_probed(letter, time);
        else if (way == ReceiveWay::matched)
            receive_matched(letter, time);
        else
            receive_blocking(letter, time);
    }
}

void Player::receive_persistent(const Letter& letter) {
    Open open = open_receive(letter);
    for (int time = 0; time < letter.times; ++time) {
        if (time > 0) MPI_Start(&open.request);
        MPI_Status status;
        int flag = 0;
        if (time % 2 == 0)
            MPI_Wait(&open.request, &status);
        else
            while (flag == 0)
                MPI_Test(&open.request, &flag, &status);
        check_status(letter, status, open.type);
        check_data(letter, open.buffer, time);
    }
    MPI_Request_free(&open.request);
    Layout::done(open.type);
}

void Player::receive_blocking(const Letter& letter, int time) {
    const Layout layout = letter.in_layout();
    std::byte* const buffer = arena_.take(layout.span_of(letter.room));
    MPI_Datatype type = layout.make();
    MPI_Status status;
    MPI_Recv(buffer, room_of(letter), type, source_of(letter), tag_of(letter), comm_of(letter),
             &status);
    check_status(letter, status, type);
    check_data(letter, buffer, time);
    Layout::done(type);
}

void Player::receive_probed(const Letter& letter, int time) {
    MPI_Datatype type = letter.in_layout().make();
    MPI_Status status;
    int flag = 0;
    if (random_.below(2) == 0)
        MPI_Probe(source_of(letter), tag_of(letter), comm_of(letter), &status);
    else
        while (flag == 0)
            MPI_Iprobe(source_of(letter), tag_of(letter), comm_of(letter), &flag, &status);
    check_status(letter, status, type);
    Layout::done(type);
    receive_blocking(letter, time);
}

void Player::receive_matched(const Letter& letter, int time) {
    const Layout layout = letter.in_layout();
    std::byte* const buffer = arena_.take(layout.span_of(letter.room));
    MPI_Datatype type = layout.make();
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0;
    if (random_.below(2) == 0)
        MPI_Mprobe(source_of(letter), tag_of(letter), comm_of(letter), &message, &status);
    else
        while (flag == 0)
            MPI_Improbe(source_of(letter), tag_of(letter), comm_of(letter), &flag, &message,
                        &status);
    check_status(letter, status, type);
    if (random_.below(2) == 0) {
        MPI_Mrecv(buffer, room_of(letter), type, &message, &status);
    } else {
        MPI_Request request;
        MPI_Imrecv(buffer, room_of(letter), type, &message, &request);
        MPI_Wait(&request, &status);
    }
    require(message == MPI_MESSAGE_NULL, "a received message is not null");
    check_status(letter, status, type);
    check_data(letter, buffer, time);
    Layout::done(type);
}

}  // namespace railyard::mpi::programs
