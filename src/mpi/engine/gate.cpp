#include "mpi/engine/gate.hpp"

#include <utility>

namespace railyard::mpi {

namespace {

// Often enough for a rendezvous to advance in the time its data take; seldom enough to leave the
// core to the program.
constexpr Duration pause_between = Duration::us(20);

}  // namespace

ProgressThread::ProgressThread(std::shared_ptr<Gate> gate, std::function<void()> progress)
    : gate_(std::move(gate)),
      thread_([this, progress = std::move(progress)](const std::stop_token& stop) {
          // An error ends the thread alone: the program's next call meets it, too, and tells of it.
          try {
              while (!stop.stop_requested()) {
                  {
                      const Turn turn(gate_.get());
                      progress();
                  }
                  nap(pause_between);
              }
          } catch (const std::exception&) {
              return;
          }
      }) {}

ProgressThread::~ProgressThread() {
    thread_.request_stop();
    // Whoever ends it may be inside, while the thread waits for its last turn.
    const bool inside = gate_->is_inside();
    if (inside) gate_->leave();
    thread_.join();
    if (inside) gate_->enter();
}

}  // namespace railyard::mpi
