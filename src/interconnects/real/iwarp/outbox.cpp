#include "interconnects/real/iwarp/outbox.hpp"

#include <cstring>
#include <functional>
#include <utility>

#include "interconnects/real/iwarp/framing.hpp"

namespace railyard::iwarp {

std::byte* Outbox::add(std::size_t n) {
    std::byte* const at = storage_->bytes.data() + bytes_used_;
    bytes_used_ += n;
    end_ += n;
    if (vectors_used_ > first_) {
        iovec& last = storage_->vectors[vectors_used_ - 1];
        if (static_cast<std::byte*>(last.iov_base) + last.iov_len == at) {
            last.iov_len += n;
            return at;
        }
    }
    storage_->vectors[vectors_used_++] = {at, n};
    return at;
}

void Outbox::refer(const std::byte* data, std::size_t n) {
    if (n == 0) return;
    end_ += n;
    storage_->vectors[vectors_used_++] = {const_cast<std::byte*>(data), n};
}

void Outbox::sent(std::size_t n) {
    sent_ += n;
    while (n > 0) {
        iovec& vector = storage_->vectors[first_];
        if (n < vector.iov_len) {
            vector.iov_base = static_cast<std::byte*>(vector.iov_base) + n;
            vector.iov_len -= n;
            return;
        }
        n -= vector.iov_len;
        ++first_;
    }
    if (empty()) start_over();
}

std::byte* Outbox::keep(std::size_t n) {
    const bool usual = n <= mpa::longest_frame;
    if (usual && storage_ != nullptr && storage_->spare)
        copies_.push_back({std::move(storage_->spare), true});
    else
        copies_.push_back(
            {std::make_unique_for_overwrite<std::byte[]>(usual ? mpa::longest_frame : n), usual});
    return copies_.back().bytes.get();
}

void Outbox::start_over() {
    first_ = vectors_used_ = bytes_used_ = 0;
    for (Copy& copy : copies_)
        if (copy.of_usual_size && storage_ != nullptr) storage_->spare = std::move(copy.bytes);
    copies_.clear();
}

void Outbox::detach(std::span<const std::byte> memory) {
    if (storage_ == nullptr) return;
    const std::less<const std::byte*> before;  // a total order, also between objects
    for (std::size_t i = first_; i < vectors_used_; ++i) {
        iovec& vector = storage_->vectors[i];
        const auto* data = static_cast<const std::byte*>(vector.iov_base);
        if (before(data, memory.data()) || !before(data, memory.data() + memory.size())) continue;
        replace(vector);
    }
}

void Outbox::detach_all() {
    if (storage_ == nullptr) return;
    const std::less<const std::byte*> before;
    const std::byte* const own = storage_->bytes.data();
    for (std::size_t i = first_; i < vectors_used_; ++i) {
        iovec& vector = storage_->vectors[i];
        const auto* data = static_cast<const std::byte*>(vector.iov_base);
        if (before(data, own) || !before(data, own + storage_->bytes.size())) replace(vector);
    }
}

void Outbox::replace(iovec& vector) {
    std::byte* const copy = keep(vector.iov_len);
    std::memcpy(copy, vector.iov_base, vector.iov_len);
    vector.iov_base = copy;
}

}  // namespace railyard::iwarp
