#include "launch/links/handshake.hpp"

#include <algorithm>
#include <utility>

namespace railyard::links {

namespace {

constexpr std::string_view caller_role = "caller";
constexpr std::string_view door_role = "door";

std::string_view text_of(const Secret::Bytes& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string random_number(std::size_t size) {
    std::string number(size, '\0');
    fill_at_random({reinterpret_cast<std::uint8_t*>(number.data()), size});
    return number;
}

}  // namespace

Handshake::Handshake(const Secret& secret, Side side)
    : secret_(secret), side_(side), own_(random_number(number_size)) {
    if (side_ == Side::door) output_ = std::string(greeting) + own_;
}

std::string Handshake::take_output() {
    return std::exchange(output_, {});
}

std::size_t Handshake::expected() const {
    const std::size_t hello = greeting.size() + number_size;
    if (side_ == Side::door) return hello + Secret::size;
    return theirs_.empty() ? hello : Secret::size;
}

Handshake::State Handshake::feed(std::string_view& piece) {
    while (state_ == State::going && !piece.empty()) {
        const std::size_t step = std::min(expected() - input_.size(), piece.size());
        input_.append(piece.substr(0, step));
        piece.remove_prefix(step);
        // Somebody who speaks of something else is not waited for.
        const std::string_view start = std::string_view(input_).substr(0, greeting.size());
        if (theirs_.empty() && !greeting.starts_with(start)) state_ = State::refused;
        if (state_ != State::going || input_.size() < expected()) continue;
        const std::string whole = std::exchange(input_, {});
        if (theirs_.empty()) {
            theirs_ = whole.substr(greeting.size(), number_size);
            if (side_ == Side::door)
                take_proof(std::string_view(whole).substr(greeting.size() + number_size),
                           caller_role);
            else
                output_ = std::string(greeting) + own_ + sign(caller_role);
        } else {
            take_proof(whole, door_role);
        }
    }
    return state_;
}

void Handshake::take_proof(std::string_view proof, std::string_view role) {
    if (!same(secret_.sign({role, door_number(), caller_number()}), proof)) {
        state_ = State::refused;
        return;
    }
    if (side_ == Side::door) output_ = sign(door_role);
    keys_ = {secret_.sign({"to door", door_number(), caller_number()}),
             secret_.sign({"to caller", door_number(), caller_number()})};
    state_ = State::done;
}

std::string_view Handshake::door_number() const {
    return side_ == Side::door ? own_ : theirs_;
}

std::string_view Handshake::caller_number() const {
    return side_ == Side::door ? theirs_ : own_;
}

std::string Handshake::sign(std::string_view role) const {
    return std::string(text_of(secret_.sign({role, door_number(), caller_number()})));
}

}  // namespace railyard::links
