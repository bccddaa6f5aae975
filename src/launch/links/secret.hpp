#pragma once
/// What the processes of one job know and nobody else does: by it they recognise each other.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace railyard::links {

class Secret {
  public:
    static constexpr std::size_t size = 32;
    /// The fewest characters that people's own words need: what is shorter can be guessed.
    static constexpr std::size_t least_characters = 16;

    using Bytes = std::array<std::uint8_t, size>;

    /// A fresh one, from the system's generator. Throws Error.
    static Secret make();
    /// One that people agreed on, of any words. Throws UsageError if there are too few.
    static Secret of_words(std::string_view words);
    /// Of the words in a file that nobody else may read. Throws UsageError.
    static Secret of_file(const std::filesystem::path& file);
    /// What hex() gave.
    static std::optional<Secret> parse(std::string_view hex);

    Secret(const Secret&) = default;
    Secret& operator=(const Secret&) = default;
    ~Secret();

    std::string hex() const;

    /// HMAC-SHA-256 under this secret of all parts, one behind the other.
    Bytes sign(std::initializer_list<std::string_view> parts) const;

  private:
    Secret() = default;
    Bytes bytes_{};
};

/// Whether the two are the same, in a time that does not tell where they differ.
bool same(const Secret::Bytes& a, std::string_view b);

/// Bytes that nobody can foresee. Throws Error.
void fill_at_random(std::span<std::uint8_t> bytes);

}  // namespace railyard::links
