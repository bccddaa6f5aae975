#include "hosts/bell.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

#include "base/foreign_descriptor.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"

namespace railyard::hosts {

namespace {

long futex(std::atomic<std::uint32_t>* word, int operation, std::uint32_t value,
           const struct timespec* timeout) {
    return syscall(SYS_futex, word, operation, value, timeout, nullptr, 0);
}

}  // namespace

Bell::Bell() : memory_(SharedMemory::create("railyard-bell", Bytes(sizeof(BellPage)))) {
    register_for_heavy_fences();
}

Bell::~Bell() {
    if (pipe_[0] >= 0) {
        withdraw_descriptor(pipe_[1]);
        close(pipe_[0]);
        close(pipe_[1]);
    }
}

std::uint32_t Bell::prepare(bool with_descriptors) {
    const std::uint32_t ticket = page().rings.load(std::memory_order_acquire);
    page().sleeping.store(with_descriptors ? BellPage::in_poll : BellPage::in_futex,
                          std::memory_order_relaxed);
    heavy_fence();
    return ticket;
}

void Bell::sleep(std::uint32_t ticket, const struct timespec* timeout) const {
    // Returns at once if somebody rang since the ticket was taken, and now and then for no reason.
    futex(&page().rings, FUTEX_WAIT, ticket, timeout);
}

int Bell::descriptor() {
    if (pipe_[0] < 0) {
        if (pipe2(pipe_, O_CLOEXEC | O_NONBLOCK) != 0) throw system_error("cannot make a pipe");
        offer_descriptor(pipe_[1]);
        page().pipe.store(pipe_[1], std::memory_order_relaxed);
    }
    return pipe_[0];
}

void Bell::drain() {
    char discard[64];
    while (pipe_[0] >= 0 && read(pipe_[0], discard, sizeof discard) > 0) {
    }
}

void RemoteBell::ring() const {
    // Only one of several ringers takes the state away from `asleep`, and it does the waking. The
    // count goes up after that: whichever sleep the state belonged to, a rank about to begin it
    // finds its ticket out of date. The other way round, a ringer could silence a sleep that has
    // begun since, without ending it.
    const std::uint32_t was = page_->sleeping.exchange(BellPage::awake, std::memory_order_acq_rel);
    if (was == BellPage::awake) return;
    page_->rings.fetch_add(1, std::memory_order_release);
    if (was == BellPage::in_futex) {
        futex(&page_->rings, FUTEX_WAKE, INT_MAX, nullptr);
    } else if (was == BellPage::in_poll) {
        const Descriptor pipe =
            open_foreign(memory_.handle().pid, page_->pipe.load(std::memory_order_relaxed),
                         O_WRONLY | O_NONBLOCK);
        if (!pipe) return;  // the sleeper is gone, and with it the need to wake it
        [[maybe_unused]] const auto written = write(pipe.get(), "", 1);  // full, it wakes as well
    }
}

}  // namespace railyard::hosts
