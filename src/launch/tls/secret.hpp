#pragma once
/// What both ends of a link know and nobody else does: by it they recognise each other.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::tls {

class Secret {
  public:
    /// What make() makes, and the least that is taken: less can be found out by trying.
    static constexpr std::size_t usual_bits = 256;
    static constexpr std::size_t least_bits = 128;

    /// A fresh one, from the system's generator. Throws Error.
    static Secret make();
    /// One that make() made once, in hex digits; blanks around it do not count. Throws UsageError
    /// for anything that could be guessed: what people think of themselves is not random enough.
    static Secret parse(std::string_view text);
    /// The same, from a file that nobody else may read. Throws UsageError.
    static Secret of_file(const std::filesystem::path& file);

    Secret(const Secret&) = default;
    Secret& operator=(const Secret&) = default;
    ~Secret();

    std::string hex() const;
    std::span<const std::uint8_t> bytes() const { return bytes_; }

  private:
    explicit Secret(std::size_t size) : bytes_(size) {}
    std::vector<std::uint8_t> bytes_;
};

}  // namespace railyard::tls
