#pragma once
/// The page without its data, as page/build.mjs made it. The build compiles it in.

#include <span>
#include <string_view>

namespace railyard::report {

/// In pieces, to be joined. Empty if this was built without the page (RAILYARD_PAGE=OFF).
std::span<const std::string_view> page_template();

/// What stands in the template where the data goes, once.
inline constexpr std::string_view page_data_mark = "{{DATA}}";

}  // namespace railyard::report
