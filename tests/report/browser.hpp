#pragma once
/// Opens a page in a real browser, without a window, and tells what became of it.

#include <string>
#include <string_view>

namespace railyard::report {

struct Opened {
    std::string document;  ///< the page after its scripts have run
    std::string log;       ///< what the browser said, the page's console included
};

/// With Chromium, or whatever RAILYARD_BROWSER names. Throws if there is none.
Opened open_in_browser(std::string_view page);

}  // namespace railyard::report
