#pragma once
/// Virtual time: one queue of events, and fibers that run until they wait. Everything happens on
/// one thread, at times that are whole picoseconds: the same input gives the same run, on any
/// machine. Knows nothing of networks.
///
/// Whatever happens, happens in the name of a node. Of events at one time those come first that the
/// lower node scheduled, and of one node those that it scheduled first: what nodes that have
/// nothing to do with each other do at one time changes nothing for either.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/rank_local.hpp"
#include "railyard/base/bytes.hpp"
#include "railyard/base/error.hpp"
#include "railyard/base/time.hpp"
#include "sim/action.hpp"
#include "sim/context.hpp"
#include "sim/event_queue.hpp"
#include "sim/random.hpp"

namespace railyard::sim {

/// What a fiber waits for, in words that are made only when somebody asks: in the report of a
/// deadlock. Refers to a text, or to a callable that gives one; either must live as long as the
/// wait.
class Reason {
  public:
    Reason() : Reason(std::string_view()) {}
    template <class Text>
    requires std::convertible_to<const Text&, std::string_view> Reason(const Text& text)  // NOLINT
        : Reason(std::string_view(text), 0) {}
    template <class Tell>
    requires std::is_invocable_r_v<std::string, const Tell&> Reason(const Tell& tell)  // NOLINT
        : object_(&tell), tell_([](const void* object, std::size_t) -> std::string {
              return (*static_cast<const Tell*>(object))();
          }) {}

    std::string text() const { return tell_(object_, size_); }

  private:
    Reason(std::string_view text, int)
        : object_(text.data()), size_(text.size()), tell_([](const void* data, std::size_t size) {
              return std::string(static_cast<const char*>(data), size);
          }) {}

    const void* object_;
    std::size_t size_ = 0;
    std::string (*tell_)(const void* object, std::size_t size);
};

class Engine;
class Trace;

/// A rank, or anything else that waits. Made by Engine::spawn, and the engine's for good.
class alignas(64) Fiber {
  public:
    const std::string& name() const { return name_; }
    bool done() const { return state_ == State::done; }

  private:
    friend class Engine;
    enum class State : std::uint8_t { fresh, running, ready, suspended, asleep, done };

    Fiber(Engine& engine, Party party, std::string name, std::function<void()> body)
        : engine_(engine), party_(party), name_(std::move(name)), body_(std::move(body)) {}

    // What a switch touches comes first, in two cache lines.
    Engine& engine_;
    Party party_ = 0;
    RankLocal* local_ = rank_local::here;  ///< its words while it does not run
    State state_ = State::fresh;
    bool unwinding_ = false;
    Reason waits_for_;
    Time waits_since_;
    std::optional<Context> context_;  ///< from the first run to the end
    std::string name_;
    std::function<void()> body_;
    std::exception_ptr failure_;
};

/// A fiber ended with an exception; the message begins with the fiber's name.
class FiberError : public Error {
  public:
    FiberError(const std::string& fiber, const std::string& what, std::exception_ptr cause)
        : Error(fiber + ": " + what), fiber_(fiber), cause_(std::move(cause)) {}
    const std::string& fiber() const { return fiber_; }
    std::exception_ptr cause() const { return cause_; }

  private:
    std::string fiber_;
    std::exception_ptr cause_;
};

/// Fibers wait and nothing is left that could wake them; the message says who waits for what.
class Deadlock : public Error {
  public:
    using Error::Error;
};

class Engine {
  public:
    struct Options {
        Bytes stack_size{256 << 10};  ///< a fiber's; only what it touches takes memory
        /// From here on, stacks have a guard word in place of a guard page (see Stack::Guard).
        std::size_t guard_pages = 16'384;
        std::uint64_t seed = 1;  ///< of all that is random (see random())
    };

    Engine() : Engine(Options{}) {}
    explicit Engine(Options options);
    ~Engine();
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    using Node = std::uint32_t;

    Time now() const { return running_.now; }

    /// `action` runs at that time, on the engine's stack and in the name of the node that schedules
    /// it, and must not wait. A time that has passed means now; Time::never() means never, and
    /// holds nothing up.
    template <class F>
    Event schedule(Time at, F&& action) {
        return push(at, running_.as, running_.as, std::forward<F>(action));
    }
    /// The same in the name of that node: what happens there because of what happens here.
    template <class F>
    Event schedule_on(Node node, Time at, F&& action) {
        return push(at, running_.as, party_of(node), std::forward<F>(action));
    }
    /// Until it dies, all happens in the name of that node: where one hands over to another without
    /// an event. Not to be held while a fiber waits.
    class As;
    /// In an event: what that node has scheduled for now came before it.
    bool is_past(Node node) const { return party_of(node) <= running_.by; }
    /// Keeps that alive for as long as events may still name it: until the engine is gone.
    void keep(std::shared_ptr<void> what) { kept_.push_back(std::move(what)); }
    /// In an event: nothing else is left to happen at this time. What it would schedule for now, as
    /// its last act, it may as well do.
    bool is_last_now() const { return queue_.is_last_now(); }
    /// In an event, as its last act: that time comes, if nothing else happens before it or at it.
    /// What it would schedule for then it may as well do.
    bool skip_to(Time at) {
        if (!queue_.skip_to(at)) return false;
        running_.now = at;
        running_.by = running_.as;
        return true;
    }
    /// False if it has run already.
    bool cancel(Event event) { return queue_.cancel(event); }

    /// Starts now, in the name of that node, or of the one that spawns it.
    Fiber& spawn_on(Node node, std::string name, std::function<void()> body);
    Fiber& spawn(std::string name, std::function<void()> body);
    /// The fiber that runs; null in an event or outside run().
    Fiber* current() const { return current_; }
    /// The running fiber waits until somebody resumes it. The reason must live that long.
    void suspend(const Reason& waits_for);
    /// Lets a suspended fiber run again, now. Nothing happens to one that is not suspended.
    void resume(Fiber& fiber);
    /// The running fiber waits until that time; resume() does not wake it.
    void sleep_until(Time at);

    /// Runs until nothing is left. Throws Deadlock, FiberError, or what an action threw; all fibers
    /// have then been unwound and all events dropped.
    void run();
    /// What to say of a deadlock, in place of what each fiber waits for: asked while all of them
    /// still are where they wait. Begins with a line's end; empty: nothing better is known.
    void explain_deadlocks_by(std::function<std::string()> explain) {
        explain_ = std::move(explain);
    }
    /// True in a fiber that is being unwound, where waiting makes no sense: a wait in a destructor
    /// returns at once.
    bool unwinding() const { return current_ && current_->unwinding_; }

    std::uint64_t events_run() const { return events_run_; }

    /// A stream of random numbers: the same for the same seed and number, whoever else draws.
    Random random(std::uint64_t stream) {
        drawn_ = true;
        return Random(options_.seed, stream);
    }
    /// The seed, if anything has asked for random numbers: results are to state it then.
    std::optional<std::uint64_t> seed_used() const {
        return drawn_ ? std::optional(options_.seed) : std::nullopt;
    }

    /// Where parts record what they do; null: nowhere. Set before they are made.
    void record(Trace* trace) { trace_ = trace; }
    Trace* trace() const { return trace_; }

  private:
    struct Unwind {};  ///< thrown through a fiber that is given up

    // Outside run() nobody's name is used; nodes come behind it.
    static constexpr Party nobody = 0;
    static Party party_of(Node node) { return node + 1; }

    static void fiber_entry(void* fiber);
    Fiber& spawn_as(Party party, std::string name, std::function<void()> body);
    template <class F>
    Event push(Time at, Party by, Party as, F&& action) {
        if (at == Time::never()) return {};
        const EventQueue::Place place = queue_.make_place(at, by, as);
        if constexpr (std::same_as<F, Action>)
            place.action = std::move(action);
        else
            place.action.emplace(std::forward<F>(action));
        return place.event;
    }
    void rest();
    void enter(Fiber& fiber);
    void leave(Fiber::State state);
    Stack take_stack();
    void unwind_all();
    std::string deadlock_report() const;

    Options options_;
    std::vector<std::shared_ptr<void>> kept_;  // before the queue: it outlives its events
    EventQueue queue_;
    EventQueue::Running running_{{}, nobody, nobody};
    Fiber* current_ = nullptr;
    Fiber* failed_ = nullptr;
    std::vector<std::unique_ptr<Fiber>> fibers_;
    std::vector<Stack> free_stacks_;
    std::size_t stacks_made_ = 0;
    std::uint64_t events_run_ = 0;
    bool runs_ = false;
    bool drawn_ = false;
    Trace* trace_ = nullptr;
    std::function<std::string()> explain_;
};

class Engine::As {
  public:
    As(Engine& engine, Node node)
        : engine_(engine), before_(std::exchange(engine.running_.as, party_of(node))) {}
    ~As() { engine_.running_.as = before_; }
    As(const As&) = delete;
    As& operator=(const As&) = delete;

  private:
    Engine& engine_;
    Party before_;
};

}  // namespace railyard::sim
