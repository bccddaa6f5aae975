#include "interconnects/real/ofi/module/provider.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "base/quantity.hpp"
#include "base/topology.hpp"
#include "interconnects/real/ofi/module/nearness.hpp"
#include "interconnects/real/ofi/module/wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

void describe_address(Offer& offer, const fi_info& info) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    if (info.addr_format == FI_SOCKADDR_IN && info.src_addr != nullptr) {
        sockaddr_in address;
        std::memcpy(&address, info.src_addr, sizeof address);
        inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
        offer.loopback = (ntohl(address.sin_addr.s_addr) >> 24) == 127;
        offer.link_local = (ntohl(address.sin_addr.s_addr) >> 16) == 0xa9fe;
    } else if (info.addr_format == FI_SOCKADDR_IN6 && info.src_addr != nullptr) {
        sockaddr_in6 address;
        std::memcpy(&address, info.src_addr, sizeof address);
        inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
        offer.loopback = IN6_IS_ADDR_LOOPBACK(&address.sin6_addr);
        offer.link_local = IN6_IS_ADDR_LINKLOCAL(&address.sin6_addr);
        offer.newer_ip = true;
    }
    offer.address = text.data();
}

/// docker0 and its like: their addresses are the same on many hosts, and go with their guests.
bool is_bridge(const std::string& interface) {
    return ::access(fmt::format("/sys/class/net/{}/bridge", interface).c_str(), F_OK) == 0;
}

void describe_place(Offer& offer, const fi_info& info, std::span<const int> cores) {
    if (info.fabric_attr->name != nullptr) offer.network = info.fabric_attr->name;
    offer.is_adapter = info.nic != nullptr;
    const auto node = node_of(device_folder(info));
    if (!node) return;
    offer.node = *node;
    offer.distance = distance(*node, cores);
}

constexpr const char* patience_variable = "RAILYARD_OFI_PATIENCE";

Duration patience_of(const std::string& text, Duration unless_set) {
    if (text.empty()) return unless_set;
    try {
        const Duration patience = parse_duration(text);
        if (patience >= Duration::ms(1)) return patience;
        throw UsageError(fmt::format("expected at least '1 ms', found '{}'", text));
    } catch (const UsageError& error) {
        throw UsageError(fmt::format("{}: {}", patience_variable, error.what()));
    }
}

/// ofi_rxm fills pools of 16 KiB buffers, by the length of its queues, before anybody has sent
/// anything: 70 MB. Over tcp its buffers may be shorter than the messages that it sends eagerly. It
/// looks at variables, once, when libfabric is first asked for anything.
void spare_memory(const std::string& provider) {
    if (provider != "tcp;ofi_rxm") return;
    const std::string longest = fmt::format("{}", sizeof(Header) + longest_data);
    const std::array<std::pair<const char*, const char*>, 6> sizes = {
        {{"FI_OFI_RXM_BUFFER_SIZE", "1024"},
         {"FI_OFI_RXM_EAGER_LIMIT", longest.c_str()},
         {"FI_OFI_RXM_MSG_RX_SIZE", "8"},
         {"FI_OFI_RXM_MSG_TX_SIZE", "8"},
         {"FI_OFI_RXM_RX_SIZE", "64"},
         {"FI_OFI_RXM_TX_SIZE", "64"}}};
    // Where they are set already nothing is written: other threads may be reading.
    for (const auto& [name, value] : sizes)
        if (std::getenv(name) == nullptr) ::setenv(name, value, 0);
}

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string provider_wished(std::string_view provider) {
    return provider.empty() ? variable("RAILYARD_OFI_PROVIDER") : std::string(provider);
}

InfoList ask(fi_ep_type type, const std::string& provider, bool tagged) {
    const InfoList hints(fi_allocinfo());
    if (!hints) throw Error("ofi: no memory for libfabric's hints");
    hints->caps = FI_MSG | FI_RMA | (tagged ? FI_TAGGED | FI_DIRECTED_RECV : 0);
    // All that we can live with: who offers less is shown less.
    hints->mode = FI_CONTEXT | FI_CONTEXT2 | FI_RX_CQ_DATA;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->domain_attr->threading = FI_THREAD_DOMAIN;
    hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
    hints->ep_attr->type = type;
    hints->tx_attr->msg_order = FI_ORDER_SAS;
    hints->rx_attr->msg_order = FI_ORDER_SAS;
    if (!provider.empty()) hints->fabric_attr->prov_name = strdup(provider.c_str());
    fi_info* found = nullptr;
    const int error = fi_getinfo(FI_VERSION(1, 17), nullptr, nullptr, 0, hints.get(), &found);
    if (error != 0 && error != -FI_ENODATA) log_debug("ofi: fi_getinfo: {}", error_text(error));
    return InfoList(error == 0 ? found : nullptr);
}

}  // namespace

std::string error_text(long error) {
    return fi_strerror(static_cast<int>(std::abs(error)));
}

void set_variables(std::string_view provider) {
    const std::string wished = provider_wished(provider);
    spare_memory(wished.substr(0, wished.find(':')));
}

Wish wish_for(std::string_view provider, bool tagged, unsigned place) {
    Wish wish{.provider = provider_wished(provider), .domains = domains_wished(), .place = place};
    wish.patience = patience_of(variable(patience_variable), wish.patience);
    wish.tagged = tagged;
    if (tagged) wish.endpoints = Endpoints::shared;
    const std::size_t colon = wish.provider.find(':');
    if (colon == std::string::npos) return wish;
    const std::string kind = wish.provider.substr(colon + 1);
    if (kind != "msg" && kind != "rdm")
        throw UsageError(fmt::format(
            "ofi: '{}': behind the provider's name there may be :msg or :rdm", wish.provider));
    if (tagged && kind == "msg")
        throw UsageError(fmt::format(
            "ofi: '{}': MSG endpoints match no tags; take :rdm, or unset RAILYARD_OFI_TAGGED",
            wish.provider));
    wish.endpoints = kind == "msg" ? Endpoints::connected : Endpoints::shared;
    wish.provider.resize(colon);
    return wish;
}

Found look_around(const std::string& provider, Endpoints which, bool tagged) {
    Found found;
    spare_memory(provider);
    const std::vector<int> cores = allowed_cores();
    for (const fi_ep_type type : {FI_EP_MSG, FI_EP_RDM}) {
        if (type == (which == Endpoints::connected ? FI_EP_RDM : FI_EP_MSG) &&
            which != Endpoints::all)
            continue;
        found.lists.push_back(ask(type, provider, tagged));
        for (const fi_info* info = found.lists.back().get(); info != nullptr; info = info->next) {
            Offer offer;
            offer.provider = info->fabric_attr->prov_name;
            offer.domain = info->domain_attr->name != nullptr ? info->domain_attr->name : "";
            offer.connected = type == FI_EP_MSG;
            describe_address(offer, *info);
            offer.bridge = is_bridge(offer.domain);
            describe_place(offer, *info, cores);
            const bool again = std::ranges::any_of(found.offers, [&](const Offer& other) {
                return other.provider == offer.provider && other.domain == offer.domain &&
                       other.address == offer.address && other.connected == offer.connected;
            });
            if (again) continue;
            found.offers.push_back(std::move(offer));
            found.infos.push_back(info);
        }
    }
    return found;
}

std::vector<InfoList> find_domains(const Wish& wish) {
    Found found = look_around(wish.provider, wish.endpoints, wish.tagged);
    std::vector<std::size_t> chosen;
    try {
        chosen = choose(found.offers, wish);
    } catch (const UsageError&) {
        // Once more with all that there is, to say so.
        found = look_around("", wish.tagged ? Endpoints::shared : Endpoints::all, wish.tagged);
        chosen = choose(found.offers, wish);
    }
    std::vector<InfoList> infos;
    for (const std::size_t one : chosen)
        infos.emplace_back(fi_dupinfo(found.infos[one]));
    return infos;
}

}  // namespace railyard::ofi
