#include "launch/managers/manager.hpp"

#include <array>

namespace railyard::managers {

void Manager::say(std::string_view what, bool holds) {
    put(what, std::array{std::byte{holds}});
}

bool Manager::holds(std::string_view what, std::span<const int> said_by) {
    for (const int one : said_by) {
        const auto said = get(one, what);
        if (said && !said->empty() && said->front() == std::byte{1}) return true;
    }
    return false;
}

void Manager::barrier() {
    enter_barrier();
    while (!passed_barrier(Duration::s(1))) {
    }
}

}  // namespace railyard::managers
