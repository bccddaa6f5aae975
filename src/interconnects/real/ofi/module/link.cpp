#include "interconnects/real/ofi/module/link.hpp"

#include <rdma/fi_errno.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/log.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queues.hpp"

namespace railyard::ofi {

namespace {

// Data of up to so many bytes are copied, so that their memory is free at once.
constexpr std::uint64_t copied = 4096;
constexpr std::size_t most_pieces = 8;
constexpr std::size_t most_injected = 512;

void gather(std::byte* to, std::span<const Piece> pieces) {
    for (const Piece& piece : pieces) {
        if (piece.length > 0) std::memcpy(to, piece.data, piece.length);
        to += piece.length;
    }
}

std::uint64_t length_of(std::span<const Piece> pieces) {
    std::uint64_t length = 0;
    for (const Piece& piece : pieces)
        length += piece.length;
    return length;
}

}  // namespace

Device& Link::device() const {
    return port_.device();
}

bool Link::open(Owned<fid_ep> endpoint) {
    own_ = std::move(endpoint);
    endpoint_ = own_.get();
    if (endpoint_ == nullptr) return false;
    nic_.add(*this);
    post_receives();
    return true;
}

bool Link::dial(const NicName& to) {
    if (port_.device().is_shared()) {
        if (!share(to)) return false;
        user_->link_up();
        return true;
    }
    port_.sockets().expect(to.where(port_.number()));
    if (!open(port_.device().open_endpoint(to.where(port_.number()), this))) return false;
    const Greeting greeting{.to = to.id};
    const int error =
        fi_connect(endpoint_, to.where(port_.number()).data(), &greeting, sizeof greeting);
    if (error != 0) log_debug("ofi: connecting: {}", error_text(error));
    return error == 0;
}

bool Link::accept(fi_info& asked) {
    port_.sockets().expect();
    if (!open(port_.device().open_endpoint(asked, this))) return false;
    return fi_accept(endpoint_, nullptr, 0) == 0;
}

void Link::begin(Operation& operation) {
    operation.link = this;
    operation.previous = nullptr;
    operation.next = under_way_;
    if (under_way_ != nullptr) under_way_->previous = &operation;
    under_way_ = &operation;
}

void Link::end(Operation& operation) {
    if (operation.previous != nullptr)
        operation.previous->next = operation.next;
    else
        under_way_ = operation.next;
    if (operation.next != nullptr) operation.next->previous = operation.previous;
}

/// Whether the provider has taken it. What it has no room for is tried again.
bool Link::took(long error) {
    if (error == 0) return true;
    if (error != -FI_EAGAIN) {
        log_debug("ofi: an operation is refused: {}", error_text(error));
        nic_.found_down(*this);
    }
    nic_.stall(*this);
    return false;
}

void Link::post_receives() {
    while (posted_ < receives && !down_ && !is_shared())
        post_receive(port_.buffers().take());
}

void Link::post_receive(Operation& buffer) {
    buffer.type = Operation::Type::receive;
    begin(buffer);
    if (took(fi_recv(endpoint_, buffer.data, port_.device().longest_message(), buffer.descriptor,
                     address_, &buffer.context))) {
        ++posted_;
        return;
    }
    end(buffer);
    port_.buffers().give_back(buffer);
}

bool Link::try_say(Operation& buffer) {
    if (buffer.length <= port_.device().inject_size() && !buffer.tells) {
        if (!took(fi_inject(endpoint_, buffer.data, buffer.length, address_))) return false;
        port_.buffers().give_back(buffer);
        return true;
    }
    begin(buffer);
    if (took(fi_send(endpoint_, buffer.data, buffer.length, buffer.descriptor, address_,
                     &buffer.context)))
        return true;
    end(buffer);
    return false;
}

void Link::say(const Header& header, std::span<const std::byte> data) {
    if (!down_) queue(header, data);
}

void Link::queue(const Header& header, std::span<const std::byte> data, bool tells) {
    Operation& buffer = port_.buffers().take();
    buffer.tells = tells;
    buffer.type = Operation::Type::message;
    buffer.length = sizeof header + data.size();
    Header stamped = header;
    stamp(stamped);
    ++said_;
    std::memcpy(buffer.data, &stamped, sizeof stamped);
    if (!data.empty()) std::memcpy(buffer.data + sizeof header, data.data(), data.size());
    if (!waiting_.empty() || !try_say(buffer)) waiting_.push_back(&buffer);
}

Link::Sent Link::send(const Header& unstamped, std::span<const Piece> pieces, Request& request) {
    if (!waiting_.empty() || down_) return Sent::again;
    Header header = unstamped;
    stamp(header);
    const std::uint64_t length = length_of(pieces);
    const std::size_t whole = sizeof header + length;
    if (whole <= std::min(port_.device().inject_size(), most_injected)) {
        alignas(8) std::array<std::byte, most_injected> message;
        std::memcpy(message.data(), &header, sizeof header);
        gather(message.data() + sizeof header, pieces);
        const bool taken = took(fi_inject(endpoint_, message.data(), whole, address_));
        if (taken) ++said_;
        return taken ? Sent::taken : Sent::again;
    }
    Operation& buffer = port_.buffers().take();
    buffer.type = Operation::Type::message;
    std::memcpy(buffer.data, &header, sizeof header);
    const bool copies =
        length <= copied || pieces.size() + 1 > std::min(port_.device().pieces(), most_pieces);
    std::array<iovec, most_pieces> list;
    std::array<void*, most_pieces> descriptors{};
    std::size_t count = 1;
    list[0] = {buffer.data, copies ? whole : sizeof header};
    descriptors[0] = buffer.descriptor;
    if (copies) {
        gather(buffer.data + sizeof header, pieces);
    } else {
        buffer.request = &request;
        for (const Piece& piece : pieces) {
            list[count] = {piece.data, piece.length};
            descriptors[count++] = nic_.regions().find(piece.region)->descriptor(port_.number());
        }
    }
    begin(buffer);
    if (took(fi_sendv(endpoint_, list.data(), descriptors.data(), count, address_,
                      &buffer.context))) {
        ++said_;
        return copies ? Sent::taken : Sent::under_way;
    }
    end(buffer);
    port_.buffers().give_back(buffer);
    return Sent::again;
}

void Link::up() {
    settled_ = true;
    if (user_ != nullptr)
        user_->link_up();
    else
        nic_.found_down(*this);
}

void Link::down() {
    if (std::exchange(down_, true)) return;
    // Where all share an endpoint the peer counts them, and hears of the end behind them.
    if (!is_shared()) {
        for (Operation* buffer : waiting_)
            port_.buffers().give_back(*buffer);
        waiting_.clear();
    }
    if (user_ != nullptr) user_->link_down();
}

void Link::resume() {
    post_receives();  // first: the peer may have no room before we take something
    while (!waiting_.empty() && try_say(*waiting_.front()))
        waiting_.pop_front();
    if (!waiting_.empty() || down_) return;
    if (user_ != nullptr) user_->link_resumed();
}

void Link::completed(Operation& operation, std::size_t length) {
    end(operation);
    switch (operation.type) {
        case Operation::Type::receive: {
            settled_ = true;
            --posted_;
            operation.length = length;
            const bool kept = deliver(operation);
            if (kept)
                post_receives();
            else if (!down_)
                post_receive(operation);
            else
                port_.buffers().give_back(operation);
            return;
        }
        case Operation::Type::push:
            --pushing_;
            if (operation.request == nullptr && user_ != nullptr)
                user_->link_resumed();  // more may wait for this
            [[fallthrough]];
        case Operation::Type::message:
            if (operation.request != nullptr && user_ != nullptr)
                user_->link_sent(*operation.request);
            break;
        case Operation::Type::move:
            --moving_;
            if (user_ != nullptr && operation.inbound != nullptr)
                user_->link_moved(*operation.inbound);
            break;
        default:  // the peer tells of the end of a landing; tagged ones have no link
            break;
    }
    port_.buffers().give_back(operation);
}

bool Link::deliver(Operation& buffer) {
    if (user_ != nullptr) return user_->link_message(buffer);
    hear_last_words(buffer);
    return false;
}

/// Both sides have ended it: nobody waits for anybody.
void Link::hear_last_words(const Operation& buffer) {
    Header header;
    if (buffer.length < sizeof header) return;
    std::memcpy(&header, buffer.data, sizeof header);
    if (header.kind == Kind::bye || header.kind == Kind::failed) nic_.found_down(*this);
}

void Link::failed(Operation& operation) {
    end(operation);
    if (operation.type == Operation::Type::receive) --posted_;
    if (operation.type == Operation::Type::move) --moving_;
    if (operation.type == Operation::Type::push) --pushing_;
    port_.buffers().give_back(operation);
}

void Link::close_endpoint() {
    down_ = true;
    endpoint_ = nullptr;
    if (own_) port_.device().closing(*own_);
    own_.reset();
}

void Link::recycle() {
    while (under_way_ != nullptr) {
        Operation& operation = *under_way_;
        end(operation);
        port_.buffers().give_back(operation);
    }
    for (const auto* list : {&waiting_, &kept_})
        for (Operation* buffer : *list)
            port_.buffers().give_back(*buffer);
    waiting_.clear();
    kept_.clear();
    for (Operation* buffer : early_)
        port_.buffers().give_back(*buffer);
    early_.clear();
}

void Link::forget(Request& request) {
    for (Operation* operation = under_way_; operation != nullptr; operation = operation->next) {
        if (operation->request != &request) continue;
        operation->request = nullptr;
        // From the first of its pieces to the last, whatever is between.
        const std::byte* first = nullptr;
        const std::byte* last = nullptr;
        for (const Piece& piece : request.list()) {
            if (first == nullptr || piece.data < first) first = piece.data;
            if (last == nullptr || piece.data + piece.length > last)
                last = piece.data + piece.length;
        }
        operation->memory = {first, last};
    }
}

void Link::forget(const Inbound& inbound) {
    bool is_used = false;
    for (Operation* operation = under_way_; operation != nullptr; operation = operation->next)
        if (operation->inbound == &inbound) {
            operation->inbound = nullptr;
            is_used = true;
        }
    // The last byte of a write may still come to lie in it.
    if (is_used)
        kept_.push_back(inbound.buffer);
    else
        port_.buffers().give_back(*inbound.buffer);
}

bool Link::touches(std::span<const std::byte> memory) const {
    for (const Operation* operation = under_way_; operation != nullptr; operation = operation->next)
        if (overlap(operation->memory, memory) ||
            (operation->request != nullptr && operation->request->names(memory)))
            return true;
    return false;
}

std::size_t Link::uses(const LocalRegion& region) const {
    std::size_t uses = 0;
    for (const Operation* operation = under_way_; operation != nullptr;
         operation = operation->next) {
        bool is_one = false;
        if (operation->request != nullptr)
            is_one = operation->request->uses(region);
        else if (operation->region != 0)
            is_one = operation->region == region.number();
        else
            is_one = overlap(operation->memory, region.span());
        uses += is_one ? 1 : 0;
    }
    return uses;
}

}  // namespace railyard::ofi
