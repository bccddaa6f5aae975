#include "interconnects/virtual/model/schema.hpp"

#include <algorithm>
#include <array>

#include "interconnects/virtual/model/schema_elan.hpp"
#include "interconnects/virtual/model/schema_mpi.hpp"
#include "interconnects/virtual/model/schema_parts.hpp"

namespace railyard::model {

namespace {

constexpr std::array all_parts{
    Part{"host", "what the rank's processor is busy with"},
    Part{"bus", "between host memory and adapter"},
    Part{"adapter", "its engines, and what they spend on a message"},
    Part{"memory", "the adapter's own, where regions can live"},
    Part{"translation", "the adapter's cache of page addresses"},
    Part{"contexts", "the adapter's cache of connections"},
    Part{"link", "what a packet takes of the wire"},
    Part{"network", "switches and how they are joined"},
    Part{"reliability", "what is done about packets that faults take"},
    Part{"completion", "how the adapter tells the rank"},
    Part{"connection", "how two queue pairs meet"},
    Part{"tagged", "matching by the adapter"},
    Part{"elan", "the machine of Quadrics: what the other parts do not say of it"},
    Part{"mpi", "the MPI library of its time, as settings of ours (railyard mpi-info)"},
};

template <std::size_t... Sizes>
constexpr auto joined(const std::array<schema::Row, Sizes>&... tables) {
    std::array<Key, (Sizes + ...)> keys{};
    auto end = keys.begin();
    ((end = std::ranges::copy(tables, end).out), ...);
    return keys;
}

constexpr auto all_keys = joined(schema::of_parts, schema::of_elan, schema::of_mpi);

}  // namespace

std::string Key::path() const {
    return part.empty() ? std::string(name) : std::string(part) + "." + std::string(name);
}

std::span<const Key> keys() {
    return all_keys;
}

std::span<const Part> parts() {
    return all_parts;
}

const Key* find_key(std::string_view part, std::string_view name) {
    for (const Key& key : keys())
        if (key.part == part && key.name == name) return &key;
    return nullptr;
}

const Part* find_part(std::string_view name) {
    for (const Part& part : parts())
        if (part.name == name) return &part;
    return nullptr;
}

}  // namespace railyard::model
