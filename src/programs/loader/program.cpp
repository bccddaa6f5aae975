#include "programs/loader/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "programs/loader/relocations.hpp"
#include "programs/loader/thread_locals.hpp"
#include "railyard/base/error.hpp"

namespace railyard::loader {

namespace {

std::string versioned(std::string_view name, std::string_view version) {
    return fmt::format("{}@{}", name, version);
}

}  // namespace

Program::Program(const Options& options, const Imports& imports) : imports_(imports) {
    load_modules(options);
    std::vector<bool> seen(modules_.size());
    put_in_order(0, seen);
    plan_thread_locals();
    collect_definitions();
    for (std::size_t module = 0; module < modules_.size(); ++module)
        resolve_all(module);
    expect_nothing_missing();
}

/// Breadth first, which is the order in which definitions are looked for.
void Program::load_modules(const Options& options) {
    modules_.push_back(std::make_unique<Module>(options.executable));
    for (std::size_t i = 0; i < modules_.size(); ++i) {
        const ElfFile& file = modules_[i]->file;
        if (file.changes_its_text())
            throw Error(
                fmt::format("{}: its code is changed when it is loaded (DT_TEXTREL); build "
                            "it with -fPIC",
                            file.path().string()));
        for (const std::string& name : file.needed()) {
            const auto found = options.libraries.find(name);
            if (found == options.libraries.end() || by_name_.contains(name)) continue;
            by_name_.emplace(name, modules_.size());
            modules_.push_back(std::make_unique<Module>(found->second));
        }
    }
}

void Program::put_in_order(std::size_t module, std::vector<bool>& seen) {
    seen[module] = true;
    for (const std::string& name : modules_[module]->file.needed())
        if (const auto needed = by_name_.find(name);
            needed != by_name_.end() && !seen[needed->second])
            put_in_order(needed->second, seen);
    order_.push_back(module);
}

void Program::plan_thread_locals() {
    for (const auto& module : modules_) {
        const auto& image = module->file.thread_locals();
        if (!image) continue;
        if (!room_.add(image->size, image->alignment, module->thread_locals))
            throw Error(fmt::format(
                "{}: {} bytes of thread-local variables, and all of a program may have {} in "
                "virtual time; start it with mpiexec",
                module->file.path().string(), image->size, thread_room::size));
    }
}

void Program::collect_definitions() {
    for (std::size_t m = 0; m < modules_.size(); ++m) {
        const std::vector<Symbol>& symbols = modules_[m]->file.symbols();
        for (std::size_t s = 0; s < symbols.size(); ++s) {
            const Symbol& symbol = symbols[s];
            if (!symbol.defined || symbol.name.empty()) continue;
            if (!symbol.hidden) definitions_.insert({std::string(symbol.name), {m, s}});
            if (!symbol.version.empty())
                definitions_.insert({versioned(symbol.name, symbol.version), {m, s}});
        }
    }
}

std::optional<Program::Definition> Program::definition(const Symbol& symbol, From from) const {
    if (from == From::all_but_executable) {
        for (std::size_t m = 1; m < modules_.size(); ++m) {
            const auto& symbols = modules_[m]->file.symbols();
            const auto found = std::ranges::find_if(symbols, [&](const Symbol& other) {
                return other.defined && other.name == symbol.name;
            });
            if (found != symbols.end())
                return Definition{m, static_cast<std::size_t>(found - symbols.begin())};
        }
        return std::nullopt;
    }
    auto found = definitions_.end();
    if (!symbol.version.empty()) found = definitions_.find(versioned(symbol.name, symbol.version));
    if (found == definitions_.end()) found = definitions_.find(std::string(symbol.name));
    return found == definitions_.end() ? std::nullopt : std::optional(found->second);
}

Target Program::target_of(const Definition& definition) const {
    const Symbol& symbol = modules_[definition.module]->file.symbols()[definition.symbol];
    return {.module = static_cast<std::int32_t>(definition.module),
            .value = symbol.value,
            .size = symbol.size,
            .is_indirect = symbol.type == STT_GNU_IFUNC};
}

std::optional<Target> Program::resolve(const Symbol& symbol, From from) {
    if (const auto found = definition(symbol, from)) return target_of(*found);
    const std::string key(symbol.name);
    if (const auto found = found_.find(key); found != found_.end()) return found->second;
    if (const auto target = imports_.find(symbol)) {
        found_.emplace(key, *target);
        return target;
    }
    if (symbol.weak) return Target{};
    missing_.push_back(key);
    return std::nullopt;
}

std::optional<Target> Program::find(std::string_view name) const {
    const std::string key(name);
    if (const auto found = definitions_.find(key); found != definitions_.end())
        return target_of(found->second);
    if (const auto found = found_.find(key); found != found_.end()) return found->second;
    return std::nullopt;
}

void Program::resolve_all(std::size_t module) {
    const auto& relocations = modules_[module]->file.relocations();
    modules_[module]->patches.reserve(relocations.size());
    for (const Relocation& relocation : relocations)
        relocate(module, relocation);
}

void Program::relocate(std::size_t index, const Relocation& relocation) {
    Module& module = *modules_[index];
    const auto kind = kind_of(relocation.type);
    if (!kind)
        throw Error(fmt::format("{}: a relocation of type {}, which is not known here",
                                module.file.path().string(), relocation.type));
    const auto self = static_cast<std::int32_t>(index);
    const auto at = static_cast<std::uint32_t>(relocation.at);
    const auto addend = static_cast<std::uint64_t>(relocation.addend);
    switch (*kind) {
        case RelocationKind::nothing:
            return;
        case RelocationKind::relative:
            module.patches.push_back({at, self, addend});
            return;
        case RelocationKind::indirect:
            module.indirect.push_back({relocation.at, {.module = self, .value = addend}});
            return;
        case RelocationKind::symbol: {
            const Symbol& symbol = module.file.symbols().at(relocation.symbol);
            const auto target =
                symbol.name.empty() ? std::optional(Target{self, symbol.value}) : resolve(symbol);
            if (!target) return;
            if (target->is_indirect)
                module.indirect.push_back({relocation.at, *target});
            else
                module.patches.push_back({at, target->module, target->value + addend});
            return;
        }
        case RelocationKind::copy: {
            const Symbol& symbol = module.file.symbols().at(relocation.symbol);
            if (const auto source = resolve(symbol, From::all_but_executable))
                module.copied.push_back({relocation.at, symbol.size, *source});
            return;
        }
        case RelocationKind::thread_offset:
        case RelocationKind::thread_module:
        case RelocationKind::thread_in_module:
        case RelocationKind::thread_descriptor:
            return relocate_thread_local(index, relocation);
    }
}

/// All of them lie in the room, at one distance from the thread pointer in every copy.
void Program::relocate_thread_local(std::size_t index, const Relocation& relocation) {
    Module& module = *modules_[index];
    const Symbol& symbol = module.file.symbols().at(relocation.symbol);
    std::size_t owner = index;
    std::uint64_t value = symbol.value;
    if (!symbol.name.empty()) {
        const auto found = definition(symbol, From::everybody);
        if (!found) {
            if (!symbol.weak) missing_.emplace_back(symbol.name);
            return;
        }
        owner = found->module;
        value = modules_[owner]->file.symbols()[found->symbol].value;
    }
    value += static_cast<std::uint64_t>(relocation.addend);
    const auto begin = static_cast<std::uint64_t>(modules_[owner]->thread_locals);
    const auto at = static_cast<std::uint32_t>(relocation.at);
    const auto patch = [&](std::uint32_t where, std::uint64_t what) {
        module.patches.push_back({where, Target::absolute, what});
    };
    switch (*kind_of(relocation.type)) {
        case RelocationKind::thread_offset:
            return patch(at, begin + value);
        case RelocationKind::thread_module:
            return patch(at, begin);
        case RelocationKind::thread_in_module:
            return patch(at, value);
        case RelocationKind::thread_descriptor:
            patch(at, thread_descriptor_function());
            return patch(at + 8, begin + value);
        default:
            return;
    }
}

void Program::expect_nothing_missing() const {
    if (missing_.empty()) return;
    constexpr std::size_t most = 5;
    const std::size_t shown = std::min(missing_.size(), most);
    throw Error(fmt::format(
        "{} needs {}{}, which neither its libraries nor Railyard's MPI have",
        executable().path().string(),
        fmt::join(missing_.begin(), missing_.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
        missing_.size() > most ? fmt::format(" and {} more", missing_.size() - most) : ""));
}

}  // namespace railyard::loader
