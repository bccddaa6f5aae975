#pragma once
/// Waits for descriptors and for moments of time, and calls whoever asked for them: the one loop of
/// a process that launches others. For one thread.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "railyard/base/time.hpp"

namespace railyard {

class Reactor {
    using Id = std::uint64_t;

  public:
    using Call = std::function<void()>;
    enum class For : std::uint8_t { reading, writing, both };

    /// What is watched for as long as this lives. The descriptor and the reactor outlive it.
    class Watch {
      public:
        Watch() = default;
        Watch(Watch&& other) noexcept { *this = std::move(other); }
        Watch& operator=(Watch&& other) noexcept {
            std::swap(reactor_, other.reactor_);
            std::swap(id_, other.id_);
            other.reset();
            return *this;
        }
        ~Watch() { reset(); }
        void reset() {
            if (reactor_ != nullptr) std::exchange(reactor_, nullptr)->forget(id_);
        }
        explicit operator bool() const { return reactor_ != nullptr; }
        /// What to wait for from now on.
        void change(For what) const {
            if (reactor_ != nullptr) reactor_->change(id_, what);
        }

      private:
        friend class Reactor;
        Watch(Reactor& reactor, Id id) : reactor_(&reactor), id_(id) {}
        Reactor* reactor_ = nullptr;
        Id id_ = 0;
    };
    /// The same for a moment of time, which comes once.
    using Timer = Watch;

    /// Throws Error.
    Reactor();
    Reactor(const Reactor&) = delete;
    Reactor& operator=(const Reactor&) = delete;

    /// Calls `ready` whenever the descriptor is ready, or its other end is gone. A file is always
    /// ready. Throws Error.
    [[nodiscard]] Watch watch(int fd, For what, Call ready);
    [[nodiscard]] Timer after(Duration time, Call call);
    /// Whoever is to look first, each time that anything happened, before those who asked for it.
    void look_first(Call look) { look_first_ = std::move(look); }

    /// Waits until something happens, and calls all whom it concerns. They may watch and forget
    /// what they like meanwhile.
    void turn();
    /// Turns until that is so; looks before each turn.
    template <class Done>
    void run_until(const Done& done) {
        while (!done())
            turn();
    }

    /// For a forked child, which must not touch what its parent waits for. Nothing is called here
    /// any more.
    void forget_in_child() { epoll_.reset(); }

  private:
    struct Watched {
        int fd;
        bool is_file;
        std::shared_ptr<Call> ready;
    };
    struct Timed {
        Deadline at;
        std::shared_ptr<Call> call;
    };

    void forget(Id id);
    void change(Id id, For what);
    int patience() const;
    void call_timers();

    Descriptor epoll_;
    Id next_ = 1;
    std::map<Id, Watched> watched_;
    std::map<Id, Timed> timers_;
    std::size_t files_ = 0;
    Call look_first_;
};

}  // namespace railyard
