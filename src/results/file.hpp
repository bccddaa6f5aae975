#pragma once
/// Whole files, read and written at once. A file is replaced in one step: whoever looks sees the
/// old content or the new, never a part, and when writing fails the old content stays.

#include <filesystem>
#include <string>
#include <string_view>

namespace railyard::results {

/// Throws Error naming the path and the cause.
std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, std::string_view content);

/// Throws Error now if write_file() could not write there later, and leaves nothing behind.
void check_writable(const std::filesystem::path& path);

}  // namespace railyard::results
