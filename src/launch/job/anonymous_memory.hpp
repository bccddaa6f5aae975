#pragma once
/// Zeroed memory that this process shares with those it forks. Pages take memory only once touched.

#include <cstddef>
#include <span>

#include "railyard/base/bytes.hpp"

namespace railyard::job {

class AnonymousMemory {
  public:
    explicit AnonymousMemory(Bytes size);  ///< Throws Error.
    ~AnonymousMemory();
    AnonymousMemory(const AnonymousMemory&) = delete;
    AnonymousMemory& operator=(const AnonymousMemory&) = delete;

    std::span<std::byte> span() const { return memory_; }

  private:
    std::span<std::byte> memory_;
};

}  // namespace railyard::job
