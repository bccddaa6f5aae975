#include "sim/context.hpp"

#include <cxxabi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "railyard/base/error.hpp"

namespace railyard::sim {

namespace context = boost::context::detail;

namespace {
constexpr std::uint64_t guard_word = 0x5afe'57ac'c0de'd00d;
}

Stack::Stack(Bytes size, Guard guard) : guard_(guard) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    size_ = (size.count() + page - 1) / page * page;
    const std::size_t below = guard == Guard::page ? page : 0;
    void* mapping = mmap(nullptr, size_ + below, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapping == MAP_FAILED) throw system_error("memory for the stack of a fiber");
    mapping_ = static_cast<std::byte*>(mapping);
    bottom_ = mapping_ + below;
    if (below != 0 && mprotect(mapping_, below, PROT_NONE) != 0) {
        munmap(mapping_, size_ + below);
        throw system_error("guard page of a fiber's stack (see sysctl vm.max_map_count)");
    }
    if (guard == Guard::word) std::memcpy(bottom_, &guard_word, sizeof guard_word);
}

Stack::~Stack() {
    if (!mapping_) return;
    forget();
    munmap(mapping_, static_cast<std::size_t>(bottom_ - mapping_) + size_);
}

bool Stack::intact() const {
    return guard_ == Guard::page || std::memcmp(bottom_, &guard_word, sizeof guard_word) == 0;
}

void Stack::forget() {
#if defined(RAILYARD_ASAN)
    __asan_unpoison_memory_region(bottom_, size_);
#endif
}

Context::Context(Stack stack, Entry entry, void* argument)
    : stack_(std::move(stack)), entry_(entry), argument_(argument) {
    inside_ = context::make_fcontext(stack_.top(), stack_.size(), &Context::start);
#if defined(RAILYARD_TSAN)
    inside_tsan_ = __tsan_create_fiber(0);
#endif
}

Context::~Context() {
#if defined(RAILYARD_TSAN)
    __tsan_destroy_fiber(inside_tsan_);
#endif
}

Stack Context::release() {
    stack_.forget();
    return std::move(stack_);
}

void Context::enter() {
    // Looked up once: whoever enters is on the same thread when it comes back.
    auto& thrown = *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
    std::swap(thrown, exceptions_);
#if defined(RAILYARD_ASAN)
    __sanitizer_start_switch_fiber(&outside_fake_, stack_.bottom(), stack_.size());
#endif
#if defined(RAILYARD_TSAN)
    outside_tsan_ = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(inside_tsan_, 0);
#endif
    inside_ = context::jump_fcontext(inside_, this).fctx;
#if defined(RAILYARD_ASAN)
    __sanitizer_finish_switch_fiber(outside_fake_, nullptr, nullptr);
#endif
    std::swap(thrown, exceptions_);
}

void Context::leave([[maybe_unused]] bool for_good) {
#if defined(RAILYARD_ASAN)
    __sanitizer_start_switch_fiber(for_good ? nullptr : &inside_fake_, outside_bottom_,
                                   outside_size_);
#endif
#if defined(RAILYARD_TSAN)
    __tsan_switch_to_fiber(outside_tsan_, 0);
#endif
    outside_ = context::jump_fcontext(outside_, nullptr).fctx;
#if defined(RAILYARD_ASAN)
    __sanitizer_finish_switch_fiber(inside_fake_, &outside_bottom_, &outside_size_);
#endif
}

void Context::start(context::transfer_t from) {
    auto* self = static_cast<Context*>(from.data);
    self->outside_ = from.fctx;
#if defined(RAILYARD_ASAN)
    __sanitizer_finish_switch_fiber(nullptr, &self->outside_bottom_, &self->outside_size_);
#endif
    self->entry_(self->argument_);
    self->finished_ = true;
    self->leave(true);
    std::abort();  // nobody enters a finished context
}

}  // namespace railyard::sim
