#include "programs/executables/imports.hpp"

#include <dlfcn.h>

#include <array>
#include <string>

#include "programs/executables/variables.hpp"

namespace railyard::executables {

#define RAILYARD_VARIABLE(name, member)                              \
    Variable {                                                       \
        name, offsetof(Variables, member), sizeof(Variables::member) \
    }

std::span<const Variable> variables() {
    static constexpr std::array all{
        RAILYARD_VARIABLE("stdin", input),
        RAILYARD_VARIABLE("stdout", output),
        RAILYARD_VARIABLE("stderr", errors),
        RAILYARD_VARIABLE("environ", environment),
        RAILYARD_VARIABLE("_environ", environment),
        RAILYARD_VARIABLE("__environ", environment),
        RAILYARD_VARIABLE("optarg", option_argument),
        RAILYARD_VARIABLE("optind", option_index),
        RAILYARD_VARIABLE("opterr", option_errors),
        RAILYARD_VARIABLE("optopt", unknown_option),
        RAILYARD_VARIABLE("program_invocation_name", program_name),
        RAILYARD_VARIABLE("__progname_full", program_name),
        RAILYARD_VARIABLE("program_invocation_short_name", short_program_name),
        RAILYARD_VARIABLE("__progname", short_program_name),
    };
    return all;
}

#undef RAILYARD_VARIABLE

ProgramImports::ProgramImports() {
    for (const auto group :
         {imports_of_ending(), imports_of_clocks(), imports_of_streams(), imports_of_environment(),
          imports_of_heap(), imports_of_random_numbers(), imports_of_options(), imports_of_locale(),
          imports_of_static_results(), imports_of_directories(), imports_of_threads()})
        for (const Import& one : group)
            functions_.emplace(one.name, one.function);
}

std::optional<loader::Target> ProgramImports::find(const loader::Symbol& symbol) const {
    const auto at = [](void* address) {
        return loader::Target{.value = reinterpret_cast<std::uint64_t>(address)};
    };
    if (const auto found = functions_.find(symbol.name); found != functions_.end())
        return at(found->second);
    for (const Variable& variable : variables())
        if (variable.name == symbol.name)
            return loader::Target{.module = loader::Target::variables,
                                  .value = variable.offset,
                                  .size = variable.size};
    const std::string name(symbol.name);
    void* address = nullptr;
    if (!symbol.version.empty())
        address = ::dlvsym(RTLD_DEFAULT, name.c_str(), std::string(symbol.version).c_str());
    if (address == nullptr) address = ::dlsym(RTLD_DEFAULT, name.c_str());
    if (address == nullptr) return std::nullopt;
    return at(address);
}

}  // namespace railyard::executables
