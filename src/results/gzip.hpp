#pragma once
/// Files that are compressed as gzip does it.

#include <cstddef>
#include <string>
#include <string_view>

namespace railyard::results {

/// Whether bytes begin as gzip's do.
bool is_gzip(std::string_view bytes);

/// The same bytes for the same text: no name and no time go with it.
std::string gzip(std::string_view text);

/// Throws Error, which names `file`, for what is damaged or cut off, or more than `most` bytes.
std::string gunzip(std::string_view bytes, const std::string& file,
                   std::size_t most = std::size_t{1} << 30);

}  // namespace railyard::results
