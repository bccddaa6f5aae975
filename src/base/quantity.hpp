#pragma once
/// Times, sizes and rates as people write them: "1.5 us", "8 KiB", "400 MB/s".
///
/// A number, digits with or without decimals, then a unit; a space between them is optional. What
/// is printed is exact and parses back to the same value. All parsers throw UsageError, with a
/// message that says what was expected and what was found.

#include <string>
#include <string_view>
#include <vector>

#include "base/rate.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/time.hpp"

namespace railyard {

/// Units ps, ns, us (or µs), ms, s; or the word "forever". To the nearest picosecond.
Duration parse_duration(std::string_view text);

/// K, M, G, T and KiB, MiB, GiB, TiB are powers of two; kB (or KB), MB, GB, TB are powers of ten; a
/// number alone is bytes. Must come out as a whole number of bytes.
Bytes parse_bytes(std::string_view text);

/// The units of bytes, or kbit, Mbit, Gbit, Tbit (short kb, Mb, Gb, Tb), "/s" or "ps" behind them.
/// To the nearest byte per second; 0 is no rate.
Rate parse_rate(std::string_view text);

/// Message sizes on a command line: items between commas, each a size or a range. "8..4M" doubles
/// from 8 as long as it does not pass 4M; "1..1M*4" multiplies by 4; a range from 0 goes on with 1.
std::vector<Bytes> parse_sizes(std::string_view text);

std::string to_string(Duration duration);  ///< "1.5 us"
std::string to_string(Bytes bytes);        ///< "8 KiB", "4097 B"
std::string to_string(Rate rate);          ///< "400 MB/s"

/// For the columns of a table: "8K", "4M", "100".
std::string short_size(Bytes bytes);

}  // namespace railyard
