#pragma once
/// Where an address of this process's code is: file, function and offset, as far as the file has
/// symbols. With system calls alone, and memory that is there already, so that a signal handler may
/// ask after anything has gone wrong.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace railyard {

struct CodePlace {
    std::array<char, 256> file{};      ///< empty: no file is there
    std::array<char, 256> function{};  ///< as the linker knows it; empty: no symbol
    std::uint64_t in_file = 0;         ///< what addr2line -e takes
    std::uint64_t in_function = 0;
};

/// To be called where nothing else may fail: finds as much as it can.
CodePlace find_code_place(std::uintptr_t address);

/// Text in a row, for one write at the end; what does not fit is left out.
template <std::size_t size>
class FixedText {
  public:
    FixedText& operator<<(std::string_view text) {
        for (const char c : text)
            if (length_ < size) text_[length_++] = c;
        return *this;
    }
    FixedText& number(std::uint64_t value, unsigned base = 10) {
        char digits[20];
        std::size_t n = 0;
        do {
            digits[n++] = "0123456789abcdef"[value % base];
            value /= base;
        } while (value != 0 && n < sizeof digits);
        while (n > 0)
            *this << std::string_view(&digits[--n], 1);
        return *this;
    }
    std::string_view view() const { return {text_.data(), length_}; }

  private:
    std::array<char, size> text_{};
    std::size_t length_ = 0;
};

}  // namespace railyard
