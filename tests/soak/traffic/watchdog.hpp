#pragma once
/// Ends a rank none of whose lanes has moved for long, and says what each lane was waiting for. One
/// lane alone may rightly stand still: at its end it waits for the others.

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "traffic/lane.hpp"

namespace railyard::soak {

class Watchdog {
  public:
    /// What it exits with.
    static constexpr int exit_code = 86;

    /// `lanes` outlive it. 0 seconds: it never barks, and has no thread.
    Watchdog(const std::vector<std::unique_ptr<Lane>>& lanes, int seconds);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

  private:
    void watch();
    void bark() const;

    const std::vector<std::unique_ptr<Lane>>& lanes_;
    const int seconds_;
    std::mutex mutex_;
    std::condition_variable ended_;
    bool is_over_ = false;
    std::thread thread_;
};

}  // namespace railyard::soak
