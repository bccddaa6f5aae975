#pragma once
/// A folder that is gone, with all that is in it, when this object is.

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "railyard/base/error.hpp"

namespace railyard {

class TemporaryFolder {
  public:
    /// Throws Error.
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "railyard-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) throw Error("cannot make a folder like " + name);
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

  private:
    std::filesystem::path path_;
};

}  // namespace railyard
