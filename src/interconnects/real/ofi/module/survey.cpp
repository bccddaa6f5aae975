#include "interconnects/real/ofi/module/survey.hpp"

#include <fmt/format.h>
#include <rdma/fabric.h>

#include <algorithm>
#include <vector>

#include "interconnects/real/ofi/module/device.hpp"
#include "interconnects/real/ofi/module/provider.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

std::string claims(const fi_info& info) {
    std::string text = fmt::format("inject {} B", info.tx_attr->inject_size);
    if ((info.caps & FI_TAGGED) != 0) text += ", tags";
    if ((info.caps & FI_ATOMIC) != 0) text += ", atomics";
    if (info.domain_attr->data_progress == FI_PROGRESS_AUTO) text += ", progress by itself";
    return text;
}

/// Where it is, as far as anybody knows.
std::string place(const Offer& offer) {
    std::string text;
    if (!offer.network.empty()) text += fmt::format(", network {}", offer.network);
    if (offer.node >= 0) text += fmt::format(", NUMA node {}", offer.node);
    if (offer.distance > 0) text += fmt::format(" at distance {}", offer.distance);
    return text;
}

/// Opened for a moment: what a provider says of itself is not enough.
std::string found(const Offer& offer, const fi_info& info) {
    if (offer.link_local) return "not used: peers cannot tell which interface";
    try {
        const Device device(InfoList(fi_dupinfo(&info)), false);
        return device.findings();
    } catch (const Error& error) {
        return fmt::format("does not open: {}", error.what());
    }
}

}  // namespace

std::string survey_providers() {
    const Found all = look_around("", Endpoints::all);
    std::string text = fmt::format("libfabric {}.{}; * is what `ofi` takes\n",
                                   FI_MAJOR(fi_version()), FI_MINOR(fi_version()));
    std::vector<std::size_t> chosen;
    try {
        chosen = choose(all.offers, wish_for(""));
    } catch (const UsageError& error) {
        text += fmt::format("{}\n", error.what());
    }
    for (std::size_t i = 0; i < all.offers.size(); ++i) {
        const Offer& offer = all.offers[i];
        const auto port = std::ranges::find(chosen, i);
        text += fmt::format("{} ofi:{}, {}, domain {}{}{}{}\n", port != chosen.end() ? "*" : " ",
                            offer.provider, offer.connected ? "MSG" : "RDM", offer.domain,
                            offer.address.empty() ? "" : ", ", offer.address, place(offer));
        if (chosen.size() > 1 && port != chosen.end())
            text += fmt::format("    port:   {}\n", port - chosen.begin());
        text += fmt::format("    claims: {}\n", claims(*all.infos[i]));
        text += fmt::format("    found:  {}\n", found(offer, *all.infos[i]));
    }
    return text;
}

}  // namespace railyard::ofi
