#include "railyard/library/fabrics.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hosts/real_host.hpp"
#include "launch/job/job.hpp"
#include "launch/job/own_fabrics.hpp"
#include "railyard/base/error.hpp"

namespace railyard {

namespace {

/// Between the user's and the Host's idea of it.
class Attached final : public hosts::Source {
  public:
    Attached(hosts::RealHost& host, ProgressSource& source) : host_(host), source_(source) {
        host_.attach(*this);
    }
    ~Attached() override { host_.detach(*this); }
    Attached(const Attached&) = delete;
    Attached& operator=(const Attached&) = delete;

    bool make_progress() override { return source_.make_progress(); }
    int descriptor() const override { return source_.descriptor(); }
    bool tick(Time now) override {
        last_tick_ = now;
        return source_.make_progress();
    }
    /// Who has no descriptor is looked at now and then.
    Time next_timer() const override {
        return source_.descriptor() >= 0 ? Time::never() : last_tick_ + Duration::ms(1);
    }

  private:
    hosts::RealHost& host_;
    ProgressSource& source_;
    Time last_tick_;
};

}  // namespace

std::vector<fabric::Traits> fabrics() {
    std::vector<fabric::Traits> all = job::fabrics();
    std::ranges::move(job::added_fabrics(), std::back_inserter(all));
    return all;
}

const fabric::Traits* find_fabric(std::string_view name) {
    return job::find_fabric(name);
}

std::optional<fabric::Datasheet> datasheet(std::string_view fabric) {
    return job::datasheet(fabric);
}

void add_network(fabric::Traits traits,
                 std::function<std::unique_ptr<fabric::Network>(fabric::NodeId nodes)> make) {
    job::add_network(std::move(traits), std::move(make));
}

void add_fabric(const fabric::Traits& traits,
                std::function<std::unique_ptr<fabric::Fabric>()> open) {
    job::add_fabric(traits, std::move(open));
}

std::shared_ptr<void> attach(fabric::Host& host, ProgressSource& source) {
    auto* real = dynamic_cast<hosts::RealHost*>(&host);
    if (real == nullptr)
        throw UsageError(
            "only a Host in real time takes what makes progress: in virtual time "
            "events do");
    return std::make_shared<Attached>(*real, source);
}

}  // namespace railyard
