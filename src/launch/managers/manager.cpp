#include "launch/managers/manager.hpp"

#include <array>

namespace railyard::managers {

void Manager::raise(std::string_view flag) {
    put(flag, std::array<std::byte, 1>{std::byte{1}});
}

bool Manager::is_raised(std::string_view flag) {
    for (int one = 0; one < size(); ++one)
        if (get(one, flag)) return true;
    return false;
}

void Manager::barrier() {
    enter_barrier();
    while (!passed_barrier(Duration::s(1))) {
    }
}

}  // namespace railyard::managers
