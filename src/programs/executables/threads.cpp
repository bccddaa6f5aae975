#include "programs/executables/threads.hpp"

#include <pthread.h>

#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "programs/executables/imports.hpp"
#include "programs/executables/process.hpp"
#include "programs/loader/thread_room.hpp"

namespace railyard::executables {

Threads::Here::Here(Threads& threads) : threads_(threads) {
    ::pthread_getcpuclockid(::pthread_self(), &clock_);
    const std::lock_guard lock(threads_.mutex_);
    threads_.all_.push_back(this);
}

Threads::Here::~Here() {
    const std::lock_guard lock(threads_.mutex_);
    threads_.all_.remove(this);
    threads_.of_ended_ = std::max(threads_.of_ended_, used(*this) - told_);
}

Duration Threads::used(const Here& thread) {
    timespec time{};
    if (::clock_gettime(thread.clock_, &time) != 0) return thread.told_;
    return Duration::s(time.tv_sec) + Duration::ns(time.tv_nsec);
}

Duration Threads::computed() {
    const std::lock_guard lock(mutex_);
    Duration most = std::exchange(of_ended_, {});
    for (Here* const thread : all_) {
        const Duration now = used(*thread);
        most = std::max(most, now - std::exchange(thread->told_, now));
    }
    return most;
}

namespace {

using Begin = void* (*)(void*);

struct NewThread {
    Process& process;
    Begin begin;
    void* argument;
};

/// Such a thread computes for its rank; MPI and the clock are for the rank's first alone, as only
/// that one is known to virtual time.
void* begin_thread(void* argument) {
    const std::unique_ptr<NewThread> made(static_cast<NewThread*>(argument));
    Process& process = made->process;
    static thread_local RankLocal words;
    words.guest = &process;
    rank_local::here = &words;
    Process::become(process);
    const auto& plan = process.copy().program().thread_locals();
    process.copy().write_thread_locals(
        {loader::thread_room::thread_pointer() + plan.used_begin(), plan.used()});
    const Threads::Here here(process.threads());
    return made->begin(made->argument);
}

int imported_pthread_create(pthread_t* thread, const pthread_attr_t* attributes, Begin begin,
                            void* argument) {
    Process& process = *Process::here();
    process.expect_threads();
    auto made = std::make_unique<NewThread>(process, begin, argument);
    const int error = ::pthread_create(thread, attributes, begin_thread, made.get());
    if (error == 0) static_cast<void>(made.release());
    return error;
}

}  // namespace

std::span<const Import> imports_of_threads() {
    static const Import all[] = {import("pthread_create", imported_pthread_create)};
    return all;
}

}  // namespace railyard::executables
