#pragma once
/// What a program in virtual time finds in place of functions of the C library: those that would
/// tell it the machine's time, end the process, or share with other ranks what is to be its own.
/// All else is the C library's, and MPI ours.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>

#include "programs/loader/program.hpp"

namespace railyard::executables {

struct Import {
    std::string_view name;
    void* function;
};

template <class Function>
Import import(std::string_view name, Function* function) {
    return {name, reinterpret_cast<void*>(function)};
}

// By what they are about; each in a file of its own.
std::span<const Import> imports_of_ending();
std::span<const Import> imports_of_clocks();
std::span<const Import> imports_of_streams();
std::span<const Import> imports_of_environment();
std::span<const Import> imports_of_heap();
std::span<const Import> imports_of_random_numbers();
std::span<const Import> imports_of_options();
std::span<const Import> imports_of_locale();
std::span<const Import> imports_of_static_results();
std::span<const Import> imports_of_directories();
std::span<const Import> imports_of_threads();

/// These first; then what is a rank's own variable; then what the process has.
class ProgramImports final : public loader::Imports {
  public:
    ProgramImports();
    std::optional<loader::Target> find(const loader::Symbol& symbol) const override;

  private:
    std::unordered_map<std::string_view, void*> functions_;
};

}  // namespace railyard::executables
