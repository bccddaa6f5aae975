#include "interconnects/real/iwarp/meeting.hpp"

namespace railyard::iwarp {

Meeting::Step Meeting::want() {
    if (state_ == State::held) return connect_by(false);
    if (state_ != State::idle) return Step::nothing;
    state_ = State::asking;
    return Step::connect;
}

Meeting::Step Meeting::asked(const Ask& theirs) {
    switch (state_) {
        case State::idle:
            state_ = State::held;
            return Step::hold_theirs;
        case State::asking:
            return ours_ < theirs ? Step::refuse_theirs : connect_by(false);
        case State::yielding:
            return connect_by(false);
        case State::held:       // asked twice: the first is still good
        case State::connected:  // too late
        case State::failed:
            break;
    }
    return Step::refuse_theirs;
}

void Meeting::withdrawn() {
    if (state_ == State::held) state_ = State::idle;
}

void Meeting::accepted() {
    if (state_ == State::asking) connect_by(true);
}

void Meeting::refused(Hello::Refusal why) {
    if (state_ != State::asking) return;  // given up already
    state_ = why == Hello::Refusal::collision ? State::yielding : State::failed;
}

Meeting::Step Meeting::connect_by(bool own) {
    state_ = State::connected;
    by_own_ask_ = own;
    return own ? Step::nothing : Step::accept_theirs;
}

}  // namespace railyard::iwarp
