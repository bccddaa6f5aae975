#include "launch/tls/secret.hpp"

#include <fmt/format.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <set>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::tls {

namespace {

constexpr std::size_t bits_a_digit = 4;
/// Of 32 random digits fewer than eight different ones are as likely as one in 20 million.
constexpr std::size_t least_different_digits = 8;

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

UsageError weak(const std::string& why) {
    return UsageError(fmt::format(
        "a secret has at least {} random bits, {} hex digits, and this one {}: `railyard secret` "
        "makes a good one",
        Secret::least_bits, Secret::least_bits / bits_a_digit, why));
}

}  // namespace

Secret Secret::make() {
    Secret secret(usual_bits / 8);
    for (std::span<std::uint8_t> rest = secret.bytes_; !rest.empty();) {
        const ssize_t n = ::getrandom(rest.data(), rest.size(), 0);
        if (n > 0)
            rest = rest.subspan(static_cast<std::size_t>(n));
        else if (errno != EINTR)
            throw system_error("cannot get random numbers");
    }
    return secret;
}

Secret Secret::parse(std::string_view text) {
    text = trim(text);
    std::set<int> different;
    for (const char c : text)
        different.insert(digit(c));
    if (different.contains(-1)) throw weak("has characters that are none");
    if (text.size() * bits_a_digit < least_bits) throw weak(fmt::format("has {}", text.size()));
    if (different.size() < least_different_digits)
        throw weak(fmt::format("has only {} different ones", different.size()));
    if (text.size() % 2 != 0) throw UsageError("a secret has an even number of hex digits");
    Secret secret(text.size() / 2);
    for (std::size_t i = 0; i < secret.bytes_.size(); ++i)
        secret.bytes_[i] =
            static_cast<std::uint8_t>(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
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
    try {
        return parse(std::string(std::istreambuf_iterator<char>(in), {}));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
    }
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

}  // namespace railyard::tls
