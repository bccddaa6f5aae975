#include "launch/managers/values.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace railyard::managers {

namespace {

void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
    const auto size = static_cast<std::uint32_t>(bytes.size());
    const auto size_bytes = std::as_bytes(std::span(&size, 1));
    to.insert(to.end(), size_bytes.begin(), size_bytes.end());
    to.insert(to.end(), bytes.begin(), bytes.end());
}

std::optional<std::span<const std::byte>> take(std::span<const std::byte>& from) {
    std::uint32_t size = 0;
    if (from.size() < sizeof size) return std::nullopt;
    std::memcpy(&size, from.data(), sizeof size);
    from = from.subspan(sizeof size);
    if (from.size() < size) return std::nullopt;
    const auto taken = from.first(size);
    from = from.subspan(size);
    return taken;
}

}  // namespace

std::vector<std::byte> pack(const NamedValues& values) {
    std::vector<std::byte> bytes;
    for (const auto& [name, value] : values) {
        append(bytes, std::as_bytes(std::span(name)));
        append(bytes, value);
    }
    return bytes;
}

std::optional<NamedValues> unpack(std::span<const std::byte> bytes) {
    NamedValues values;
    while (!bytes.empty()) {
        const auto name = take(bytes);
        const auto value = name ? take(bytes) : std::nullopt;
        if (!value) return std::nullopt;
        values.emplace(std::string(reinterpret_cast<const char*>(name->data()), name->size()),
                       std::vector<std::byte>(value->begin(), value->end()));
    }
    return values;
}

}  // namespace railyard::managers
