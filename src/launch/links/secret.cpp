#include "launch/links/secret.hpp"

#include <fmt/format.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <iterator>

#include "railyard/base/error.hpp"

namespace railyard::links {

namespace {

const std::uint8_t* bytes_of(std::string_view text) {
    return reinterpret_cast<const std::uint8_t*>(text.data());
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blanks = " \t\r\n";
    const auto start = text.find_first_not_of(blanks);
    if (start == std::string_view::npos) return {};
    return text.substr(start, text.find_last_not_of(blanks) - start + 1);
}

}  // namespace

void fill_at_random(std::span<std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t n = ::getrandom(bytes.data(), bytes.size(), 0);
        if (n > 0)
            bytes = bytes.subspan(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            throw system_error("cannot get random numbers");
    }
}

Secret Secret::make() {
    Secret secret;
    fill_at_random(secret.bytes_);
    return secret;
}

Secret Secret::of_words(std::string_view words) {
    words = trimmed(words);
    if (words.size() < least_characters)
        throw UsageError(
            fmt::format("a secret has at least {} characters, and this one {}; "
                        "`openssl rand -hex 32` makes a good one",
                        least_characters, words.size()));
    Secret secret;
    sha256_ctx hash;
    sha256_init(&hash);
    sha256_update(&hash, words.size(), bytes_of(words));
    sha256_digest(&hash, size, secret.bytes_.data());
    return secret;
}

Secret Secret::of_file(const std::filesystem::path& file) {
    struct stat status {};
    std::ifstream in(file);
    if (!in || ::stat(file.c_str(), &status) != 0)
        throw UsageError(fmt::format("cannot read the secret in {}", file.string()));
    if ((status.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        throw UsageError(fmt::format("{}: others may read this secret; see `chmod 600 {}`",
                                     file.string(), file.string()));
    return of_words(std::string(std::istreambuf_iterator<char>(in), {}));
}

std::optional<Secret> Secret::parse(std::string_view hex) {
    if (hex.size() != 2 * size) return std::nullopt;
    Secret secret;
    for (std::size_t i = 0; i < size; ++i) {
        const int high = digit(hex[2 * i]);
        const int low = digit(hex[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        secret.bytes_[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return secret;
}

Secret::~Secret() {
    ::explicit_bzero(bytes_.data(), bytes_.size());
}

std::string Secret::hex() const {
    std::string text;
    for (const std::uint8_t byte : bytes_)
        text += fmt::format("{:02x}", byte);
    return text;
}

Secret::Bytes Secret::sign(std::initializer_list<std::string_view> parts) const {
    hmac_sha256_ctx state;
    hmac_sha256_set_key(&state, bytes_.size(), bytes_.data());
    for (const std::string_view part : parts)
        hmac_sha256_update(&state, part.size(), bytes_of(part));
    Bytes signature;
    hmac_sha256_digest(&state, signature.size(), signature.data());
    return signature;
}

bool same(const Secret::Bytes& a, std::string_view b) {
    return a.size() == b.size() && memeql_sec(a.data(), b.data(), a.size()) != 0;
}

}  // namespace railyard::links
