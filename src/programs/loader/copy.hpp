#pragma once
/// One copy of a program in memory: code that all copies share, and data of its own. It runs
/// nothing by itself.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "programs/loader/program.hpp"

namespace railyard::loader {

class Copy {
  public:
    /// `variables`: for references to Target::variables. The program and they outlive it. Throws
    /// Error if there is no memory, or no room for one more mapping.
    Copy(const Program& program, void* variables);
    ~Copy();
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;

    const Program& program() const { return program_; }
    void* address(const Target& target) const {
        return reinterpret_cast<void*>(base_of(target.module) + target.value);
    }
    void* entry() const { return address({.module = 0, .value = program_.executable().entry()}); }
    /// Thread-local variables as a new thread has them: so many bytes as the program's plan says.
    void write_thread_locals(std::span<std::byte> room) const;

    using Initialiser = void (*)(int argc, char** argv, char** environment);
    using Finaliser = void (*)();
    /// In the order in which they are to be called: those of libraries, then the executable's.
    std::vector<Initialiser> initialisers() const;
    std::vector<Finaliser> finalisers() const;

  private:
    struct Place {
        std::byte* begin = nullptr;
        std::size_t size = 0;
        std::uintptr_t base = 0;  ///< what is added to addresses of the file
    };

    std::uintptr_t base_of(std::int32_t module) const {
        if (module >= 0) return places_[static_cast<std::size_t>(module)].base;
        return module == Target::variables ? variables_ : 0;
    }
    void map(const ElfFile& file, Place& place);
    void relocate();
    void unmap() noexcept;

    const Program& program_;
    const std::uintptr_t variables_;
    std::vector<Place> places_;  ///< by module
};

}  // namespace railyard::loader
