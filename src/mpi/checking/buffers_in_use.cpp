#include "mpi/checking/buffers_in_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "mpi/checking/findings.hpp"

namespace railyard::mpi::checking {

namespace {

constexpr std::size_t most_overlaps = 10;

std::uint64_t sum_of_bytes(std::span<const std::byte> bytes) {
    std::uint64_t sum = bytes.size();
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, 8);
        sum = (sum ^ word) * 0x9e3779b97f4a7c15;
        sum ^= sum >> 29;
    }
    for (; at < bytes.size(); ++at)
        sum = (sum ^ static_cast<std::uint64_t>(bytes[at])) * 0x100000001b3;
    return sum;
}

}  // namespace

std::uint64_t UserData::sum() const {
    if (!is_there()) return 0;
    if (type->is_dense()) return sum_of_bytes({type->dense_data(address), bytes()});
    const auto packed = std::make_unique_for_overwrite<std::byte[]>(bytes());
    type->pack(address, count, 0, {packed.get(), bytes()});
    return sum_of_bytes({packed.get(), bytes()});
}

/// One thread learns from a call that a request is complete, and that has been seen. Of several,
/// one may learn it from another, so what counts is whether it is.
bool BuffersInUse::is_over(const Use& use) {
    const RequestState state = objects_.request_state(use.handle);
    return objects_.has_many_threads() ? state != RequestState::pending
                                       : state == RequestState::none;
}

void BuffersInUse::add(int handle, const UserData& data, bool is_send, const std::string& call) {
    if (!data.is_there() || !data.type->is_dense()) return;
    const std::byte* const begin = data.type->dense_data(data.address);
    const std::byte* const end = begin + data.bytes();
    const auto reach = reinterpret_cast<std::uintptr_t>(begin);
    auto near = uses_.lower_bound(begin - std::min<std::uintptr_t>(reach, longest_));
    while (near != uses_.end() && near->first < end) {
        const Use& other = near->second;
        if (other.handle != handle && is_over(other)) {
            near = uses_.erase(near);
            continue;
        }
        if (other.handle != handle && other.end > begin && !(is_send && other.is_send)) {
            if (told_++ < most_overlaps)
                warn(objects_.process(),
                     fmt::format("buffers overlap: {} is given memory that {} still uses", call,
                                 other.call));
            break;
        }
        ++near;
    }
    longest_ = std::max(longest_, data.bytes());
    uses_.emplace(begin, Use{end, handle, is_send, call});
}

void BuffersInUse::remove(int handle, const UserData& data) {
    if (!data.is_there() || !data.type->is_dense()) return;
    const auto [first, last] = uses_.equal_range(data.type->dense_data(data.address));
    const auto found =
        std::find_if(first, last, [&](const auto& use) { return use.second.handle == handle; });
    if (found != last) uses_.erase(found);
}

}  // namespace railyard::mpi::checking
