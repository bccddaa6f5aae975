#include "launch/links/seal.hpp"

#include <fmt/format.h>
#include <nettle/chacha-poly1305.h>
#include <nettle/memops.h>

#include <algorithm>
#include <array>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::links {

namespace {

static_assert(Secret::size == CHACHA_POLY1305_KEY_SIZE);
constexpr std::size_t header_size = 8;
constexpr std::size_t proof_size = CHACHA_POLY1305_DIGEST_SIZE;

std::uint8_t* raw(char* text) {
    return reinterpret_cast<std::uint8_t*>(text);
}

/// Little-endian, whatever the machine: the two may differ.
void write_number(char* at, std::uint64_t value, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i)
        at[i] = static_cast<char>(value >> (8 * i) & 0xff);
}

std::uint32_t read_number(const char* at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value |= static_cast<std::uint32_t>(static_cast<unsigned char>(at[i])) << (8 * i);
    return value;
}

/// The cipher, ready for the frame of that number, whose header it has taken in.
chacha_poly1305_ctx cipher_for(const Secret::Bytes& key, std::uint64_t count, char* header) {
    chacha_poly1305_ctx cipher;
    std::array<char, CHACHA_POLY1305_NONCE_SIZE> nonce{};
    write_number(nonce.data(), count, sizeof count);
    chacha_poly1305_set_key(&cipher, key.data());
    chacha_poly1305_set_nonce(&cipher, raw(nonce.data()));
    chacha_poly1305_update(&cipher, header_size, raw(header));
    return cipher;
}

}  // namespace

void Sealer::seal(std::uint32_t kind, std::string_view payload, std::string& out) {
    if (payload.size() > longest_frame)
        throw UsageError(fmt::format("a message of {} bytes to another host is too long: {} go",
                                     payload.size(), longest_frame));
    const std::size_t start = out.size();
    out.resize(start + header_size + payload.size() + proof_size);
    char* header = out.data() + start;
    char* body = header + header_size;
    write_number(header, payload.size(), 4);
    write_number(header + 4, kind, 4);
    auto cipher = cipher_for(key_, count_++, header);
    chacha_poly1305_encrypt(&cipher, payload.size(), raw(body),
                            reinterpret_cast<const std::uint8_t*>(payload.data()));
    chacha_poly1305_digest(&cipher, proof_size, raw(body + payload.size()));
}

bool Unsealer::feed(std::string_view piece, const Take& take) {
    while (!is_broken_) {
        std::size_t wanted = header_size;
        if (bytes_.size() >= header_size) {
            const std::size_t length = read_number(bytes_.data());
            is_broken_ = length > longest_frame;
            if (is_broken_) break;
            wanted = header_size + length + proof_size;
        }
        const std::size_t step = std::min(wanted - bytes_.size(), piece.size());
        bytes_.append(piece.substr(0, step));
        piece.remove_prefix(step);
        if (bytes_.size() < wanted) break;
        if (wanted == header_size) continue;  // Now the length is known.
        std::string frame = std::exchange(bytes_, {});
        const std::uint32_t kind = read_number(frame.data() + 4);
        is_broken_ = !open(frame);
        if (is_broken_) break;
        ++count_;
        take(kind, std::move(frame));
    }
    return !is_broken_;
}

bool Unsealer::open(std::string& frame) const {
    const std::size_t length = frame.size() - header_size - proof_size;
    auto cipher = cipher_for(key_, count_, frame.data());
    char* body = frame.data() + header_size;
    chacha_poly1305_decrypt(&cipher, length, raw(body), raw(body));
    std::array<std::uint8_t, proof_size> proof;
    chacha_poly1305_digest(&cipher, proof_size, proof.data());
    if (memeql_sec(proof.data(), body + length, proof_size) == 0) return false;
    frame.erase(header_size + length);
    frame.erase(0, header_size);
    return true;
}

}  // namespace railyard::links
