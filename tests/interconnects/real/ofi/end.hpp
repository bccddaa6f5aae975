#pragma once
/// Both ends of a connection in one thread, below the loader.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "hosts/real_host.hpp"
#include "interconnects/real/ofi/loader/fabric.hpp"
#include "interconnects/real/ofi/module/nic.hpp"
#include "interconnects/real/ofi/module/queue_pair.hpp"

namespace railyard::ofi {

/// A Nic with a queue pair, on a host that another of the same thread may share.
class End {
  public:
    /// `domains`: a port each.
    End(hosts::RealHost& host, const std::string& provider,
        const std::vector<std::string>& domains = {"lo"}, unsigned port = 0)
        : traits_(with_ports(provider, domains)), nic_(host, traits_, wish(provider, domains)) {
        fabric::QueuePairOptions options;
        options.port = port;
        options.send_completions = sent_.get();
        options.receive_completions = received_.get();
        options.receives = receives_.get();
        queue_pair_ = nic_.create_queue_pair(options);
    }
    Nic& nic() { return nic_; }
    fabric::QueuePair& queue_pair() { return *queue_pair_; }
    fabric::CompletionQueue& sent() { return *sent_; }
    fabric::CompletionQueue& received() { return *received_; }
    fabric::ReceiveQueue& receives() { return *receives_; }

  private:
    static fabric::Traits with_ports(const std::string& provider,
                                     const std::vector<std::string>& domains) {
        fabric::Traits traits = ofi::traits("ofi:" + provider);
        traits.ports = static_cast<unsigned>(domains.size());
        return traits;
    }
    static Wish wish(const std::string& provider, const std::vector<std::string>& domains) {
        Wish wish = wish_for(provider);
        wish.domains = {.names = domains, .count = static_cast<unsigned>(domains.size())};
        return wish;
    }
    fabric::Traits traits_;
    Nic nic_;
    std::unique_ptr<fabric::CompletionQueue> sent_ = nic_.create_completion_queue(16);
    std::unique_ptr<fabric::CompletionQueue> received_ = nic_.create_completion_queue(16);
    std::unique_ptr<fabric::ReceiveQueue> receives_ =
        nic_.create_receive_queue(16, fabric::ReceiveQueue::Sharing::own);
    std::unique_ptr<fabric::QueuePair> queue_pair_;
};

/// Both kinds of endpoints, with descriptors that can be slept on and without.
inline auto all_providers() {
    return testing::Values("tcp", "net", "net:rdm", "tcp;ofi_rxm");
}
inline std::string provider_name(const testing::TestParamInfo<const char*>& info) {
    std::string name = info.param;
    std::ranges::replace_if(
        name, [](char c) { return c == ':' || c == ';'; }, '_');
    return name;
}

/// Two of them, over each provider there is.
class Ends : public testing::TestWithParam<const char*> {
  protected:
    Time soon() { return host_.now() + Duration::s(20); }
    void connect(End& a, End& b) {
        ASSERT_TRUE(a.queue_pair().connect_peer(b.nic().address(), 1, {}, soon()).ok());
        ASSERT_TRUE(b.queue_pair().connect_peer(a.nic().address(), 1, {}, soon()).ok());
        ASSERT_TRUE(host_.wait_until(
            [&] {
                return a.queue_pair().state() == fabric::ConnectionState::connected &&
                       b.queue_pair().state() == fabric::ConnectionState::connected;
            },
            soon()));
    }
    /// Both hear that it is over before either goes.
    void part(End& a, End& b) {
        a.queue_pair().close();
        b.queue_pair().close();
        const Time until = host_.now() + Duration::ms(5);
        host_.wait_until([] { return false; }, until);
    }
    hosts::RealHost host_{{}};
};

}  // namespace railyard::ofi
