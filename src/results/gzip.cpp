#include "results/gzip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <limits>

#include "railyard/base/error.hpp"

namespace railyard::results {

namespace {

constexpr int gzip_window = MAX_WBITS + 16;  ///< zlib's word for gzip's own head and sum
constexpr std::size_t step = std::size_t{1} << 18;

/// zlib takes its input unharmed, but not as const.
void give(z_stream& stream, std::string_view& rest) {
    const std::size_t size = std::min<std::size_t>(rest.size(), std::numeric_limits<uInt>::max());
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(rest.data()));
    stream.avail_in = static_cast<uInt>(size);
    rest.remove_prefix(size);
}

/// Room for a step more at the end of `out`.
void make_room(z_stream& stream, std::string& out) {
    const std::size_t before = out.size();
    out.resize(before + step);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = step;
}

}  // namespace

bool is_gzip(std::string_view bytes) {
    return bytes.starts_with("\x1f\x8b");
}

std::string gzip(std::string_view text) {
    z_stream stream{};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, gzip_window, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        throw Error("no memory to compress");
    std::string out;
    int state = Z_OK;
    while (state != Z_STREAM_END) {
        if (stream.avail_in == 0) give(stream, text);
        make_room(stream, out);
        state = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
        out.resize(out.size() - stream.avail_out);
    }
    deflateEnd(&stream);
    return out;
}

std::string gunzip(std::string_view bytes, const std::string& file, std::size_t most) {
    z_stream stream{};
    if (inflateInit2(&stream, gzip_window) != Z_OK) throw Error("no memory to decompress");
    std::string out;
    int state = Z_OK;
    while (state == Z_OK && out.size() <= most) {
        if (stream.avail_in == 0) give(stream, bytes);
        make_room(stream, out);
        state = inflate(&stream, Z_NO_FLUSH);
        out.resize(out.size() - stream.avail_out);
    }
    const bool all = bytes.empty() && stream.avail_in == 0;
    inflateEnd(&stream);
    if (out.size() > most)
        throw Error(fmt::format("{}: more than {} bytes when decompressed", file, most));
    if (state != Z_STREAM_END)
        throw Error(fmt::format("{}: the compressed text is damaged or cut off", file));
    if (!all) throw Error(fmt::format("{}: more stands behind the compressed text", file));
    return out;
}

}  // namespace railyard::results
