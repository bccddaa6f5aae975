#pragma once
/// Memory that a launcher makes for each rank that it starts, and reads when the rank has ended,
/// however it ended: for what is to be known of ranks that crash, too.

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/shared_memory.hpp"
#include "railyard/base/bytes.hpp"

namespace railyard::job {

struct KeptMemoryOptions {
    Bytes size{};             ///< of each rank; none: there is no such memory
    std::string begins_with;  ///< what the rank finds there; the rest is zero
};

/// Pages take memory once a rank has written to them. The first word is the rank's to say how many
/// bytes it has used.
class KeptMemories {
  public:
    /// Throws Error.
    KeptMemories(const KeptMemoryOptions& options, const std::vector<int>& ranks);

    /// An empty handle where there is none.
    SharedMemory::Handle handle(int rank) const;
    /// What the rank has used. As long as this lives.
    std::string_view used(int rank) const;

  private:
    std::map<int, SharedMemory> memories_;
};

/// The same for ranks that others start: files of a folder that all their hosts see, and that goes
/// with this object.
class KeptFiles {
  public:
    /// Where ranks look for the folder's name.
    static constexpr const char* variable = "RAILYARD_KEPT";

    /// A folder of its own inside of `where`. Throws Error.
    KeptFiles(const KeptMemoryOptions& options, int ranks, const std::filesystem::path& where);
    ~KeptFiles();
    KeptFiles(const KeptFiles&) = delete;
    KeptFiles& operator=(const KeptFiles&) = delete;

    std::string folder() const { return folder_.string(); }
    /// What each rank has used.
    std::vector<std::string> used() const;

  private:
    void remove() const;

    std::filesystem::path folder_;
    int ranks_;
};

/// The rank's, if a variable names such files; else none. What this process starts is not that
/// rank, and has none. Throws Error.
SharedMemory kept_file_of(int rank);

}  // namespace railyard::job
