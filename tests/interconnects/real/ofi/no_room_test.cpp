/// A provider that has no room for two of three operations, whatever they are: nothing gets lost,
/// neither messages nor the right to send more of them. Software providers rarely say so, hardware
/// does.

#include <gtest/gtest.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "interconnects/real/ofi/end.hpp"

namespace railyard::ofi {
namespace {

using fabric::Flags;
using fabric::Op;

/// libfabric's functions for a domain and its endpoints, and ours in front of them.
struct Reluctance {
    const fi_ops_domain* domain = nullptr;
    const fi_ops_msg* messages = nullptr;
    const fi_ops_rma* memory = nullptr;
    fi_ops_domain our_domain{};
    fi_ops_msg our_messages{};
    fi_ops_rma our_memory{};
    unsigned calls = 0;
    unsigned refused = 0;

    bool has_room() {
        if (++calls % 3 == 0) return true;
        ++refused;
        return false;
    }
};
Reluctance reluctance;

ssize_t receive(fid_ep* ep, void* data, std::size_t n, void* desc, fi_addr_t from, void* context) {
    if (!reluctance.has_room()) return -FI_EAGAIN;
    return reluctance.messages->recv(ep, data, n, desc, from, context);
}
ssize_t send(fid_ep* ep, const void* data, std::size_t n, void* desc, fi_addr_t to, void* context) {
    if (!reluctance.has_room()) return -FI_EAGAIN;
    return reluctance.messages->send(ep, data, n, desc, to, context);
}
ssize_t send_pieces(fid_ep* ep, const iovec* list, void** desc, std::size_t count, fi_addr_t to,
                    void* context) {
    if (!reluctance.has_room()) return -FI_EAGAIN;
    return reluctance.messages->sendv(ep, list, desc, count, to, context);
}
ssize_t inject(fid_ep* ep, const void* data, std::size_t n, fi_addr_t to) {
    if (!reluctance.has_room()) return -FI_EAGAIN;
    return reluctance.messages->inject(ep, data, n, to);
}
ssize_t read(fid_ep* ep, const fi_msg_rma* message, std::uint64_t flags) {
    if (!reluctance.has_room()) return -FI_EAGAIN;
    return reluctance.memory->readmsg(ep, message, flags);
}
ssize_t write(fid_ep* ep, const fi_msg_rma* message, std::uint64_t flags) {
    if (!reluctance.has_room()) return -FI_EAGAIN;
    return reluctance.memory->writemsg(ep, message, flags);
}

void stand_before(fid_ep& ep) {
    reluctance.messages = ep.msg;
    reluctance.our_messages = *ep.msg;
    reluctance.our_messages.recv = receive;
    reluctance.our_messages.send = send;
    reluctance.our_messages.sendv = send_pieces;
    reluctance.our_messages.inject = inject;
    ep.msg = &reluctance.our_messages;
    reluctance.memory = ep.rma;
    reluctance.our_memory = *ep.rma;
    reluctance.our_memory.readmsg = read;
    reluctance.our_memory.writemsg = write;
    ep.rma = &reluctance.our_memory;
}

int open_endpoint(fid_domain* domain, fi_info* info, fid_ep** ep, void* context) {
    const int error = reluctance.domain->endpoint(domain, info, ep, context);
    if (error == 0) stand_before(**ep);
    return error;
}

void make_reluctant(Nic& nic) {
    if (nic.port(0).device().is_shared()) return stand_before(*nic.port(0).device().endpoint());
    fid_domain& domain = nic.port(0).device().domain();
    reluctance.domain = domain.ops;
    reluctance.our_domain = *domain.ops;
    reluctance.our_domain.endpoint = open_endpoint;
    domain.ops = &reluctance.our_domain;
}

/// What one end sends, and where what the other sends comes to lie.
class Side {
  public:
    static constexpr int count = 400;
    static constexpr int sends = count - count / 5;
    static constexpr std::size_t longest = 200'000;

    Side(End& end, unsigned seed) : end_(end), seed_(seed), out_(longest), in_(longest) {
        for (std::size_t i = 0; i < longest; ++i)
            out_[i] = static_cast<std::byte>(i * 31 + i / 250 + seed);
        source_ = end.nic().register_memory(out_, fabric::Access::all);
        target_ = end.nic().register_memory(in_, fabric::Access::all);
    }
    void meet(const Side& other) {
        remote_ = end_.nic().import_region(other.source_->export_blob());
        expected_ = &other.out_;
    }
    /// Does what can be done now. True when all is done.
    bool go_on() {
        while (receives_ < received_ + 8 && receives_ < sends && post_receive()) {
        }
        while (posted_ < count && post_next()) {
        }
        fabric::Completion done;
        while (end_.sent().poll(done)) {
            EXPECT_TRUE(done.status.ok()) << done.status.name();
            ++sent_;
        }
        while (end_.received().poll(done)) {
            EXPECT_TRUE(done.status.ok()) << done.status.name();
            EXPECT_EQ(done.id, static_cast<std::uint64_t>(received_));
            const std::size_t n = done.length.count();
            if (is_read(theirs_)) ++theirs_;
            EXPECT_EQ(n, length_of(theirs_++, 1 - seed_));
            EXPECT_TRUE(std::equal(in_.begin(), in_.begin() + static_cast<std::ptrdiff_t>(n),
                                   expected_->begin()));
            ++received_;
        }
        return sent_ == count && received_ == sends;
    }
    std::string story() const {
        return std::to_string(posted_) + " posted, " + std::to_string(sent_) + " done, " +
               std::to_string(received_) + " received";
    }

  private:
    static bool is_read(int number) { return number % 5 == 3; }
    /// Small ones in numbers, and large ones between them.
    static std::size_t length_of(int number, unsigned seed) {
        constexpr std::array<std::size_t, 8> lengths = {0, 8, 300, 5000, 16'384, 8, longest, 100};
        return lengths[(static_cast<std::size_t>(number) * 5 + seed) % lengths.size()];
    }
    bool post_receive() {
        const fabric::Slice slice(*target_, {}, Bytes(longest));
        fabric::ReceiveRequest request;
        request.id = static_cast<std::uint64_t>(receives_);
        request.local = std::span(&slice, 1);
        if (!end_.receives().post(request).ok()) return false;
        ++receives_;
        return true;
    }
    bool post_next() {
        fabric::Region& local = is_read(posted_) ? *target_ : *source_;
        const fabric::Slice slice(local, {}, Bytes(length_of(posted_, seed_)));
        fabric::WorkRequest request;
        request.id = static_cast<std::uint64_t>(posted_);
        if (is_read(posted_)) {
            request.op = Op::rdma_read;
            request.remote = {remote_.get(), {}};
        }
        request.local = std::span(&slice, 1);
        if (posted_ % 7 == 0) request.flags = Flags::remote_completion;
        if (!end_.queue_pair().post(request).ok()) return false;
        ++posted_;
        return true;
    }

    End& end_;
    unsigned seed_;
    std::vector<std::byte> out_, in_;
    std::unique_ptr<fabric::Region> source_, target_;
    std::unique_ptr<fabric::RemoteRegion> remote_;
    const std::vector<std::byte>* expected_ = nullptr;
    int posted_ = 0, sent_ = 0;
    int receives_ = 0, received_ = 0;
    int theirs_ = 0;  ///< the next that comes is their request of this number
};

class OfiNoRoom : public Ends {};

TEST_P(OfiNoRoom, NothingIsLostEitherWay) {
    End a(host_, GetParam()), b(host_, GetParam());
    make_reluctant(a.nic());
    make_reluctant(b.nic());
    connect(a, b);
    Side here(a, 0), there(b, 1);
    here.meet(there);
    there.meet(here);
    const bool all = host_.wait_until(
        [&] {
            const bool done = here.go_on();
            return there.go_on() && done;
        },
        soon(), fabric::Wait::sleep);
    EXPECT_TRUE(all) << here.story() << "; " << there.story();
    EXPECT_GT(reluctance.refused, 1000U);
    part(a, b);
}

INSTANTIATE_TEST_SUITE_P(Providers, OfiNoRoom, all_providers(), provider_name);

}  // namespace
}  // namespace railyard::ofi
