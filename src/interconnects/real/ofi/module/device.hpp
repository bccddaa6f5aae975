#pragma once
/// A domain of a provider, opened by one Nic: its queues of completions and of events, where it
/// listens or the endpoint that all its links share, and whether one can sleep on its descriptors.

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>

#include <poll.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "interconnects/real/ofi/module/provider.hpp"
#include "interconnects/real/ofi/module/wire.hpp"

namespace railyard::ofi {

/// Closes what libfabric opened.
struct CloseFid {
    template <class Opened>
    void operator()(Opened* opened) const {
        fi_close(&opened->fid);
    }
};
template <class Opened>
using Owned = std::unique_ptr<Opened, CloseFid>;

class Device {
  public:
    /// Throws Error, with what libfabric says of it.
    /// `tagged`: its endpoint was asked for with tags.
    Device(InfoList info, bool tagged);

    std::string_view provider() const { return info_->fabric_attr->prov_name; }
    /// Without what is above it.
    std::string_view core() const { return provider().substr(0, provider().find(';')); }
    std::string_view domain_name() const { return info_->domain_attr->name; }
    const fi_info& info() const { return *info_; }
    fid_domain& domain() { return *domain_; }
    fid_cq& completions() { return *completions_; }
    /// A second queue for connections beyond the first few; null if there are none.
    fid_cq* crowded_completions() { return crowded_.get(); }
    /// Null where links share an endpoint: nobody tells of connections there.
    fid_eq* events() { return events_.get(); }
    /// Whether it was asked for one whose endpoints match tags.
    bool is_tagged() const { return tagged_; }
    bool is_shared() const { return info_->ep_attr->type == FI_EP_RDM; }
    /// That which all share.
    fid_ep* endpoint() { return shared_.get(); }
    fid_av& addresses() { return *addresses_; }
    void close_endpoint() { shared_.reset(); }
    /// As peers must have it: the provider, and which of its endpoints where it has both.
    std::string kind() const;
    /// Where peers find it.
    std::span<const std::byte> name() const { return name_; }

    bool requires_mode(std::uint64_t bit) const {
        return (static_cast<unsigned>(info_->domain_attr->mr_mode) & bit) != 0;
    }
    std::size_t inject_size() const { return info_->tx_attr->inject_size; }
    /// Pieces of local memory in one operation.
    std::size_t pieces() const { return info_->tx_attr->iov_limit; }
    std::uint64_t longest() const { return info_->ep_attr->max_msg_size; }
    /// Data that are longer do not travel in messages.
    std::size_t longest_data() const { return longest_data_; }
    std::size_t longest_message() const { return sizeof(Header) + longest_data_; }
    /// Whether what it writes to a peer can bring a word along, which the peer's queue tells of
    /// when the data are there.
    bool brings_words() const { return brings_words_; }
    /// Whether a write can complete when it has been delivered. Believed until it is refused.
    bool tells_delivery() const { return tells_delivery_; }
    void set_tells_no_delivery() { tells_delivery_ = false; }
    /// Whether a message arrives behind what was written before it.
    bool is_ordered() const { return ordered_; }
    /// Whether peers may write to regions by themselves: what they write is in order with their
    /// messages, and a key can be made to lead elsewhere.
    bool grants() const {
        return ordered_ && !is_shared() && !requires_mode(FI_MR_PROV_KEY | FI_MR_VIRT_ADDR) &&
               info_->domain_attr->mr_key_size >= sizeof(std::uint64_t);
    }
    /// Whether the peer has to write what we would read: see device.cpp.
    bool fetches() const { return fetches_; }
    std::uint64_t next_key() { return ++keys_; }

    /// An endpoint that is ready to connect (`to` is where) or to accept (`asked` is the request's
    /// info); null, with the reason in the log, if there are no more.
    Owned<fid_ep> open_endpoint(std::span<const std::byte> to, void* context);
    Owned<fid_ep> open_endpoint(fi_info& asked, void* context);
    void refuse(fi_info& asked);
    /// One that was opened here is about to be closed.
    void closing(const fid_ep& endpoint) { std::erase(few_, &endpoint); }

    /// Readable when there is something to be read; -1 where no descriptor tells the truth.
    int descriptor() const { return waiting_.get(); }
    /// Whether one may sleep on it now, who has just found no completions; else there is something
    /// to be read already.
    bool may_sleep();

    /// Completions have come: see device.cpp.
    void silence() {
        if (!signals_.empty()) take_signals();
    }

    /// For people: what was found when it was opened.
    std::string findings() const;

  private:
    void open_completions();
    bool open_completions(fi_wait_obj wait);
    Owned<fid_cq> open_queue(fi_wait_obj wait);
    fid_cq& queue_for(const fid_ep& endpoint);
    bool watch(std::span<const int> descriptors);
    bool list_polled();
    bool watch_polled();
    bool ignore_noise();
    void take_signals();
    bool is_quiet(std::span<const int> descriptors);
    bool has_bad_reads() const;
    bool is_old_tcp() const;
    void open_events();
    void listen();
    void open_shared();
    std::vector<std::byte> name_of(fid& named);
    Owned<fid_ep> prepared(fi_info& info, void* context);

    InfoList info_;
    bool tagged_;
    Owned<fid_fabric> fabric_;
    Owned<fid_domain> domain_;
    Owned<fid_eq> events_;
    Owned<fid_cq> completions_;
    Owned<fid_pep> listening_;
    Owned<fid_av> addresses_;
    Owned<fid_ep> shared_;
    std::vector<std::byte> name_;
    Descriptor waiting_;
    // Where the queue is polled without an epoll set of the provider's: see device.cpp.
    bool polls_ = false;
    Owned<fid_cq> crowded_;
    std::vector<const fid_ep*> few_;  ///< endpoints on the first queue
    std::vector<pollfd> polled_;      ///< as the provider lists them now
    std::vector<int> watched_;        ///< those of them in `waiting_`
    std::vector<int> signals_;        ///< by which the queue tells itself of completions
    std::vector<int> noise_;          ///< those that are readable whatever happens
    std::uint64_t keys_ = 0;
    bool tells_delivery_ = true;
    std::size_t longest_data_ = ofi::longest_data;
    bool ordered_ = false;
    bool brings_words_ = false;
    bool fetches_ = false;
};

}  // namespace railyard::ofi
