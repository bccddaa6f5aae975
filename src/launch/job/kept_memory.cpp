#include "launch/job/kept_memory.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <system_error>

#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

namespace fs = std::filesystem;

std::string file_of(const fs::path& folder, int rank) {
    return folder / fmt::format("rank-{}", rank);
}

/// As long as the memory lives.
std::string_view used_part(const SharedMemory& memory) {
    std::uint64_t used = 0;
    std::memcpy(&used, memory.data(), sizeof used);
    return {reinterpret_cast<const char*>(memory.data()),
            std::min<std::size_t>(used, memory.size().count())};
}

}  // namespace

KeptMemories::KeptMemories(const KeptMemoryOptions& options, const std::vector<int>& ranks) {
    if (options.size == Bytes()) return;
    for (const int rank : ranks) {
        SharedMemory memory = SharedMemory::create("railyard-kept", options.size);
        std::memcpy(memory.data(), options.begins_with.data(),
                    std::min<std::size_t>(options.begins_with.size(), options.size.count()));
        memories_.emplace(rank, std::move(memory));
    }
}

SharedMemory::Handle KeptMemories::handle(int rank) const {
    const auto found = memories_.find(rank);
    return found != memories_.end() ? found->second.handle() : SharedMemory::Handle{};
}

std::string_view KeptMemories::used(int rank) const {
    const auto found = memories_.find(rank);
    return found != memories_.end() ? used_part(found->second) : std::string_view();
}

KeptFiles::KeptFiles(const KeptMemoryOptions& options, int ranks, const fs::path& where)
    : ranks_(ranks) {
    std::string name = fs::absolute(where / ".railyard-records-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr)
        throw system_error(fmt::format("cannot make a folder for records in {}", where.string()));
    folder_ = name;
    std::error_code failed;
    for (int rank = 0; rank < ranks && !failed; ++rank) {
        const fs::path file = file_of(folder_, rank);
        std::ofstream(file) << options.begins_with;
        fs::resize_file(file, options.size.count(), failed);
    }
    if (!failed) return;
    remove();
    throw Error(fmt::format("cannot make files of {} bytes in {}: {}", options.size.count(),
                            where.string(), failed.message()));
}

KeptFiles::~KeptFiles() {
    remove();
}

void KeptFiles::remove() const {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
}

std::vector<std::string> KeptFiles::used() const {
    std::vector<std::string> all;
    for (int rank = 0; rank < ranks_; ++rank)
        all.emplace_back(used_part(SharedMemory::of_file(file_of(folder_, rank))));
    return all;
}

SharedMemory kept_file_of(int rank) {
    const char* folder = std::getenv(KeptFiles::variable);
    if (folder == nullptr) return {};
    SharedMemory memory = SharedMemory::of_file(file_of(folder, rank));
    ::unsetenv(KeptFiles::variable);
    return memory;
}

}  // namespace railyard::job
