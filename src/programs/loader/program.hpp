#pragma once
/// A program that is to be loaded many times: its executable, the libraries of which every copy has
/// its own, and what each reference in them comes to. A copy of it in memory is a Copy.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "programs/loader/elf_file.hpp"
#include "programs/loader/thread_room.hpp"

namespace railyard::loader {

/// What a reference is to: an address, or a place in a copy.
struct Target {
    static constexpr std::int32_t absolute = -1;
    static constexpr std::int32_t variables = -2;  ///< what whoever makes a copy brings for it

    std::int32_t module = absolute;  ///< else the index of one
    std::uint64_t value = 0;         ///< an address, or one from where that module begins
    std::uint64_t size = 0;          ///< of a variable
    bool is_indirect = false;        ///< a function that is to be asked for the address
};

/// Finds what no module defines.
class Imports {
  public:
    virtual ~Imports() = default;
    /// None: it is not to be had.
    virtual std::optional<Target> find(const Symbol& symbol) const = 0;
};

class Program {
  public:
    struct Options {
        std::filesystem::path executable;
        /// Paths of libraries by the names under which modules need them. One that is not among
        /// them is not a copy's own: imports find what it has.
        std::unordered_map<std::string, std::filesystem::path> libraries{};
    };

    /// Throws Error: no such file, not what can be loaded, or nobody has what it needs.
    Program(const Options& options, const Imports& imports);

    struct Patch {
        std::uint32_t at;
        std::int32_t module;  ///< as in Target
        std::uint64_t value;
    };
    /// An initial value that another has.
    struct CopiedVariable {
        FileAddress at;
        std::uint64_t size;
        Target from;
    };
    /// What a function says when it is loaded.
    struct Indirect {
        FileAddress at;
        Target function;
    };
    struct Module {
        explicit Module(const std::filesystem::path& path) : file(path) {}
        ElfFile file;
        std::ptrdiff_t thread_locals = 0;  ///< where they begin, from the thread pointer
        std::vector<Patch> patches;
        std::vector<CopiedVariable> copied;
        std::vector<Indirect> indirect;
    };

    /// The executable comes first.
    std::span<const std::unique_ptr<Module>> modules() const { return modules_; }
    const ElfFile& executable() const { return modules_.front()->file; }
    /// Modules in the order in which they begin: what one needs comes before it.
    std::span<const std::size_t> order() const { return order_; }
    const thread_room::Plan& thread_locals() const { return room_; }
    /// What modules find by that name. None: no module needs or has it.
    std::optional<Target> find(std::string_view name) const;

  private:
    struct Definition {
        std::size_t module;
        std::size_t symbol;
    };

    void load_modules(const Options& options);
    void put_in_order(std::size_t module, std::vector<bool>& seen);
    void plan_thread_locals();
    void collect_definitions();
    /// A variable that the executable copied is its own for all, and has its value of another.
    enum class From : std::uint8_t { everybody, all_but_executable };
    std::optional<Definition> definition(const Symbol& symbol, From from) const;
    Target target_of(const Definition& definition) const;
    std::optional<Target> resolve(const Symbol& symbol, From from = From::everybody);
    void resolve_all(std::size_t module);
    void relocate(std::size_t module, const Relocation& relocation);
    void relocate_thread_local(std::size_t module, const Relocation& relocation);
    void expect_nothing_missing() const;

    const Imports& imports_;
    std::vector<std::unique_ptr<Module>> modules_;
    std::unordered_map<std::string, std::size_t> by_name_;  ///< modules
    std::vector<std::size_t> order_;
    thread_room::Plan room_;
    std::unordered_map<std::string, Definition> definitions_;
    std::unordered_map<std::string, Target> found_;  ///< by name: what was found elsewhere
    std::vector<std::string> missing_;
};

}  // namespace railyard::loader
