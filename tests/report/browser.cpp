#include "report/browser.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "results/file.hpp"

namespace railyard::report {

namespace {

namespace fs = std::filesystem;

/// A directory that is gone after use: the browser keeps its own things there too.
class Scratch {
  public:
    Scratch() {
        std::string name = (fs::temp_directory_path() / "railyard-page-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
        path_ = name;
    }
    ~Scratch() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    std::string file(const char* name) const { return (path_ / name).string(); }

  private:
    fs::path path_;
};

}  // namespace

Opened open_in_browser(std::string_view page, const std::string& place) {
    const char* chosen = std::getenv("RAILYARD_BROWSER");
    const std::string browser = chosen == nullptr ? "chromium" : chosen;
    const Scratch scratch;
    results::write_file(scratch.file("page.html"), page);
    // Containers rarely allow the browser's own sandbox, nor does it work for root.
    const std::string command =
        browser +
        " --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
        " --disable-background-networking --enable-logging=stderr --window-size=1400,1000 "
        "--virtual-time-budget=20000"
        " --user-data-dir='" +
        scratch.file("profile") + "' --dump-dom 'file://" + scratch.file("page.html") + place +
        "' > '" + scratch.file("document") + "' 2> '" + scratch.file("log") + "'";
    const int status = std::system(command.c_str());
    Opened opened{.document = results::read_file(scratch.file("document")),
                  .log = results::read_file(scratch.file("log"))};
    if (status != 0)
        throw std::runtime_error("cannot open the page with '" + browser +
                                 "'; install the Debian package chromium, or name another such "
                                 "browser in RAILYARD_BROWSER: " +
                                 opened.log);
    return opened;
}

std::string with_probe(std::string page, std::string_view script) {
    const auto end = page.rfind("</body>");
    if (end == std::string::npos) throw std::runtime_error("the page has no end");
    return page.insert(end,
                       "<script>(async () => { const found = {};"
                       "const pause = () => new Promise((go) => setTimeout(go, 50));"
                       "const all = (what, of = document) => [...of.querySelectorAll(what)];" +
                           std::string(script) +
                           "document.documentElement.dataset.found = "
                           "encodeURIComponent(JSON.stringify(found)); })();</script>");
}

std::string found_in(const Opened& opened) {
    constexpr std::string_view mark = "data-found=\"";
    const auto begin = opened.document.find(mark);
    if (begin == std::string::npos) return "";
    const auto end = opened.document.find('"', begin + mark.size());
    const std::string coded =
        opened.document.substr(begin + mark.size(), end - begin - mark.size());
    std::string text;
    for (std::size_t i = 0; i < coded.size(); ++i) {
        if (coded[i] == '%' && i + 2 < coded.size()) {
            text += static_cast<char>(std::stoi(coded.substr(i + 1, 2), nullptr, 16));
            i += 2;
        } else {
            text += coded[i];
        }
    }
    return text;
}

}  // namespace railyard::report
