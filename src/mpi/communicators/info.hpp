#pragma once
/// Hints as pairs of key and value, in the order in which the keys were first set.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace railyard::mpi {

class Info {
  public:
    void set(std::string_view key, std::string_view value) {
        if (std::string* old = find(key))
            *old = value;
        else
            pairs_.emplace_back(key, value);
    }
    /// Null if there is none.
    std::string* find(std::string_view key) {
        for (auto& [name, value] : pairs_)
            if (name == key) return &value;
        return nullptr;
    }
    /// False if there was none.
    bool erase(std::string_view key) {
        return std::erase_if(pairs_, [&](const auto& pair) { return pair.first == key; }) != 0;
    }
    const std::vector<std::pair<std::string, std::string>>& pairs() const { return pairs_; }

  private:
    std::vector<std::pair<std::string, std::string>> pairs_;
};

}  // namespace railyard::mpi
