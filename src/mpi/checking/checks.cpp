#include "mpi/checking/checks.hpp"

namespace railyard::mpi::checking {

namespace {

constexpr Duration timeout_with_check = Duration::s(10);

bool is_virtual(Process& process) {
    return process.rank().nic().traits().clock == fabric::Clock::virtual_time;
}

Duration timeout_of(const Settings& settings) {
    return settings.check && settings.deadlock_timeout == Duration{} ? timeout_with_check
                                                                     : settings.deadlock_timeout;
}

}  // namespace

bool Checks::are_wanted(Process& process) {
    return is_virtual(process) || timeout_of(process.settings()) > Duration{};
}

Checks::Checks(Objects& objects) : waits_(objects, timeout_of(objects.process().settings())) {
    if (objects.process().settings().check) checker_.emplace(objects, waits_);
}

void Checks::add_to(calls::CallWatches& watches) {
    watches.add(waits_);
    if (checker_) watches.add(*checker_);
}

}  // namespace railyard::mpi::checking
