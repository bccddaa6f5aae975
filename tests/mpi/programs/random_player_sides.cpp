// The sending and the receiving side of a message, each by any of MPI's ways.

#include "mpi/programs/random_player.hpp"

namespace railyard::mpi::programs {

Player::Open Player::open_send(const PlannedMessage& message, SendWay way) {
    const Layout layout = message.out_layout();
    std::byte* const buffer = arena_.take(layout.span_of(message.elements));
    layout.fill(buffer, message.elements, message.id);
    return {MPI_REQUEST_NULL, &message, true, way == SendWay::persistent, buffer, layout.make()};
}

MPI_Request Player::init_send(const Open& open) const {
    const PlannedMessage& message = *open.message;
    const auto init = [&](auto call) {
        MPI_Request request;
        call(open.buffer, count_of(message), open.type, rank_in(message, message.to), message.tag,
             comm_of(message), &request);
        return request;
    };
    if (open.is_persistent) switch (message.mode) {
            case SendMode::standard:
                return init(MPI_Send_init);
            case SendMode::synchronous:
                return init(MPI_Ssend_init);
            case SendMode::buffered:
                return init(MPI_Bsend_init);
            case SendMode::ready:
                return init(MPI_Rsend_init);
        }
    switch (message.mode) {
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

void Player::send(const PlannedMessage& message) {
    Open open = open_send(message, message.send_way);
    if (message.send_way == SendWay::immediate || message.times == 1) {
        if (message.send_way != SendWay::blocking) {
            open.request = init_send(open);
            if (open.is_persistent) MPI_Start(&open.request);
            opens_.push_back(open);
            return;
        }
    }
    if (open.is_persistent) open.request = init_send(open);
    for (int time = 0; time < message.times; ++time) {
        const auto pattern = message.id + 0x10000 * static_cast<std::uint64_t>(time);
        message.out_layout().fill(open.buffer, message.elements, pattern);
        send_once(open, time);
    }
    if (open.is_persistent) MPI_Request_free(&open.request);
    Layout::done(open.type);
}

/// One of several times, waited for.
void Player::send_once(Open open, int time) {
    const PlannedMessage& message = *open.message;
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
        function(open.buffer, count_of(message), open.type, rank_in(message, message.to),
                 message.tag, comm_of(message));
    };
    switch (message.mode) {
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

Player::Open Player::open_receive(const PlannedMessage& message) {
    const Layout layout = message.in_layout();
    Open open{MPI_REQUEST_NULL,
              &message,
              false,
              message.receive_way == ReceiveWay::persistent,
              arena_.take(layout.span_of(message.room)),
              layout.make()};
    if (open.is_persistent) {
        MPI_Recv_init(open.buffer, room_of(message), open.type, source_of(message), tag_of(message),
                      comm_of(message), &open.request);
        MPI_Start(&open.request);
    } else {
        MPI_Irecv(open.buffer, room_of(message), open.type, source_of(message), tag_of(message),
                  comm_of(message), &open.request);
    }
    return open;
}

void Player::receive(const PlannedMessage& message) {
    const ReceiveWay way = message.receive_way;
    if (way == ReceiveWay::posted_ahead) {
        // They stand in the order of events. Who waited for it before might wait forever.
        opens_.push_back(ahead_.front());
        ahead_.pop_front();
        return;
    }
    if (way == ReceiveWay::immediate || (way == ReceiveWay::persistent && message.times == 1)) {
        opens_.push_back(open_receive(message));
        return;
    }
    if (way == ReceiveWay::persistent) return receive_persistent(message);
    for (int time = 0; time < message.times; ++time) {
        if (way == ReceiveWay::probed)
            receive_probed(message, time);
        else if (way == ReceiveWay::matched)
            receive_matched(message, time);
        else
            receive_blocking(message, time);
    }
}

void Player::receive_persistent(const PlannedMessage& message) {
    Open open = open_receive(message);
    for (int time = 0; time < message.times; ++time) {
        if (time > 0) MPI_Start(&open.request);
        MPI_Status status;
        int flag = 0;
        if (time % 2 == 0)
            MPI_Wait(&open.request, &status);
        else
            while (flag == 0)
                MPI_Test(&open.request, &flag, &status);
        check_status(message, status, open.type);
        check_data(message, open.buffer, time);
    }
    MPI_Request_free(&open.request);
    Layout::done(open.type);
}

void Player::receive_blocking(const PlannedMessage& message, int time) {
    const Layout layout = message.in_layout();
    std::byte* const buffer = arena_.take(layout.span_of(message.room));
    MPI_Datatype type = layout.make();
    MPI_Status status;
    MPI_Recv(buffer, room_of(message), type, source_of(message), tag_of(message), comm_of(message),
             &status);
    check_status(message, status, type);
    check_data(message, buffer, time);
    Layout::done(type);
}

void Player::receive_probed(const PlannedMessage& message, int time) {
    MPI_Datatype type = message.in_layout().make();
    MPI_Status status;
    int flag = 0;
    if (random_.below(2) == 0)
        MPI_Probe(source_of(message), tag_of(message), comm_of(message), &status);
    else
        while (flag == 0)
            MPI_Iprobe(source_of(message), tag_of(message), comm_of(message), &flag, &status);
    check_status(message, status, type);
    Layout::done(type);
    receive_blocking(message, time);
}

void Player::receive_matched(const PlannedMessage& message, int time) {
    const Layout layout = message.in_layout();
    std::byte* const buffer = arena_.take(layout.span_of(message.room));
    MPI_Datatype type = layout.make();
    MPI_Message handle = MPI_MESSAGE_NULL;
    MPI_Status status;
    int flag = 0;
    if (random_.below(2) == 0)
        MPI_Mprobe(source_of(message), tag_of(message), comm_of(message), &handle, &status);
    else
        while (flag == 0)
            MPI_Improbe(source_of(message), tag_of(message), comm_of(message), &flag, &handle,
                        &status);
    check_status(message, status, type);
    if (random_.below(2) == 0) {
        MPI_Mrecv(buffer, room_of(message), type, &handle, &status);
    } else {
        MPI_Request request;
        MPI_Imrecv(buffer, room_of(message), type, &handle, &request);
        MPI_Wait(&request, &status);
    }
    require(handle == MPI_MESSAGE_NULL, "a received message is not null");
    check_status(message, status, type);
    check_data(message, buffer, time);
    Layout::done(type);
}

}  // namespace railyard::mpi::programs
