#include "launch/managers/gather.hpp"

#include <fmt/format.h>

#include "launch/managers/connect.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

std::optional<Gathered> gather(const std::string& mine) {
    const std::shared_ptr<Manager> manager = connect_to_manager();
    if (!manager) return std::nullopt;
    manager->put("text", std::as_bytes(std::span(mine)));
    manager->barrier();
    Gathered found{.rank = manager->rank(), .texts = {}};
    for (int one = 0; one < manager->size(); ++one) {
        const auto bytes = manager->get(one, "text");
        if (!bytes) throw Error(fmt::format("rank {} runs another program", one));
        found.texts.emplace_back(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    }
    // No more is asked of it, and a library's thread would not go with what this process forks.
    manager->finalize();
    return found;
}

}  // namespace railyard::managers
