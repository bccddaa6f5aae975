#include "interconnects/real/iwarp/crc32c.hpp"

#include <array>
#include <cstring>

#include "interconnects/real/iwarp/big_endian.hpp"

#if defined(__aarch64__)
#include <sys/auxv.h>
#endif

// How the instruction is spelt, and what a function that uses it must be marked with.
#if defined(__aarch64__) && defined(__clang__)
#define RAILYARD_CRC_TARGET __attribute__((target("crc")))
#define RAILYARD_CRC_64(state, word) __builtin_arm_crc32cd(state, word)
#define RAILYARD_CRC_8(state, byte) __builtin_arm_crc32cb(state, byte)
#elif defined(__aarch64__)
#define RAILYARD_CRC_TARGET __attribute__((target("+crc")))
#define RAILYARD_CRC_64(state, word) __builtin_aarch64_crc32cx(state, word)
#define RAILYARD_CRC_8(state, byte) __builtin_aarch64_crc32cb(state, byte)
#elif defined(__x86_64__)
#define RAILYARD_CRC_TARGET __attribute__((target("sse4.2")))
#define RAILYARD_CRC_64(state, word) static_cast<std::uint32_t>(__builtin_ia32_crc32di(state, word))
#define RAILYARD_CRC_8(state, byte) __builtin_ia32_crc32qi(state, byte)
#endif

namespace railyard::iwarp {

namespace {

constexpr std::uint32_t polynomial = 0x82f63b78;  // reflected

using Table = std::array<std::uint32_t, 256>;

/// tables[k][b]: what byte b does to the state when k more bytes of zeros follow it.
constexpr std::array<Table, 8> make_tables() {
    std::array<Table, 8> tables{};
    for (std::uint32_t b = 0; b < 256; ++b) {
        std::uint32_t state = b;
        for (int bit = 0; bit < 8; ++bit)
            state = (state >> 1) ^ ((state & 1) != 0 ? polynomial : 0);
        tables[0][b] = state;
    }
    for (std::size_t k = 1; k < 8; ++k)
        for (std::size_t b = 0; b < 256; ++b)
            tables[k][b] = (tables[k - 1][b] >> 8) ^ tables[0][tables[k - 1][b] & 255];
    return tables;
}
constexpr std::array<Table, 8> tables = make_tables();

constexpr std::uint32_t extend_by_byte(std::uint32_t state, std::uint8_t byte) {
    return (state >> 8) ^ tables[0][(state ^ byte) & 255];
}

}  // namespace

namespace detail {

std::uint32_t crc32c_portable(std::uint32_t state, const std::byte* bytes, std::size_t n) {
    for (; n >= 8; n -= 8, bytes += 8) {
        const auto word = load<std::uint64_t, std::endian::little>(bytes) ^ state;
        state = 0;
        for (std::size_t k = 0; k < 8; ++k)
            state ^= tables[7 - k][(word >> (8 * k)) & 255];
    }
    for (; n > 0; --n, ++bytes)
        state = extend_by_byte(state, load8(bytes));
    return state;
}

#if defined(RAILYARD_CRC_TARGET)

RAILYARD_CRC_TARGET
std::uint32_t crc32c_serial(std::uint32_t state, const std::byte* bytes, std::size_t n) {
    for (; n >= 8; n -= 8, bytes += 8)
        state = RAILYARD_CRC_64(state, (load<std::uint64_t, std::endian::little>(bytes)));
    for (; n > 0; --n, ++bytes)
        state = RAILYARD_CRC_8(state, load8(bytes));
    return state;
}

namespace {

/// What a number of zero bytes does to a state is linear: a matrix, and so four small tables.
class Shift {
  public:
    /// Past 2^`log2_bytes` bytes.
    explicit constexpr Shift(unsigned log2_bytes) {
        std::array<std::uint32_t, 32> matrix{};  // what becomes of each bit of the state
        for (std::size_t bit = 0; bit < 32; ++bit)
            matrix[bit] = extend_by_byte(std::uint32_t{1} << bit, 0);
        for (; log2_bytes > 0; --log2_bytes) {
            std::array<std::uint32_t, 32> twice{};
            for (std::size_t bit = 0; bit < 32; ++bit)
                twice[bit] = product(matrix, matrix[bit]);
            matrix = twice;
        }
        for (std::size_t k = 0; k < 4; ++k)
            for (std::uint32_t b = 0; b < 256; ++b)
                tables_[k][b] = product(matrix, b << (8 * k));
    }
    std::uint32_t operator()(std::uint32_t state) const {
        return tables_[0][state & 255] ^ tables_[1][(state >> 8) & 255] ^
               tables_[2][(state >> 16) & 255] ^ tables_[3][state >> 24];
    }

  private:
    static constexpr std::uint32_t product(const std::array<std::uint32_t, 32>& matrix,
                                           std::uint32_t vector) {
        std::uint32_t sum = 0;
        for (std::size_t bit = 0; vector != 0; vector >>= 1, ++bit)
            if ((vector & 1) != 0) sum ^= matrix[bit];
        return sum;
    }
    std::array<Table, 4> tables_{};
};

/// Three lanes of 2^log2 bytes each, as often as they fit.
template <unsigned log2>
RAILYARD_CRC_TARGET std::uint32_t take_lanes(std::uint32_t state, const std::byte*& bytes,
                                             std::size_t& n) {
    constexpr std::size_t lane = std::size_t{1} << log2;
    static constexpr Shift past_lane(log2);
    for (; n >= 3 * lane; n -= 3 * lane, bytes += 3 * lane) {
        std::uint32_t second = 0;
        std::uint32_t third = 0;
        for (std::size_t at = 0; at < lane; at += 8) {
            const std::byte* word = bytes + at;
            state = RAILYARD_CRC_64(state, (load<std::uint64_t, std::endian::little>(word)));
            second =
                RAILYARD_CRC_64(second, (load<std::uint64_t, std::endian::little>(word + lane)));
            third =
                RAILYARD_CRC_64(third, (load<std::uint64_t, std::endian::little>(word + 2 * lane)));
        }
        state = past_lane(past_lane(state) ^ second) ^ third;
    }
    return state;
}

}  // namespace

std::uint32_t crc32c_interleaved(std::uint32_t state, const std::byte* bytes, std::size_t n) {
    state = take_lanes<11>(state, bytes, n);
    state = take_lanes<8>(state, bytes, n);
    state = take_lanes<6>(state, bytes, n);
    return crc32c_serial(state, bytes, n);
}

bool crc32c_in_hardware() {
#if defined(__aarch64__)
    constexpr unsigned long hwcap_crc32 = 1UL << 7;
    return (getauxval(AT_HWCAP) & hwcap_crc32) != 0;
#else
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2") != 0;
#endif
}

#else

std::uint32_t crc32c_serial(std::uint32_t state, const std::byte* bytes, std::size_t n) {
    return crc32c_portable(state, bytes, n);
}
std::uint32_t crc32c_interleaved(std::uint32_t state, const std::byte* bytes, std::size_t n) {
    return crc32c_portable(state, bytes, n);
}
bool crc32c_in_hardware() {
    return false;
}

#endif

}  // namespace detail

const Crc32c::Extend Crc32c::best_ =
    detail::crc32c_in_hardware() ? detail::crc32c_interleaved : detail::crc32c_portable;

}  // namespace railyard::iwarp
