// Which of the domains that libfabric offers become ports: those of the best provider, the nearest
// first.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>

#include "interconnects/real/ofi/module/provider.hpp"
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
    const std::vector<std::string>& names = wish.domains.names;
    return names.empty() || std::ranges::find(names, offer.domain) != names.end();
}

/// Whether `a` is to be taken rather than `b`.
bool better(const Offer& a, const Offer& b) {
    const auto order = [](const Offer& o) {
        return std::tuple(rank_of(o.provider), !o.connected, o.loopback, o.bridge, o.distance,
                          o.newer_ip);
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
    return "choose with ofi:PROVIDER, RAILYARD_OFI_PROVIDER and RAILYARD_OFI_DOMAINS";
}

std::string asked_for(const Wish& wish) {
    std::string text =
        wish.provider.empty() ? "any provider" : fmt::format("provider '{}'", wish.provider);
    if (wish.endpoints != Endpoints::all)
        text +=
            wish.endpoints == Endpoints::connected ? " with MSG endpoints" : " with RDM endpoints";
    if (wish.tagged) text += " with tags";
    if (!wish.domains.names.empty())
        text += fmt::format(" on domain '{}'", fmt::join(wish.domains.names, "', '"));
    return text;
}

/// Of those that fit, by the best: of the same provider and kind, one a domain, the best first.
std::vector<const Offer*> domains_beside(const Offer& best, std::span<const Offer> offers,
                                         const Wish& wish) {
    std::vector<const Offer*> domains;
    for (const Offer& offer : offers) {
        if (!fits(offer, wish) || !is_usable(offer)) continue;
        if (offer.provider != best.provider || offer.connected != best.connected) continue;
        const auto same = std::ranges::find(domains, offer.domain, &Offer::domain);
        if (same == domains.end())
            domains.push_back(&offer);
        else if (better(offer, **same))
            *same = &offer;
    }
    std::ranges::stable_sort(domains,
                             [](const Offer* a, const Offer* b) { return better(*a, *b); });
    return domains;
}

/// Ranks of one node share them, where they are adapters that reach the same peers.
const Offer* share_of(std::span<const Offer* const> domains, unsigned place) {
    const Offer& best = *domains.front();
    std::vector<const Offer*> equal;
    for (const Offer* domain : domains)
        if (domain->is_adapter && domain->network == best.network && !better(best, *domain))
            equal.push_back(domain);
    return best.is_adapter ? equal[place % equal.size()] : &best;
}

[[noreturn]] void throw_too_few(std::span<const Offer* const> domains, const Wish& wish) {
    std::set<std::string> names;
    for (const Offer* domain : domains)
        names.insert(domain->domain);
    throw UsageError(fmt::format(
        "ofi: {} asks for {} domains of {}, and those that other hosts reach are {}: {}; ask for "
        "fewer, or name others",
        domains_variable, wish.domains.count, domains.front()->provider, names.size(),
        fmt::join(names, ", ")));
}

}  // namespace

bool is_hardware(std::string_view provider) {
    return rank_of(provider) < hardware.size();
}

std::vector<std::size_t> choose(std::span<const Offer> offers, const Wish& wish) {
    const Offer* best = nullptr;
    for (const Offer& offer : offers) {
        if (!fits(offer, wish) || !is_usable(offer)) continue;
        if (best == nullptr || better(offer, *best)) best = &offer;
    }
    const auto refuse = [&](const Wish& unmet) {
        throw UsageError(fmt::format("ofi: libfabric does not have {} here; found: {}; {}",
                                     asked_for(unmet), list_of(offers), advice_on(unmet)));
    };
    if (best == nullptr) refuse(wish);
    std::vector<const Offer*> domains = domains_beside(*best, offers, wish);
    std::vector<const Offer*> chosen;
    for (const std::string& name : wish.domains.names) {
        const auto found = std::ranges::find(domains, name, &Offer::domain);
        if (found == domains.end()) {
            Wish unmet = wish;
            unmet.provider = best->provider;
            unmet.domains.names = {name};
            refuse(unmet);
        }
        chosen.push_back(*found);
    }
    if (chosen.empty() && wish.domains.count == 1) {
        chosen = {share_of(domains, wish.place)};
    } else if (chosen.empty()) {
        // Those that are only for this host are of use to nobody beside others.
        const auto is_private = [](const Offer* offer) { return offer->loopback || offer->bridge; };
        if (!is_private(domains.front())) std::erase_if(domains, is_private);
        if (domains.size() < wish.domains.count) throw_too_few(domains, wish);
        chosen.assign(domains.begin(), domains.begin() + wish.domains.count);
    }
    std::vector<std::size_t> indices;
    for (const Offer* offer : chosen)
        indices.push_back(static_cast<std::size_t>(offer - offers.data()));
    return indices;
}

}  // namespace railyard::ofi
