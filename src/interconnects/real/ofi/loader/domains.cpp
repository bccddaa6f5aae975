#include "interconnects/real/ofi/loader/domains.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

[[noreturn]] void refuse(std::string_view text, std::string_view why) {
    throw UsageError(fmt::format(
        "{}: expected names of domains (mlx5_0,mlx5_1) or how many (1 to {}), found '{}'{}",
        domains_variable, most_ports, text, why));
}

}  // namespace

Domains parse_domains(std::string_view text) {
    if (const auto count = parse_number<unsigned>(text)) {
        if (*count == 0 || *count > most_ports) refuse(text, "");
        return {.count = *count};
    }
    Domains domains;
    for (const std::string_view name : split(text, ',')) {
        if (name.empty()) refuse(text, "");
        if (std::ranges::find(domains.names, name) != domains.names.end())
            refuse(text, ", which names one twice");
        domains.names.emplace_back(name);
    }
    domains.count = static_cast<unsigned>(domains.names.size());
    if (domains.count > most_ports) refuse(text, "");
    return domains;
}

Domains domains_wished() {
    if (const std::string_view several = variable(domains_variable); !several.empty())
        return parse_domains(several);
    if (const std::string_view one = variable("RAILYARD_OFI_DOMAIN"); !one.empty())
        return {.names = {std::string(one)}};
    return {};
}

}  // namespace railyard::ofi
