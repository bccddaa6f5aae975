#include "interconnects/registry.hpp"

#include <array>

#include "interconnects/ideal/fabric.hpp"
#include "interconnects/shm/fabric.hpp"
#include "sim/engine.hpp"

namespace railyard::interconnects {

namespace {

template <class Open>
Entry real(fabric::Traits traits, Open open) {
    return {std::move(traits), open, nullptr};
}

template <class Open>
Entry simulated(fabric::Traits traits, Open open) {
    return {std::move(traits), nullptr, open};
}

}  // namespace

std::span<const Entry> registry() {
    // To add a fabric, add its line.
    static const std::array entries = {
        real(shm::traits(), shm::open),
        simulated(ideal::traits(), [](sim::Engine& engine) { return ideal::open(engine); }),
    };
    return entries;
}

const Entry* find(std::string_view name) {
    for (const Entry& entry : registry())
        if (entry.name() == name) return &entry;
    return nullptr;
}

}  // namespace railyard::interconnects
