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

Opened open_in_browser(std::string_view page) {
    const char* chosen = std::getenv("RAILYARD_BROWSER");
    const std::string browser = chosen == nullptr ? "chromium" : chosen;
    const Scratch scratch;
    results::write_file(scratch.file("page.html"), page);
    // Containers rarely allow the browser's own sandbox, nor does it work for root.
    const std::string command =
        browser +
        " --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run"
        " --disable-background-networking --enable-logging=stderr --window-size=1000,900"
        " --user-data-dir='" +
        scratch.file("profile") + "' --dump-dom 'file://" + scratch.file("page.html") + "' > '" +
        scratch.file("document") + "' 2> '" + scratch.file("log") + "'";
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

}  // namespace railyard::report
