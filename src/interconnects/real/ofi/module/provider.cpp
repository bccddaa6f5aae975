#include "interconnects/real/ofi/module/provider.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <tuple>

#include "base/log.hpp"
#include "base/quantity.hpp"
#include "interconnects/real/ofi/module/wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

/// Best first. What is not named comes between hardware and software, in libfabric's order.
constexpr std::array hardware = {"verbs", "cxi", "efa", "opx", "psm3"};
// `net` of libfabric 1.17 is quicker than `tcp`, but nobody can sleep on its descriptor. From 1.18
// on it is `tcp`.
constexpr std::array software = {"tcp", "net", "sockets"};

/// `sockets` is deprecated and a thousand times slower; nobody gets it who does not ask for it.
bool only_if_asked(std::string_view provider) {
    const std::string_view core = provider.substr(0, provider.find(';'));
    return core == "sockets" || core == "udp" || core == "shm";
}

std::size_t rank_of(std::string_view provider) {
    const std::string_view core = provider.substr(0, provider.find(';'));
    const auto hard = std::ranges::find(hardware, core);
    if (hard != hardware.end()) return static_cast<std::size_t>(hard - hardware.begin());
    const auto soft = std::ranges::find(software, core);
    const std::size_t others = hardware.size();
    if (soft == software.end()) return others;
    return others + 1 + static_cast<std::size_t>(soft - software.begin());
}

bool is_usable(const Offer& offer) {
    return !offer.link_local;
}

bool fits(const Offer& offer, const Wish& wish) {
    if (!wish.provider.empty() && offer.provider != wish.provider) return false;
    if (wish.provider.empty() && only_if_asked(offer.provider)) return false;
    if (wish.endpoints != Endpoints::all &&
        offer.connected != (wish.endpoints == Endpoints::connected))
        return false;
    return wish.domain.empty() || offer.domain == wish.domain;
}

/// Whether `a` is to be taken rather than `b`.
bool better(const Offer& a, const Offer& b) {
    const auto order = [](const Offer& o) {
        return std::tuple(rank_of(o.provider), !o.connected, o.loopback, o.bridge, o.newer_ip);
    };
    return order(a) < order(b);
}

/// Those that can be used, each with its domains; of the others only the names.
std::string list_of(std::span<const Offer> offers) {
    std::map<std::string, std::set<std::string>> usable;
    std::set<std::string> others;
    for (const Offer& offer : offers)
        if (is_usable(offer)) usable[offer.provider].insert(offer.domain);
    for (const Offer& offer : offers)
        if (!usable.contains(offer.provider)) others.insert(offer.provider);
    std::string text;
    for (const auto& [provider, domains] : usable)
        text +=
            fmt::format("{}{} on {}", text.empty() ? "" : "; ", provider, fmt::join(domains, ", "));
    if (text.empty()) text = "nothing";
    if (!others.empty()) text += fmt::format(" (of no use: {})", fmt::join(others, ", "));
    return text;
}

/// What somebody can do about a provider that libfabric does not show.
std::string advice_on(const Wish& wish) {
    const std::string core = wish.provider.substr(0, wish.provider.find(';'));
    if (wish.tagged) return "unset RAILYARD_OFI_TAGGED, or choose another with ofi:PROVIDER";
    if (std::ranges::find(hardware, core) != hardware.end())
        return fmt::format(
            "libfabric shows {} only where it finds such a device: `fi_info -p {}` tells, and with "
            "FI_LOG_LEVEL=info why not",
            core, core);
    return "choose with ofi:PROVIDER, RAILYARD_OFI_PROVIDER and RAILYARD_OFI_DOMAIN";
}

std::string asked_for(const Wish& wish) {
    std::string text =
        wish.provider.empty() ? "any provider" : fmt::format("provider '{}'", wish.provider);
    if (wish.endpoints != Endpoints::all)
        text +=
            wish.endpoints == Endpoints::connected ? " with MSG endpoints" : " with RDM endpoints";
    if (wish.tagged) text += " with tags";
    if (!wish.domain.empty()) text += fmt::format(" on domain '{}'", wish.domain);
    return text;
}

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
    const std::string longest = fmt::format("{}", longest_message);
    const std::array<std::pair<const char*, const char*>, 6> sizes = {
        {{"FI_OFI_RXM_BUFFER_SIZE", "1024"},
         {"FI_OFI_RXM_EAGER_LIMIT", longest.c_str()},
         {"FI_OFI_RXM_MSG_RX_SIZE", "8"},
         {"FI_OFI_RXM_MSG_TX_SIZE", "8"},
         {"FI_OFI_RXM_RX_SIZE", "64"},
         {"FI_OFI_RXM_TX_SIZE", "64"}}};
    for (const auto& [name, value] : sizes)
        ::setenv(name, value, 0);
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

bool is_hardware(std::string_view provider) {
    return rank_of(provider) < hardware.size();
}

std::string error_text(long error) {
    return fi_strerror(static_cast<int>(std::abs(error)));
}

Wish wish_for(std::string_view provider, bool tagged) {
    const auto variable = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string(value != nullptr ? value : "");
    };
    Wish wish{std::string(provider), variable("RAILYARD_OFI_DOMAIN"), Endpoints::all};
    wish.patience = patience_of(variable(patience_variable), wish.patience);
    if (wish.provider.empty()) wish.provider = variable("RAILYARD_OFI_PROVIDER");
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

std::size_t choose(std::span<const Offer> offers, const Wish& wish) {
    const Offer* best = nullptr;
    for (const Offer& offer : offers) {
        if (!fits(offer, wish) || !is_usable(offer)) continue;
        if (best == nullptr || better(offer, *best)) best = &offer;
    }
    if (best != nullptr) return static_cast<std::size_t>(best - offers.data());
    throw UsageError(fmt::format("ofi: libfabric does not have {} here; found: {}; {}",
                                 asked_for(wish), list_of(offers), advice_on(wish)));
}

Found look_around(const std::string& provider, Endpoints which, bool tagged) {
    Found found;
    spare_memory(provider);
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

}  // namespace railyard::ofi
