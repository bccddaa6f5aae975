#include "interconnects/registry.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "interconnects/profile_keys.hpp"
#include "interconnects/quadrics/fabric/fabric.hpp"
#include "interconnects/virtual/common/engine.hpp"
#include "interconnects/virtual/ideal/fabric.hpp"
#include "interconnects/virtual/model/fabric.hpp"
#include "profiles/keys.hpp"
#include "profiles/schema.hpp"

namespace railyard::interconnects {

std::span<const virtual_time::Engine> engines() {
    // To add an engine, add its line.
    static const std::array all{
        model::engine(),
        quadrics::engine(),
        ideal::engine(),
    };
    return all;
}

const profiles::Language& language() {
    const auto of_engines = [] {
        std::vector<profiles::Engine> all;
        for (const virtual_time::Engine& engine : engines())
            all.push_back(engine.language);
        return all;
    };
    // Sections that are not ours to read: to add one is to add its name.
    static const profiles::Language language(of_engines(),
                                             {{"mpi", "for the library of that name"}});
    return language;
}

std::vector<fabric::ProfileSection> profile_sections() {
    return profiles::sections_of(language());
}

virtual_time::Described described(const profiles::Profile& profile) {
    return std::ranges::find(
               engines(), profile.engine->name,
               [](const virtual_time::Engine& engine) { return engine.language.name; })
        ->read(profile);
}

}  // namespace railyard::interconnects
