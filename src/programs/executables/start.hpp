#pragma once
/// What a rank's program is started with.

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace railyard::executables {

struct Start {
    std::vector<std::string> words;  ///< its name, and its arguments
    /// In addition to this process's environment; the last of a name counts.
    std::vector<std::pair<std::string, std::string>> environment{};
    std::string directory{};  ///< where it works; empty: here
    bool label_output = false;
    /// Called before the program reads its clock: what it has computed takes its time.
    std::function<void()> charge_computation{};
};

}  // namespace railyard::executables
