#pragma once
/// Which of libfabric's providers and domains is used: what it offers, what the user wishes, and
/// the choice, which names what there is where nothing fits.

#include <rdma/fabric.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interconnects/real/ofi/loader/domains.hpp"
#include "railyard/base/time.hpp"

namespace railyard::ofi {

struct FreeInfo {
    void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using InfoList = std::unique_ptr<fi_info, FreeInfo>;

/// One line of fi_getinfo's answer, as far as the choice depends on it.
struct Offer {
    std::string provider{};   ///< "net", "tcp;ofi_rxm"
    std::string domain{};     ///< "eth0", "mlx5_0"
    std::string address{};    ///< for people
    std::string network{};    ///< of domains with the same one each reaches all others
    bool connected = false;   ///< message endpoints; else datagrams that are reliable (RDM)
    bool loopback = false;    ///< reached from this host only
    bool bridge = false;      ///< of this host's containers and guests; others may not reach it
    bool link_local = false;  ///< needs to know the interface at the other end
    bool newer_ip = false;    ///< IPv6
    bool is_adapter = false;  ///< a device of its own on the bus
    int node = -1;            ///< the NUMA node that it hangs at; -1: unknown
    unsigned distance = 0;    ///< from there to this rank's cores; 0: unknown
};

/// Those of a connection each (MSG), or one that all share (RDM).
enum class Endpoints : std::uint8_t { all, connected, shared };

struct Wish {
    std::string provider{};  ///< empty: the best
    Domains domains{};       ///< unless they are named: the nearest that other hosts reach
    Endpoints endpoints = Endpoints::all;
    bool tagged = false;                  ///< it is to match tags
    Duration patience = Duration::s(10);  ///< with a peer of whom nothing is heard
    unsigned place = 0;                   ///< of the rank, among those of its node
};

/// Sets the variables by which such a provider (empty: as the environment says) takes less memory.
/// It reads them once; best done before other threads may be reading any.
void set_variables(std::string_view provider);

/// What name and environment (RAILYARD_OFI_PROVIDER, RAILYARD_OFI_PATIENCE, domains_wished()) say;
/// the name has the last word. `net:rdm`, `net:msg`: of that provider, such endpoints. Throws
/// UsageError if something else is behind the colon, or the patience is no duration.
/// `tagged`: it must match tags, which only RDM endpoints do.
Wish wish_for(std::string_view provider, bool tagged = false, unsigned place = 0);

/// Whether a provider drives an adapter of its own kind, and is no software over what all hosts
/// have.
bool is_hardware(std::string_view provider);

/// The indices of those to use, all of one provider, a domain each. Throws UsageError, with what
/// was found, if there are none or too few.
std::vector<std::size_t> choose(std::span<const Offer> offers, const Wish& wish);

/// What libfabric has here that could carry a fabric; of all providers if none is named.
struct Found {
    std::vector<Offer> offers;
    std::vector<const fi_info*> infos;  ///< of each offer; they live as long as the lists
    std::vector<InfoList> lists;
};
Found look_around(const std::string& provider, Endpoints which, bool tagged = false);

/// What is to be opened, port by port. Throws as choose() does.
std::vector<InfoList> find_domains(const Wish& wish);

/// Of an error number of libfabric's, which may be negative.
std::string error_text(long error);

}  // namespace railyard::ofi
