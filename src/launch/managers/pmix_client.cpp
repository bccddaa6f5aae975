#include "launch/managers/pmix_client.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "launch/managers/library.hpp"
#include "launch/managers/pmi_wire.hpp"
#include "launch/managers/pmix_abi.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

namespace {

constexpr const char* pmix_remedy =
    "it belongs to the launcher that has started this process (Debian: libpmix2); or start the "
    "ranks with `srun --mpi=pmi2`, mpiexec.hydra or our mpiexec";

struct Functions {
    explicit Functions(const Library& library)
        : init(library.function<pmix::Init>("PMIx_Init")),
          finalize(library.function<pmix::Finalize>("PMIx_Finalize")),
          abort(library.function<pmix::Abort>("PMIx_Abort")),
          put(library.function<pmix::Put>("PMIx_Put")),
          commit(library.function<pmix::Commit>("PMIx_Commit")),
          fence(library.function<pmix::FenceNb>("PMIx_Fence_nb")),
          get(library.function<pmix::Get>("PMIx_Get")),
          error_string(library.function<pmix::ErrorString>("PMIx_Error_string")) {}

    pmix::Init init;
    pmix::Finalize finalize;
    pmix::Abort abort;
    pmix::Put put;
    pmix::Commit commit;
    pmix::FenceNb fence;
    pmix::Get get;
    pmix::ErrorString error_string;
};

pmix::Info switched_on(const char* key) {
    pmix::Info info{};
    std::strncpy(info.key, key, sizeof info.key - 1);
    info.value.type = pmix::Type::boolean;
    info.value.data.flag = true;
    return info;
}

/// One that the library has allocated, with what it points to.
class OwnedValue {
  public:
    explicit OwnedValue(pmix::Value* value) : value_(value) {}
    ~OwnedValue() {
        if (value_ == nullptr) return;
        if (value_->type == pmix::Type::string) std::free(value_->data.string);
        if (value_->type == pmix::Type::bytes) std::free(value_->data.bytes.data);
        std::free(value_);
    }
    OwnedValue(OwnedValue&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
    OwnedValue& operator=(OwnedValue&&) = delete;

    const pmix::Value* operator->() const { return value_; }

  private:
    pmix::Value* value_;
};

class PmixClient final : public Manager {
  public:
    PmixClient() : call_(Library("libpmix.so.2", RTLD_NOW | RTLD_LOCAL, pmix_remedy)) {
        const pmix::Status status = call_.init(&self_, nullptr, 0);
        if (status != pmix::success)
            throw Error(fmt::format(
                "the PMIx server of this job cannot be reached ({}): is this the node and the "
                "session that the launcher started it in? A container needs the launcher's "
                "directory under /tmp, and PMIX_* variables of a job that has ended must go",
                call_.error_string(status)));
        size_ = number("pmix.job.size");
    }

    std::string_view name() const override { return "a PMIx server"; }
    int rank() const override { return static_cast<int>(self_.rank); }
    int size() const override { return size_; }

    std::vector<fabric::NodeId> nodes() override {
        std::vector<std::string> names;
        for (int one = 0; one < size_; ++one) {
            const auto value = find(static_cast<std::uint32_t>(one), "pmix.hname");
            if (!value || (*value)->type != pmix::Type::string) return {};
            names.emplace_back((*value)->data.string);
        }
        return number_nodes(names);
    }

    void put(std::string_view key, std::span<const std::byte> value) override {
        pmix::Value bytes{};
        bytes.type = pmix::Type::bytes;
        // It is copied, and not written to.
        bytes.data.bytes = {reinterpret_cast<char*>(const_cast<std::byte*>(value.data())),
                            value.size()};
        check(call_.put(pmix::global_scope, key_of(key).c_str(), &bytes), "put a value");
    }
    std::optional<std::vector<std::byte>> get(int rank, std::string_view key) override {
        const auto value = find(static_cast<std::uint32_t>(rank), key_of(key).c_str());
        if (!value || (*value)->type != pmix::Type::bytes) return std::nullopt;
        const auto* begin = reinterpret_cast<const std::byte*>((*value)->data.bytes.data);
        return std::vector<std::byte>(begin, begin + (*value)->data.bytes.size);
    }

    void enter_barrier() override {
        check(call_.commit(), "commit values");
        state_.store(pending, std::memory_order_relaxed);
        // With all that was put, so that a get need not go to another node.
        collect_ = switched_on("pmix.collect");
        const pmix::Status status = call_.fence(nullptr, 0, &collect_, 1, &fence_done, this);
        check(status, "enter a fence");
    }
    bool passed_barrier(Duration patience) override {
        timespec nap{.tv_sec = 0, .tv_nsec = 200'000};
        for (double waited = 0; state_.load(std::memory_order_acquire) == pending;) {
            if (waited >= patience.seconds()) return false;
            ::nanosleep(&nap, nullptr);
            waited += 0.0002;
        }
        check(state_.load(std::memory_order_relaxed), "pass a fence");
        return true;
    }

    void abort(int code, const std::string& why) noexcept override {
        call_.abort(code, why.c_str(), nullptr, 0);
    }
    void finalize() noexcept override { call_.finalize(nullptr, 0); }

  private:
    static constexpr pmix::Status pending = 1;  // its own codes are 0 or negative

    static std::string key_of(std::string_view key) { return fmt::format("railyard.{}", key); }

    static void fence_done(pmix::Status status, void* self) {
        // Pairs with the load that ends the wait.
        static_cast<PmixClient*>(self)->state_.store(status == pending ? -1 : status,
                                                     std::memory_order_release);
    }

    void check(pmix::Status status, const char* what) const {
        if (status != pmix::success)
            throw Error(fmt::format("the process manager would not {}: {} (PMIx)", what,
                                    call_.error_string(status)));
    }

    /// What is known by now: nobody waits for what a rank has not put.
    std::optional<OwnedValue> find(std::uint32_t rank, const char* key) const {
        pmix::Proc proc = self_;
        proc.rank = rank;
        const pmix::Info at_once = switched_on("pmix.immediate");
        pmix::Value* value = nullptr;
        if (call_.get(&proc, key, &at_once, 1, &value) != pmix::success || value == nullptr)
            return std::nullopt;
        return OwnedValue(value);
    }
    int number(const char* key) const {
        const auto value = find(pmix::any_rank, key);
        if (value && (*value)->type == pmix::Type::uint32)
            return static_cast<int>((*value)->data.uint32);
        if (value && ((*value)->type == pmix::Type::integer || (*value)->type == pmix::Type::int32))
            return (*value)->data.integer;
        throw Error(fmt::format("the process manager does not tell {} (PMIx)", key));
    }

    Functions call_;
    pmix::Proc self_{};
    int size_ = 0;
    pmix::Info collect_{};
    std::atomic<pmix::Status> state_{pmix::success};
};

}  // namespace

std::unique_ptr<Manager> connect_pmix() {
    return std::make_unique<PmixClient>();
}

}  // namespace railyard::managers
