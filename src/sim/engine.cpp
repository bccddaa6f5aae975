#include "sim/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace railyard::sim {

Engine::Engine(Options options) : options_(options) {}

Engine::~Engine() {
    unwind_all();
}

Fiber& Engine::spawn(std::string name, std::function<void()> body) {
    return spawn_as(running_.as, std::move(name), std::move(body));
}

Fiber& Engine::spawn_on(Node node, std::string name, std::function<void()> body) {
    return spawn_as(party_of(node), std::move(name), std::move(body));
}

/// By its own node, so that nodes begin in their order, whoever was spawned first.
Fiber& Engine::spawn_as(Party party, std::string name, std::function<void()> body) {
    fibers_.emplace_back(new Fiber(*this, party, std::move(name), std::move(body)));
    Fiber& fiber = *fibers_.back();
    push(now(), party, party, [&fiber] { fiber.engine_.enter(fiber); });
    return fiber;
}

void Engine::suspend(const Reason& waits_for) {
    if (!current_)
        throw UsageError(
            fmt::format("only a fiber can wait; nobody here can wait for {}", waits_for.text()));
    current_->waits_for_ = waits_for;
    current_->waits_since_ = now();
    leave(Fiber::State::suspended);
}

void Engine::resume(Fiber& fiber) {
    if (fiber.state_ != Fiber::State::suspended) return;
    fiber.state_ = Fiber::State::ready;
    push(now(), running_.as, fiber.party_, [&fiber] { fiber.engine_.enter(fiber); });
}

void Engine::sleep_until(Time at) {
    if (!current_) throw UsageError("only a fiber can sleep; let the rank's own code run in one");
    if (at <= now()) return;
    if (at == Time::never()) return suspend("the end of time");
    // Nobody else would run meanwhile.
    if (!current_->unwinding_ && skip_to(at)) return;
    if (!current_->unwinding_)
        push(at, running_.as, current_->party_,
             [fiber = current_] { fiber->engine_.enter(*fiber); });
    leave(Fiber::State::asleep);
}

void Engine::run() {
    if (runs_) throw UsageError("Engine::run: it is running already");
    runs_ = true;
    try {
        while (queue_.run_next(running_)) {
            ++events_run_;
            if (failed_) std::rethrow_exception(failed_->failure_);
        }
        const auto waits = [](const auto& fiber) { return !fiber->done(); };
        if (std::any_of(fibers_.begin(), fibers_.end(), waits)) throw Deadlock(deadlock_report());
    } catch (...) {
        Fiber* const failed = std::exchange(failed_, nullptr);
        const std::exception_ptr cause = std::current_exception();
        unwind_all();
        rest();
        if (!failed) throw;
        try {
            std::rethrow_exception(cause);
        } catch (const std::exception& error) {
            throw FiberError(failed->name_, error.what(), cause);
        } catch (...) {
            throw FiberError(failed->name_, "an exception of unknown type", cause);
        }
    }
    rest();
}

void Engine::rest() {
    runs_ = false;
    running_.by = running_.as = nobody;
}

std::string Engine::deadlock_report() const {
    constexpr std::size_t most_lines = 64;
    std::string text = fmt::format("deadlock at {} us: nothing is left to happen, yet",
                                   now().since_start().microseconds());
    if (explain_) {
        const std::string explained = explain_();
        if (!explained.empty()) return text + explained;
    }
    std::size_t waiting = 0;
    for (const auto& fiber : fibers_)
        if (!fiber->done() && ++waiting <= most_lines)
            text += fmt::format("\n  {} waits for {} (since {} us)", fiber->name_,
                                fiber->waits_for_.text(),
                                fiber->waits_since_.since_start().microseconds());
    if (waiting > most_lines) text += fmt::format("\n  and {} more wait", waiting - most_lines);
    return text;
}

void Engine::fiber_entry(void* argument) {
    Fiber& fiber = *static_cast<Fiber*>(argument);
    try {
        fiber.body_();
    } catch (const Unwind&) {  // given up by the engine, which knows why
    } catch (...) {
        fiber.failure_ = std::current_exception();
    }
    fiber.body_ = nullptr;
}

void Engine::enter(Fiber& fiber) {
    if (!fiber.context_) fiber.context_.emplace(take_stack(), &Engine::fiber_entry, &fiber);
    fiber.state_ = Fiber::State::running;
    current_ = &fiber;
    std::swap(rank_local::here, fiber.local_);
    // One that is unwound may have the words of a rank that is gone, and runs nobody's program.
    Guest* const guest = fiber.unwinding_ ? nullptr : rank_local::here->guest;
    if (guest != nullptr) guest->enter();
    fiber.context_->enter();
    if (!fiber.unwinding_ && rank_local::here->guest != nullptr) rank_local::here->guest->leave();
    std::swap(rank_local::here, fiber.local_);
    current_ = nullptr;
    if (!fiber.context_->stack_intact()) {
        // Whatever lay below has been overwritten: nothing can be trusted any more.
        std::fprintf(stderr,
                     "fiber %s overran its stack; give Engine::Options a larger stack_size\n",
                     fiber.name_.c_str());
        std::abort();
    }
    if (!fiber.context_->finished()) return;
    fiber.state_ = Fiber::State::done;
    free_stacks_.push_back(fiber.context_->release());
    fiber.context_.reset();
    if (fiber.failure_ && !fiber.unwinding_) failed_ = &fiber;
}

void Engine::leave(Fiber::State state) {
    Fiber& fiber = *current_;
    if (fiber.unwinding_) {
        // A destructor that waits while an exception passes may not throw; it need not wait either.
        if (std::uncaught_exceptions() > 0) return;
        throw Unwind{};
    }
    fiber.state_ = state;
    fiber.context_->leave();
    if (fiber.unwinding_) throw Unwind{};
}

Stack Engine::take_stack() {
    if (!free_stacks_.empty()) {
        Stack stack = std::move(free_stacks_.back());
        free_stacks_.pop_back();
        return stack;
    }
    const bool page = stacks_made_++ < options_.guard_pages;
    return Stack(options_.stack_size, page ? Stack::Guard::page : Stack::Guard::word);
}

void Engine::unwind_all() {
    // By index: a destructor may spawn, and what it spawns is given up too.
    for (std::size_t i = 0; i < fibers_.size(); ++i) {
        Fiber& fiber = *fibers_[i];
        if (fiber.done()) continue;
        fiber.unwinding_ = true;
        if (!fiber.context_) {
            fiber.body_ = nullptr;
            fiber.state_ = Fiber::State::done;
        }
        while (!fiber.done())
            enter(fiber);
    }
    queue_.clear();
}

}  // namespace railyard::sim
