#include "interconnects/real/ofi/module/device.hpp"

#include <poll.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/epoll.h>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "railyard/base/error.hpp"

namespace railyard::ofi {

namespace {

// Room for what all connections may have under way between two looks. Software providers grow.
constexpr std::size_t completion_depth = 8192;

void check(int error, std::string_view what, std::string_view provider) {
    if (error == 0) return;
    throw Error(fmt::format("ofi: provider {}: {}: {}", provider, what, error_text(error)));
}

InfoList chosen(const Wish& wish) {
    Found found = look_around(wish.provider, wish.endpoints, wish.tagged);
    try {
        return InfoList(fi_dupinfo(found.infos[choose(found.offers, wish)]));
    } catch (const UsageError&) {
        // Once more with all that there is, to say so.
        found = look_around("", wish.tagged ? Endpoints::shared : Endpoints::all, wish.tagged);
        return InfoList(fi_dupinfo(found.infos[choose(found.offers, wish)]));
    }
}

int wait_descriptor(fid& of) {
    int descriptor = -1;
    return fi_control(&of, FI_GETWAIT, &descriptor) == 0 ? descriptor : -1;
}

bool is_readable(int descriptor) {
    pollfd asked{descriptor, POLLIN, 0};
    return ::poll(&asked, 1, 0) != 0;
}

}  // namespace

Device::Device(const Wish& wish) : info_(chosen(wish)), tagged_(wish.tagged) {
    const std::string_view name = provider();
    if (requires_mode(FI_MR_ENDPOINT) && !is_shared())
        throw Error(fmt::format(
            "ofi: provider {} binds memory to endpoints, of which every connection has its own",
            name));
    fid_fabric* fabric = nullptr;
    check(fi_fabric(info_->fabric_attr, &fabric, nullptr), "opening the fabric", name);
    fabric_.reset(fabric);
    fid_domain* domain = nullptr;
    check(fi_domain(fabric, info_.get(), &domain, nullptr), "opening the domain", name);
    domain_.reset(domain);
    if (!is_shared()) open_events();
    open_completions();
    if (is_shared())
        open_shared();
    else
        listen();
    const bool ordered =
        (info_->tx_attr->msg_order & info_->rx_attr->msg_order & FI_ORDER_SAW) != 0;
    fetches_ = has_bad_reads() && ordered;
}

void Device::open_events() {
    fi_eq_attr event_attributes{};
    event_attributes.wait_obj = FI_WAIT_FD;
    fid_eq* events = nullptr;
    int error = fi_eq_open(fabric_.get(), &event_attributes, &events, nullptr);
    if (error != 0) {
        event_attributes.wait_obj = FI_WAIT_NONE;
        error = fi_eq_open(fabric_.get(), &event_attributes, &events, nullptr);
    }
    check(error, "opening the queue of events", provider());
    events_.reset(events);
}

void Device::open_completions() {
    // A descriptor is used only if it is quiet when there is nothing: some are always readable.
    // That of `net` (libfabric 1.17) is quiet now, and always readable as soon as it has
    // connections.
    if (core() != "net" && open_completions(FI_WAIT_FD)) {
        std::vector<int> descriptors = {wait_descriptor(completions_->fid)};
        if (events_) descriptors.push_back(wait_descriptor(events_->fid));
        if (std::ranges::min(descriptors) >= 0 && is_quiet(descriptors)) {
            Descriptor all(::epoll_create1(EPOLL_CLOEXEC));
            for (const int one : descriptors) {
                epoll_event event{};
                event.events = EPOLLIN;
                if (!all || ::epoll_ctl(all.get(), EPOLL_CTL_ADD, one, &event) != 0)
                    throw system_error("ofi: watching a provider's descriptors");
            }
            waiting_ = std::move(all);
            return;
        }
        log_debug("ofi: {}: its descriptor is always readable; waiting naps instead", provider());
    }
    if (!open_completions(FI_WAIT_NONE))
        throw Error(fmt::format("ofi: provider {}: there is no queue of completions", provider()));
}

bool Device::open_completions(fi_wait_obj wait) {
    completions_.reset();
    fi_cq_attr attributes{};
    attributes.format = is_tagged() ? FI_CQ_FORMAT_TAGGED : FI_CQ_FORMAT_MSG;
    attributes.wait_obj = wait;
    attributes.size = completion_depth;
    fid_cq* completions = nullptr;
    const int error = fi_cq_open(domain_.get(), &attributes, &completions, nullptr);
    if (error != 0) log_debug("ofi: {}: queue of completions: {}", provider(), error_text(error));
    completions_.reset(error == 0 ? completions : nullptr);
    return error == 0;
}

bool Device::is_quiet(std::span<const int> descriptors) {
    fi_cq_msg_entry entry;
    if (fi_cq_read(completions_.get(), &entry, 1) != -FI_EAGAIN || !may_sleep()) return false;
    return std::ranges::none_of(descriptors, is_readable);
}

bool Device::may_sleep() {
    std::array<fid*, 2> both = {&completions_->fid, events_ ? &events_->fid : nullptr};
    return fi_trywait(fabric_.get(), both.data(), events_ ? 2 : 1) == 0;
}

/// An endpoint of `tcp` and `net` that ends when half of a read's data have come frees the read
/// twice (libfabric up to 1.17.0; mended by its pull requests 8656 and 8660). Whatever is posted
/// later may then be taken for something else. What the peer writes goes another way in it.
bool Device::has_bad_reads() const {
    const bool mended = info_->fabric_attr->prov_version >= FI_VERSION(117, 10);
    return core() == "net" || (core() == "tcp" && !mended);
}

void Device::listen() {
    fid_pep* listening = nullptr;
    check(fi_passive_ep(fabric_.get(), info_.get(), &listening, nullptr), "a listening endpoint",
          provider());
    listening_.reset(listening);
    check(fi_pep_bind(listening, &events_->fid, 0), "binding events to it", provider());
    check(fi_listen(listening), "listening", provider());
    name_ = name_of(listening->fid);
}

void Device::open_shared() {
    fi_av_attr attributes{};
    attributes.type = FI_AV_TABLE;
    fid_av* addresses = nullptr;
    int error = fi_av_open(domain_.get(), &attributes, &addresses, nullptr);
    if (error != 0) {  // some of old know only the other kind
        attributes.type = FI_AV_MAP;
        error = fi_av_open(domain_.get(), &attributes, &addresses, nullptr);
    }
    check(error, "opening the table of addresses", provider());
    addresses_.reset(addresses);
    fid_ep* endpoint = nullptr;
    check(fi_endpoint(domain_.get(), info_.get(), &endpoint, nullptr), "an endpoint", provider());
    shared_.reset(endpoint);
    check(fi_ep_bind(endpoint, &addresses->fid, 0), "binding addresses to it", provider());
    check(fi_ep_bind(endpoint, &completions_->fid, FI_TRANSMIT | FI_RECV),
          "binding completions to it", provider());
    check(fi_enable(endpoint), "enabling it", provider());
    name_ = name_of(endpoint->fid);
}

std::vector<std::byte> Device::name_of(fid& named) {
    std::size_t size = 256;
    std::vector<std::byte> name(size);
    check(fi_getname(&named, name.data(), &size), "its own address", provider());
    name.resize(size);
    return name;
}

std::string Device::kind() const {
    return fmt::format("{}{}", provider(), is_shared() ? ":rdm" : "");
}

Owned<fid_ep> Device::open_endpoint(std::span<const std::byte> to, void* context) {
    const InfoList info(fi_dupinfo(info_.get()));
    if (!info) return nullptr;
    std::free(info->dest_addr);
    info->dest_addr = std::malloc(to.size());
    if (info->dest_addr == nullptr) return nullptr;
    std::memcpy(info->dest_addr, to.data(), to.size());
    info->dest_addrlen = to.size();
    return prepared(*info, context);
}

Owned<fid_ep> Device::open_endpoint(fi_info& asked, void* context) {
    return prepared(asked, context);
}

Owned<fid_ep> Device::prepared(fi_info& info, void* context) {
    fid_ep* endpoint = nullptr;
    int error = fi_endpoint(domain_.get(), &info, &endpoint, context);
    Owned<fid_ep> owned(error == 0 ? endpoint : nullptr);
    if (error == 0) error = fi_ep_bind(endpoint, &events_->fid, 0);
    if (error == 0) error = fi_ep_bind(endpoint, &completions_->fid, FI_TRANSMIT | FI_RECV);
    if (error == 0) error = fi_enable(endpoint);
    if (error == 0) return owned;
    log_error("ofi: provider {}: an endpoint: {}", provider(), error_text(error));
    return nullptr;
}

void Device::refuse(fi_info& asked) {
    fi_reject(listening_.get(), asked.handle, nullptr, 0);
}

std::string Device::findings() const {
    std::string text = descriptor() >= 0 ? "waits on a descriptor"
                                         : "waits by naps: no descriptor of its tells the truth";
    if (fetches()) text += "; peers write what is read: its reads do not survive a lost connection";
    text += fmt::format("; inline up to {} B; {} pieces of memory in an operation", inject_size(),
                        pieces());
    constexpr std::array<std::pair<std::uint64_t, const char*>, 4> modes = {
        {{FI_MR_LOCAL, "own buffers"},
         {FI_MR_VIRT_ADDR, "real addresses"},
         {FI_MR_PROV_KEY, "keys of its own"},
         {FI_MR_ALLOCATED, "pages that are there"}}};
    for (const auto& [bit, what] : modes)
        if (requires_mode(bit)) text += fmt::format("; registration needs {}", what);
    return text;
}

}  // namespace railyard::ofi
