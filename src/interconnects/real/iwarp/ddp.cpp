#include "interconnects/real/iwarp/ddp.hpp"

#include "interconnects/real/iwarp/big_endian.hpp"

namespace railyard::iwarp::ddp {

namespace {
constexpr std::uint8_t tagged_flag = 0x80;
constexpr std::uint8_t last_flag = 0x40;
constexpr std::uint8_t version_mask = 0x03;
}  // namespace

void write(std::byte* to, const Header& header) {
    store8(to, static_cast<std::uint8_t>((header.tagged ? tagged_flag : 0) |
                                         (header.last ? last_flag : 0) | header.version));
    store8(to + 1, header.ulp_control);
    if (header.tagged) {
        store32(to + 2, header.stag);
        store64(to + 6, header.to);
        return;
    }
    store32(to + 2, header.ulp_word);
    store32(to + 6, header.queue);
    store32(to + 10, header.msn);
    store32(to + 14, header.mo);
}

Header read(const std::byte* from) {
    Header header;
    const std::uint8_t control = load8(from);
    header.tagged = (control & tagged_flag) != 0;
    header.last = (control & last_flag) != 0;
    header.version = control & version_mask;
    header.ulp_control = load8(from + 1);
    if (header.tagged) {
        header.stag = load32(from + 2);
        header.to = load64(from + 6);
        return header;
    }
    header.ulp_word = load32(from + 2);
    header.queue = load32(from + 6);
    header.msn = load32(from + 10);
    header.mo = load32(from + 14);
    return header;
}

}  // namespace railyard::iwarp::ddp
