#include "experiments/placement.hpp"

#include <string>

namespace railyard::experiments {

std::string_view name(fabric::Home home) {
    return home == fabric::Home::host ? "main" : "elan";
}

std::vector<Ends> ends_of(const fabric::Traits& traits) {
    using fabric::Home;
    if (!traits.adapter_memory) return {Ends{}};
    return {{Home::host, Home::host},
            {Home::adapter, Home::adapter},
            {Home::adapter, Home::host},
            {Home::host, Home::adapter}};
}

void name_ends(results::Parameters& parameters, const Ends& ends) {
    parameters[results::parameter::source] = std::string(name(ends.source));
    parameters[results::parameter::destination] = std::string(name(ends.destination));
}

}  // namespace railyard::experiments
