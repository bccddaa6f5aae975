/// A provider of libfabric that demands all that hardware may: memory that is registered before it
/// is used here, too, keys of the provider's own, real addresses, regions bound to the endpoint,
/// scratch space in contexts, hardly anything inline, one piece of memory in an operation, and
/// short operations. It has no order but that of messages, no descriptor to sleep on, often no
/// room, and tells of completions in any order, but for receives with tags. Each domain is there
/// twice, as two adapters of one network. Below it are RDM endpoints of `net`, or of `tcp;ofi_rxm`
/// for who wants tags. RAILYARD_STRICT_MEMORY says what else than all it demands of memory
/// (`mr_mode`): words of `demands` with commas between, or none.
///
/// libfabric loads it from FI_PROVIDER_PATH. What breaks a rule is told on standard error and
/// refused.

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>
#include <rdma/providers/fi_prov.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr const char* name = "strict";
constexpr const char* twice = "-again";  ///< behind the name of a domain
constexpr struct {
    std::string_view word;
    std::uint64_t bit;
} demands[] = {{"local", FI_MR_LOCAL},
               {"addresses", FI_MR_VIRT_ADDR},
               {"allocated", FI_MR_ALLOCATED},
               {"keys", FI_MR_PROV_KEY},
               {"endpoint", FI_MR_ENDPOINT}};
constexpr std::size_t most_inline = 16;
constexpr std::size_t longest = 64 << 10;

long breach(const char* what) {
    std::fprintf(stderr, "strict: %s\n", what);
    return -FI_EINVAL;
}

/// Of memory. A word that is none ends the test: it would test something else.
std::uint64_t read_demands() {
    const char* const said = std::getenv("RAILYARD_STRICT_MEMORY");
    std::string_view left = said != nullptr ? said : "local,addresses,allocated,keys,endpoint";
    std::uint64_t bits = 0;
    while (!left.empty()) {
        const std::string_view word = left.substr(0, left.find(','));
        left.remove_prefix(std::min(left.size(), word.size() + 1));
        const auto* const found =
            std::ranges::find(demands, word, [](const auto& demand) { return demand.word; });
        if (found == std::end(demands)) {
            std::fprintf(stderr, "strict: RAILYARD_STRICT_MEMORY: '%.*s' is no demand\n",
                         static_cast<int>(word.size()), word.data());
            std::abort();
        }
        bits |= found->bit;
    }
    return bits;
}

std::uint64_t demanded() {
    static const std::uint64_t bits = read_demands();
    return bits;
}
bool is_demanded(std::uint64_t bit) {
    return (demanded() & bit) != 0;
}

// Ranks may be threads of one process.
std::recursive_mutex guard;
using Held = std::lock_guard<std::recursive_mutex>;
std::minstd_rand chance{1};

bool has_room() {
    const Held held(guard);
    return chance() % 4 != 0;
}

/// Who is below, as it was asked for last: all of a process ask for the same.
bool with_tags = false;
const char* below() {
    return with_tags ? "tcp;ofi_rxm" : "net";
}
/// What it said, of which ours is made and which it wants to see again.
fi_info* theirs = nullptr;

/// A region, which who is below hears of when it is enabled, or at once if it need not be.
struct Region {
    fid_mr mr{};
    fid_domain* domain = nullptr;
    const std::byte* memory = nullptr;
    std::size_t size = 0;
    std::uint64_t access = 0;
    std::uint64_t key_asked = 0;
    bool bound = false;
    fid_mr* registered = nullptr;
};
std::set<const void*> regions;
std::uint64_t keys = 0x7000'0000;

Region& region_of(fid* mr) {
    return *reinterpret_cast<Region*>(mr);
}

bool covers(const void* descriptor, const void* memory, std::size_t size) {
    if (!is_demanded(FI_MR_LOCAL)) return true;
    const Held held(guard);
    if (!regions.contains(descriptor)) return false;
    const Region& region = *static_cast<const Region*>(descriptor);
    const auto* const first = static_cast<const std::byte*>(memory);
    return region.registered != nullptr && first >= region.memory &&
           first + size <= region.memory + region.size;
}

// Tables of functions of who is below, and ours, which differ in what is demanded. They are filled
// once: other ranks may be calling through them.
const fi_ops_fabric* fabric_below = nullptr;
const fi_ops_domain* domain_below = nullptr;
const fi_ops_mr* memory_below = nullptr;
const fi_ops_msg* messages_below = nullptr;
const fi_ops_rma* moves_below = nullptr;
const fi_ops_tagged* tagged_below = nullptr;
const fi_ops_cq* completions_below = nullptr;
fi_ops_fabric our_fabric{};
fi_ops_domain our_domain{};
fi_ops_mr our_memory{};
fi_ops_msg our_messages{};
fi_ops_rma our_moves{};
fi_ops_tagged our_tagged{};
fi_ops_cq our_completions{};

int close_region(fid* mr) {
    const Held held(guard);
    Region& region = region_of(mr);
    if (region.registered != nullptr) fi_close(&region.registered->fid);
    regions.erase(&region);
    delete &region;
    return 0;
}

int bind_region(fid* mr, fid*, std::uint64_t) {
    region_of(mr).bound = true;
    return 0;
}

/// Offsets are counted from 0 below. So for whom addresses count, all of memory is registered.
int enter(Region& region, std::uint64_t key) {
    const bool by_address = is_demanded(FI_MR_VIRT_ADDR);
    const int error = memory_below->reg(&region.domain->fid, by_address ? nullptr : region.memory,
                                        by_address ? ~std::size_t{0} >> 1 : region.size,
                                        region.access, 0, key, 0, &region.registered, nullptr);
    if (error == 0) region.mr.key = key;
    return error;
}

int enable_region(fid* mr, int command, void*) {
    Region& region = region_of(mr);
    if (command != FI_ENABLE) return -FI_ENOSYS;
    if (!is_demanded(FI_MR_ENDPOINT) || !region.bound)
        return static_cast<int>(breach("a region is enabled that is not bound"));
    const Held held(guard);
    return enter(region, region.key_asked != 0 ? region.key_asked : ++keys);
}

fi_ops region_functions{sizeof(fi_ops), close_region, bind_region, enable_region,
                        nullptr,        nullptr,      nullptr};

int register_memory(fid* domain, const void* memory, std::size_t size, std::uint64_t access,
                    std::uint64_t, std::uint64_t key, std::uint64_t, fid_mr** mr, void* context) {
    if (is_demanded(FI_MR_PROV_KEY) != (key == 0))
        return static_cast<int>(breach(key != 0 ? "a key is asked for" : "no key is asked for"));
    auto* const region = new Region;
    region->mr.fid = {FI_CLASS_MR, context, &region_functions};
    region->mr.mem_desc = region;
    region->mr.key = FI_KEY_NOTAVAIL;
    region->domain = reinterpret_cast<fid_domain*>(domain);
    region->memory = static_cast<const std::byte*>(memory);
    region->size = size;
    region->access = access;
    region->key_asked = key;
    const Held held(guard);
    if (!is_demanded(FI_MR_ENDPOINT)) {
        const int error = enter(*region, key != 0 ? key : ++keys);
        if (error != 0) {
            delete region;
            return error;
        }
    }
    regions.insert(region);
    *mr = &region->mr;
    return 0;
}

/// Whether an operation may be given to who is below: 0, or what to answer.
long check(const iovec& piece, void* descriptor, std::size_t count, void* context) {
    if (count != 1) return breach("more than one piece of memory");
    if (!covers(descriptor, piece.iov_base, piece.iov_len))
        return breach("memory that is not registered");
    if (context == nullptr) return breach("no context");
    if (!has_room()) return -FI_EAGAIN;
    std::memset(context, 0xa5, sizeof(fi_context2));
    return 0;
}

ssize_t receive(fid_ep* ep, void* data, std::size_t n, void* descriptor, fi_addr_t from,
                void* context) {
    const long answer = check({data, n}, descriptor, 1, context);
    return answer != 0 ? answer : messages_below->recv(ep, data, n, nullptr, from, context);
}
ssize_t send(fid_ep* ep, const void* data, std::size_t n, void* descriptor, fi_addr_t to,
             void* context) {
    if (n > longest) return breach("a message that is too long");
    const long answer = check({const_cast<void*>(data), n}, descriptor, 1, context);
    return answer != 0 ? answer : messages_below->send(ep, data, n, nullptr, to, context);
}
ssize_t send_pieces(fid_ep* ep, const iovec* list, void** descriptors, std::size_t count,
                    fi_addr_t to, void* context) {
    const long answer = check(list[0], descriptors[0], count, context);
    if (answer != 0) return answer;
    return messages_below->send(ep, list[0].iov_base, list[0].iov_len, nullptr, to, context);
}
ssize_t inject(fid_ep* ep, const void* data, std::size_t n, fi_addr_t to) {
    if (n > most_inline) return breach("too much inline");
    return has_room() ? messages_below->inject(ep, data, n, to) : -FI_EAGAIN;
}

ssize_t receive_tagged(fid_ep* ep, void* data, std::size_t n, void* descriptor, fi_addr_t from,
                       std::uint64_t tag, std::uint64_t ignore, void* context) {
    const long answer = check({data, n}, descriptor, 1, context);
    if (answer != 0) return answer;
    return tagged_below->recv(ep, data, n, nullptr, from, tag, ignore, context);
}
/// Questions, which have no memory.
ssize_t peek(fid_ep* ep, const fi_msg_tagged* message, std::uint64_t flags) {
    if ((flags & FI_PEEK) == 0 || message->iov_count != 0) return breach("no question");
    if (message->context == nullptr) return breach("no context");
    if (!has_room()) return -FI_EAGAIN;
    std::memset(message->context, 0xa5, sizeof(fi_context2));
    return tagged_below->recvmsg(ep, message, flags);
}
ssize_t send_tagged(fid_ep* ep, const void* data, std::size_t n, void* descriptor, fi_addr_t to,
                    std::uint64_t tag, void* context) {
    if (n > longest) return breach("a message that is too long");
    const long answer = check({const_cast<void*>(data), n}, descriptor, 1, context);
    return answer != 0 ? answer : tagged_below->send(ep, data, n, nullptr, to, tag, context);
}
ssize_t inject_tagged(fid_ep* ep, const void* data, std::size_t n, fi_addr_t to,
                      std::uint64_t tag) {
    if (n > most_inline) return breach("too much inline");
    return has_room() ? tagged_below->inject(ep, data, n, to, tag) : -FI_EAGAIN;
}

long check(const fi_msg_rma& message) {
    if (message.rma_iov_count != 1 || message.msg_iov[0].iov_len > longest)
        return breach("an operation that is too long");
    return check(message.msg_iov[0], message.desc[0], message.iov_count, message.context);
}
ssize_t read(fid_ep* ep, const fi_msg_rma* message, std::uint64_t flags) {
    const long answer = check(*message);
    return answer != 0 ? answer : moves_below->readmsg(ep, message, flags);
}
ssize_t write(fid_ep* ep, const fi_msg_rma* message, std::uint64_t flags) {
    const long answer = check(*message);
    return answer != 0 ? answer : moves_below->writemsg(ep, message, flags);
}

/// What a queue has not told yet.
struct Untold {
    fi_cq_tagged_entry entry{};
    std::uint64_t number = 0;  ///< in the order of coming

    bool is_tagged_receive() const {
        return (entry.flags & FI_TAGGED) != 0 && (entry.flags & FI_RECV) != 0;
    }
};
struct Queue {
    bool has_tags = false;
    std::vector<Untold> untold{};
};
std::map<fid_cq*, Queue> queues;
std::uint64_t completions_come = 0;

std::size_t entry_size(const Queue& queue) {
    return queue.has_tags ? sizeof(fi_cq_tagged_entry) : sizeof(fi_cq_msg_entry);
}

/// In any order. But whoever receives by tags sees the order of what has matched, and of short
/// messages hardware keeps it.
void mix(std::vector<Untold>& waiting) {
    std::ranges::shuffle(waiting, chance);
    std::vector<std::size_t> places;
    std::vector<Untold> receives;
    for (std::size_t i = 0; i < waiting.size(); ++i)
        if (waiting[i].is_tagged_receive()) {
            places.push_back(i);
            receives.push_back(waiting[i]);
        }
    std::ranges::sort(receives, {}, &Untold::number);
    for (std::size_t i = 0; i < places.size(); ++i)
        waiting[places[i]] = receives[i];
}

ssize_t read_completions(fid_cq* cq, void* to, std::size_t count) {
    const Held held(guard);
    Queue& queue = queues[cq];
    std::vector<Untold>& waiting = queue.untold;
    std::vector<std::byte> fresh(16 * entry_size(queue));
    const ssize_t got = completions_below->read(cq, fresh.data(), 16);
    if (got < 0 && got != -FI_EAGAIN) return got;
    for (ssize_t i = 0; i < got; ++i) {
        Untold one{.number = ++completions_come};
        const std::size_t at = static_cast<std::size_t>(i) * entry_size(queue);
        std::memcpy(&one.entry, fresh.data() + at, entry_size(queue));
        waiting.push_back(one);
    }
    if (waiting.empty()) return -FI_EAGAIN;
    mix(waiting);
    // When nothing comes any more all is told.
    const std::size_t told =
        got <= 0 ? waiting.size() : std::max<std::size_t>(1, waiting.size() / 2);
    const std::size_t n = std::min(told, count);
    for (std::size_t i = 0; i < n; ++i) {
        std::memset(waiting[i].entry.op_context, 0x5a, sizeof(fi_context2));
        std::memcpy(static_cast<std::byte*>(to) + i * entry_size(queue), &waiting[i].entry,
                    entry_size(queue));
    }
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(n));
    return static_cast<ssize_t>(n);
}

int open_completions(fid_domain* domain, fi_cq_attr* attributes, fid_cq** cq, void* context) {
    if (attributes->wait_obj != FI_WAIT_NONE) return -FI_ENOSYS;
    const bool has_tags = attributes->format == FI_CQ_FORMAT_TAGGED;
    // Of its own, for its connections, who is below asks for others.
    if (!has_tags && attributes->format != FI_CQ_FORMAT_MSG) return -FI_ENOSYS;
    const int error = domain_below->cq_open(domain, attributes, cq, context);
    if (error != 0) return error;
    const Held held(guard);
    queues[*cq] = {.has_tags = has_tags};
    if (completions_below == nullptr) {
        completions_below = (*cq)->ops;
        our_completions = *completions_below;
        our_completions.read = read_completions;
    }
    (*cq)->ops = &our_completions;
    return 0;
}

/// As who is below knows it.
fi_info* translated(const fi_info& ours) {
    fi_info* const info = fi_dupinfo(&ours);
    std::free(info->fabric_attr->prov_name);
    info->fabric_attr->prov_name = strdup(below());
    const std::size_t named = std::strlen(info->domain_attr->name);
    if (std::string_view(info->domain_attr->name).ends_with(twice))
        info->domain_attr->name[named - std::strlen(twice)] = '\0';
    info->mode = theirs->mode;
    info->domain_attr->mr_mode = theirs->domain_attr->mr_mode;
    info->domain_attr->cq_data_size = theirs->domain_attr->cq_data_size;
    *info->tx_attr = *theirs->tx_attr;
    *info->rx_attr = *theirs->rx_attr;
    info->ep_attr->max_msg_size = theirs->ep_attr->max_msg_size;
    return info;
}

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** ep, void* context) {
    // Its own, for its connections.
    if (info->ep_attr->type != FI_EP_RDM) return domain_below->endpoint(domain, info, ep, context);
    fi_info* const known = translated(*info);
    const int error = domain_below->endpoint(domain, known, ep, context);
    fi_freeinfo(known);
    if (error != 0) return error;
    const Held held(guard);
    if (messages_below == nullptr) {
        messages_below = (*ep)->msg;
        our_messages = *messages_below;
        our_messages.recv = receive;
        our_messages.send = send;
        our_messages.sendv = send_pieces;
        our_messages.inject = inject;
        moves_below = (*ep)->rma;
        our_moves = *moves_below;
        our_moves.readmsg = read;
        our_moves.writemsg = write;
        tagged_below = (*ep)->tagged;
        our_tagged = *tagged_below;
        our_tagged.recv = receive_tagged;
        our_tagged.recvmsg = peek;
        our_tagged.send = send_tagged;
        our_tagged.inject = inject_tagged;
    }
    (*ep)->msg = &our_messages;
    (*ep)->rma = &our_moves;
    (*ep)->tagged = &our_tagged;
    return 0;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** domain, void* context) {
    fi_info* const known = translated(*info);
    const int error = fabric_below->domain(fabric, known, domain, context);
    fi_freeinfo(known);
    if (error != 0) return error;
    const Held held(guard);
    if (domain_below == nullptr) {
        domain_below = (*domain)->ops;
        our_domain = *domain_below;
        our_domain.cq_open = open_completions;
        our_domain.endpoint = open_endpoint;
        memory_below = (*domain)->mr;
        our_memory = *memory_below;
        our_memory.reg = register_memory;
    }
    (*domain)->ops = &our_domain;
    (*domain)->mr = &our_memory;
    return 0;
}

int open_fabric(fi_fabric_attr* attributes, fid_fabric** fabric, void* context) {
    fi_fabric_attr known = *attributes;
    known.prov_name = const_cast<char*>(below());
    const int error = fi_fabric(&known, fabric, context);
    if (error != 0) return error;
    const Held held(guard);
    if (fabric_below == nullptr) {
        fabric_below = (*fabric)->ops;
        our_fabric = *fabric_below;
        our_fabric.domain = open_domain;
    }
    (*fabric)->ops = &our_fabric;
    return 0;
}

int get_info(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
             const fi_info* hints, fi_info** info) {
    if (hints == nullptr || hints->ep_attr == nullptr || hints->ep_attr->type != FI_EP_RDM)
        return -FI_ENODATA;
    const auto offered = static_cast<std::uint64_t>(hints->domain_attr->mr_mode);
    const bool lives_with_it =
        (offered & demanded()) == demanded() && (hints->mode & FI_CONTEXT2) != 0;
    const bool wants_more = (hints->tx_attr->msg_order & ~FI_ORDER_SAS) != 0;
    if (!lives_with_it || wants_more) return -FI_ENODATA;
    const Held held(guard);
    if (with_tags != ((hints->caps & FI_TAGGED) != 0)) {
        with_tags = !with_tags;
        fi_freeinfo(theirs);
        theirs = nullptr;
    }
    fi_info* const wish = fi_dupinfo(hints);
    std::free(wish->fabric_attr->prov_name);
    wish->fabric_attr->prov_name = strdup(below());
    const int error = fi_getinfo(version, node, service, flags, wish, info);
    fi_freeinfo(wish);
    if (error != 0) return error;
    if (theirs == nullptr) theirs = fi_dupinfo(*info);
    for (fi_info* one = *info; one != nullptr; one = one->next) {
        std::free(one->fabric_attr->prov_name);
        one->fabric_attr->prov_name = nullptr;  // libfabric enters it
        one->mode = FI_CONTEXT2;
        one->domain_attr->mr_mode = static_cast<int>(demanded());
        one->domain_attr->cq_data_size = 4;
        one->tx_attr->mode = one->rx_attr->mode = FI_CONTEXT2;
        one->tx_attr->inject_size = most_inline;
        one->tx_attr->iov_limit = one->rx_attr->iov_limit = one->tx_attr->rma_iov_limit = 1;
        one->tx_attr->msg_order = one->rx_attr->msg_order = FI_ORDER_SAS;
        one->ep_attr->max_msg_size = longest;
    }
    for (fi_info* one = *info; one != nullptr; one = one->next->next) {
        fi_info* const other = fi_dupinfo(one);
        std::free(other->domain_attr->name);
        std::string again = std::string(one->domain_attr->name) + twice;
        other->domain_attr->name = strdup(again.c_str());
        other->next = one->next;
        one->next = other;
    }
    return 0;
}

fi_provider provider{};

}  // namespace

extern "C" __attribute__((visibility("default"))) fi_provider* fi_prov_ini() {
    provider.version = FI_VERSION(1, 0);
    provider.fi_version = FI_VERSION(1, 17);
    provider.name = name;
    provider.getinfo = get_info;
    provider.fabric = open_fabric;
    provider.cleanup = [] {};
    return &provider;
}
