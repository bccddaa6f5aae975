#include "experiments/patience.hpp"

#include <string>

#include "railyard/base/error.hpp"

namespace railyard::experiments {

void Patience::fail() {
    throw Error("the peer has sent nothing for " +
                std::to_string(length.picoseconds() / 1'000'000'000'000) +
                " s; is its process stopped, or the machine overloaded?");
}

}  // namespace railyard::experiments
