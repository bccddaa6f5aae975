#pragma once
/// Which of a provider's domains are used, and so how many ports a Nic has: known before anybody
/// asks libfabric.

#include <string>
#include <string_view>
#include <vector>

namespace railyard::ofi {

inline constexpr unsigned most_ports = 8;
inline constexpr const char* domains_variable = "RAILYARD_OFI_DOMAINS";

struct Domains {
    std::vector<std::string> names{};  ///< a port each, in this order; empty: the best
    unsigned count = 1;
};

/// "mlx5_0,mlx5_1", or how many: "2". Throws UsageError.
Domains parse_domains(std::string_view text);

/// As the environment says: RAILYARD_OFI_DOMAINS, else RAILYARD_OFI_DOMAIN, which names one; one,
/// unless it does. Throws UsageError.
Domains domains_wished();

}  // namespace railyard::ofi
