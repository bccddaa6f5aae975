#pragma once
/// Opens a page in a real browser, without a window, and tells what became of it.

#include <string>
#include <string_view>

namespace railyard::report {

struct Opened {
    std::string document;  ///< the page after its scripts have run
    std::string log;       ///< what the browser said, the page's console included
};

/// With Chromium, or whatever RAILYARD_BROWSER names, in a window of 1400 by 1000. `place` is what
/// stands behind the address: "#trust". Throws if there is no browser.
Opened open_in_browser(std::string_view page, const std::string& place = "");

/// The page with this script behind its own: it fills an object `found`, may wait for `pause()`,
/// and what it has found is `data-found` of the document in the end.
std::string with_probe(std::string page, std::string_view script);

/// What the probe has found, as JSON; empty if it did not come to its end.
std::string found_in(const Opened& opened);

}  // namespace railyard::report
