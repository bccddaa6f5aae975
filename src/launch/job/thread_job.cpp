#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "interconnects/registry.hpp"
#include "launch/job/board.hpp"
#include "launch/job/plan.hpp"
#include "launch/job/rank.hpp"
#include "launch/job/real_rank.hpp"
#include "railyard/base/error.hpp"

namespace railyard::job {

namespace {

class ThreadJob {
  public:
    ThreadJob(const Plan& plan, const Body& body)
        : plan_(plan),
          body_(body),
          memory_(Board::size_for(plan.ranks)),
          board_(Board::format(memory_.span(), plan.ranks, plan.nodes)) {}

    Result run() {
        start_all();
        for (std::thread& thread : threads_)
            thread.join();
        if (could_not_start_) std::rethrow_exception(could_not_start_);
        return std::move(result_);
    }

  private:
    void start_all() {
        for (int id = 0; id < plan_.ranks; ++id) {
            try {
                threads_.emplace_back([this, id] { run_rank(id); });
            } catch (const std::system_error& error) {
                could_not_start_ = std::make_exception_ptr(
                    Error(fmt::format("cannot start rank {}: {}", id, error.what())));
                board_.abort(id);
                return;
            }
        }
    }

    void run_rank(int id) {
        try {
            RealRank rank(plan_,
                          std::make_unique<BoardBootstrap>(
                              board_, id, BoardBootstrap::Relay(),
                              [](int code, std::string_view why) { throw AbortCalled(code, why); }),
                          find_entry, [this](std::string bytes) {
                              const std::lock_guard lock(mutex_);
                              result_.delivered.push_back(std::move(bytes));
                          });
            const BoundRank bound(rank);
            body_(rank);
        } catch (const Aborted&) {
            return;  // The failure that caused it is on record.
        } catch (const std::exception& error) {
            return fail(id, error.what(), exit_code_for(error));
        } catch (...) {
            return fail(id, "an exception of unknown type", 1);
        }
        board_.leave(id);
    }

    void fail(int id, const char* what, int exit_code) {
        {
            const std::lock_guard lock(mutex_);
            if (result_.ok) {
                result_.ok = false;
                result_.failure = fmt::format("rank {} failed: {}", id, what);
                result_.exit_code = exit_code;
            }
        }
        // A thread cannot be killed from outside; those that wait for this one give up instead.
        board_.abort(id);
    }

    const Plan& plan_;
    const Body& body_;
    AnonymousMemory memory_;
    Board board_;
    std::vector<std::thread> threads_;
    std::exception_ptr could_not_start_;
    std::mutex mutex_;  // guards result_ while threads run
    Result result_;
};

}  // namespace

Result run_threads(const Plan& plan, const Body& body) {
    if (plan.fabric->prepare) plan.fabric->prepare();
    return ThreadJob(plan, body).run();
}

}  // namespace railyard::job
