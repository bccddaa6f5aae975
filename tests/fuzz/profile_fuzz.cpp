/// Any text to the reader of profiles: it is refused with a UsageError of which every line says
/// where, or taken, and what was taken is printed as a profile that reads back as the same. A
/// machine that a profile describes is refused, too, or can be built.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "interconnects/quadrics/fabric/machine_parameters.hpp"
#include "interconnects/registry.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "profiles/profile.hpp"
#include "profiles/schema.hpp"
#include "railyard/base/error.hpp"

namespace {

using namespace railyard;

[[noreturn]] void broken(const char* what, const std::string& text) {
    std::fprintf(stderr, "%s: %s\n", what, text.c_str());
    std::abort();
}

/// What a profile extends is not looked for on this machine.
std::optional<std::string> no_file(const std::string&) {
    return std::nullopt;
}

std::string read_back(const std::string& printed) {
    try {
        return profiles::to_toml(
            profiles::parse_profile(interconnects::language(), printed, "fuzz.toml", no_file));
    } catch (const UsageError& error) {
        broken("what was printed is refused", error.what());
    }
}

void describe_machine(const quadrics::Parameters& profile) {
    try {
        const elan::Parameters machine = quadrics::machine_parameters(profile, 16);
        if (machine.slice == 0 || machine.buffers == 0 || machine.requests == 0 ||
            machine.tlb_entries == 0 || machine.network.dimension < 2)
            broken("nobody can build this", profile.name);
    } catch (const UsageError&) {
        // A network of another kind.
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string printed;
    try {
        const profiles::Profile profile =
            profiles::parse_profile(interconnects::language(), text, "fuzz.toml", no_file);
        printed = profiles::to_toml(profile);
        if (profile.engine->name != "ideal") describe_machine(quadrics::read(profile));
    } catch (const UsageError& error) {
        if (!std::string_view(error.what()).starts_with("fuzz.toml:"))
            broken("the message does not say where", error.what());
        return 0;
    }
    if (read_back(printed) != printed) broken("it reads back as something else", printed);
    return 0;
}
