#include "interconnects/real/ofi/module/device.hpp"

#include <poll.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <sys/epoll.h>
#include <sys/socket.h>

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
// Endpoints on a queue that polls them one by one.
constexpr std::size_t most_polled = 16;

void check(int error, std::string_view what, std::string_view provider) {
    if (error == 0) return;
    throw Error(fmt::format("ofi: provider {}: {}: {}", provider, what, error_text(error)));
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

Device::Device(InfoList info, bool tagged) : info_(std::move(info)), tagged_(tagged) {
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
    ordered_ = (info_->tx_attr->msg_order & info_->rx_attr->msg_order & FI_ORDER_SAW) != 0;
    fetches_ = has_bad_reads() && ordered_;
    // Such a word must need no receive, and have room for a number of ours.
    brings_words_ = ordered_ && !is_shared() && (info_->mode & FI_RX_CQ_DATA) == 0 &&
                    info_->domain_attr->cq_data_size >= sizeof(std::uint64_t);
    const bool on_sockets = !is_shared() && (core() == "tcp" || core() == "net");
    if (on_sockets) longest_data_ = longest_data_on_sockets;
    if (!is_shared()) open_events();
    open_completions();
    if (is_shared())
        open_shared();
    else
        listen();
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

/// A descriptor is used only if it is quiet when there is nothing: some are always readable. That
/// of `net` (libfabric 1.17) is quiet now, and always readable as soon as it has connections.
void Device::open_completions() {
    // `tcp` with a descriptor keeps an epoll set, which costs it a fifth of its latency. It also
    // tells what it polls; that comes into a set of ours, when somebody is about to sleep.
    polls_ = is_old_tcp() && !is_shared() && open_completions(FI_WAIT_POLLFD);
    if (polls_ && watch({}) && ignore_noise() && is_quiet({})) return;
    polls_ = false;
    if (core() != "net" && open_completions(FI_WAIT_FD)) {
        const int descriptor = wait_descriptor(completions_->fid);
        if (descriptor >= 0 && watch(std::span(&descriptor, 1)) &&
            is_quiet(std::span(&descriptor, 1)))
            return;
        log_debug("ofi: {}: its descriptor is always readable; waiting naps instead", provider());
    }
    waiting_ = Descriptor();
    if (!open_completions(FI_WAIT_NONE))
        throw Error(fmt::format("ofi: provider {}: there is no queue of completions", provider()));
}

bool Device::open_completions(fi_wait_obj wait) {
    completions_.reset();
    completions_ = open_queue(wait);
    return completions_ != nullptr;
}

Owned<fid_cq> Device::open_queue(fi_wait_obj wait) {
    fi_cq_attr attributes{};
    attributes.format = is_tagged()      ? FI_CQ_FORMAT_TAGGED
                        : brings_words() ? FI_CQ_FORMAT_DATA
                                         : FI_CQ_FORMAT_MSG;
    attributes.wait_obj = wait;
    attributes.size = completion_depth;
    fid_cq* queue = nullptr;
    const int error = fi_cq_open(domain_.get(), &attributes, &queue, nullptr);
    if (error != 0) log_debug("ofi: {}: queue of completions: {}", provider(), error_text(error));
    return Owned<fid_cq>(error == 0 ? queue : nullptr);
}

/// To poll many sockets one by one takes longer than to ask an epoll set.
fid_cq& Device::queue_for(const fid_ep& endpoint) {
    if (!polls_) return *completions_;
    if (few_.size() >= most_polled && !crowded_) {
        crowded_ = open_queue(FI_WAIT_FD);
        const int descriptor = crowded_ ? wait_descriptor(crowded_->fid) : -1;
        epoll_event event{};
        event.events = EPOLLIN;
        if (descriptor < 0 || ::epoll_ctl(waiting_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
            crowded_.reset();
    }
    if (few_.size() >= most_polled && crowded_) return *crowded_;
    few_.push_back(&endpoint);
    return *completions_;
}

/// False if there is nothing to sleep on.
bool Device::watch(std::span<const int> descriptors) {
    std::vector<int> all(descriptors.begin(), descriptors.end());
    if (events_) all.push_back(wait_descriptor(events_->fid));
    if (!all.empty() && std::ranges::min(all) < 0) return false;
    waiting_ = Descriptor(::epoll_create1(EPOLL_CLOEXEC));
    for (const int one : all) {
        epoll_event event{};
        event.events = EPOLLIN;
        if (!waiting_ || ::epoll_ctl(waiting_.get(), EPOLL_CTL_ADD, one, &event) != 0)
            throw system_error("ofi: watching a provider's descriptors");
    }
    return true;
}

bool Device::list_polled() {
    polled_.resize(std::max<std::size_t>(polled_.capacity(), most_polled));
    fi_wait_pollfd list{};
    for (;;) {
        list.nfds = polled_.size();
        list.fd = polled_.data();
        const int error = fi_control(&completions_->fid, FI_GETWAIT, &list);
        if (error == 0) break;
        if (error != -FI_ETOOSMALL || list.nfds <= polled_.size()) return false;
        polled_.resize(list.nfds);
    }
    polled_.resize(list.nfds);
    return true;
}

/// One of them only tells other threads that the list has changed, and is readable ever after.
bool Device::ignore_noise() {
    fi_cq_tagged_entry entry;  // room for any
    // The list is made when the queue is read.
    if (fi_cq_read(completions_.get(), &entry, 1) != -FI_EAGAIN || !list_polled()) return false;
    for (const pollfd& one : polled_)
        (is_readable(one.fd) ? noise_ : signals_).push_back(one.fd);
    return noise_.size() < polled_.size();
}

/// With each completion `tcp` writes to a socket of its own, for somebody who may sleep in another
/// thread, and reads it again when it polls next. Who has read it first leaves it in the belief
/// that it is still written, which saves all further ones: two system calls a message. Nobody needs
/// them, since completions come only inside of our calls.
void Device::take_signals() {
    std::byte signal;
    for (const int one : signals_)
        if (::recv(one, &signal, sizeof signal, MSG_DONTWAIT) <= 0) return;
    signals_.clear();
}

/// All of them each time: a descriptor that was closed has left the set, and its number may be
/// another's by now.
bool Device::watch_polled() {
    if (!list_polled()) return false;
    for (const int old : watched_)
        if (std::ranges::find(polled_, old, &pollfd::fd) == polled_.end())
            ::epoll_ctl(waiting_.get(), EPOLL_CTL_DEL, old, nullptr);
    watched_.clear();
    for (const pollfd& one : polled_) {
        if (one.fd < 0 || std::ranges::find(noise_, one.fd) != noise_.end()) continue;
        epoll_event event{};  // the bits of poll() are those of epoll
        event.events = static_cast<std::uint32_t>(one.events);
        if (::epoll_ctl(waiting_.get(), EPOLL_CTL_MOD, one.fd, &event) != 0 &&
            ::epoll_ctl(waiting_.get(), EPOLL_CTL_ADD, one.fd, &event) != 0)
            return false;
        watched_.push_back(one.fd);
    }
    return true;
}

bool Device::is_quiet(std::span<const int> descriptors) {
    fi_cq_tagged_entry entry;  // room for any
    if (fi_cq_read(completions_.get(), &entry, 1) != -FI_EAGAIN || !may_sleep()) return false;
    return !is_readable(waiting_.get()) && std::ranges::none_of(descriptors, is_readable);
}

/// A queue whose signals were taken must not be asked by fi_trywait(), which would wait for one:
/// the caller has found it empty.
bool Device::may_sleep() {
    std::array<fid*, 3> asked{};
    std::size_t count = 0;
    if (!polls_) asked[count++] = &completions_->fid;
    if (crowded_) asked[count++] = &crowded_->fid;
    if (events_) asked[count++] = &events_->fid;
    return fi_trywait(fabric_.get(), asked.data(), static_cast<int>(count)) == 0 &&
           (!polls_ || watch_polled());
}

/// An endpoint of `tcp` and `net` that ends when half of a read's data have come frees the read
/// twice (libfabric up to 1.17.0; mended by its pull requests 8656 and 8660). Whatever is posted
/// later may then be taken for something else. What the peer writes goes another way in it.
bool Device::has_bad_reads() const {
    return core() == "net" || is_old_tcp();
}

/// From libfabric 1.18 on `tcp` is what `net` was.
bool Device::is_old_tcp() const {
    return core() == "tcp" && info_->fabric_attr->prov_version < FI_VERSION(117, 10);
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
    if (error == 0) error = fi_ep_bind(endpoint, &queue_for(*endpoint).fid, FI_TRANSMIT | FI_RECV);
    if (error == 0) error = fi_enable(endpoint);
    if (error == 0) return owned;
    log_error("ofi: provider {}: an endpoint: {}", provider(), error_text(error));
    if (owned) closing(*owned);
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
