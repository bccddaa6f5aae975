#include "launch/managers/slurm_client.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <future>

#include "launch/managers/library.hpp"
#include "launch/managers/pmi_wire.hpp"
#include "railyard/base/error.hpp"

namespace railyard::managers {

namespace {

constexpr const char* slurm_remedy =
    "srun has started this process and several others; install the library (Debian: libpmi0), or "
    "start the ranks with `srun --mpi=pmi2` or `srun --mpi=pmix` (`srun --mpi=list` says what "
    "there "
    "is)";

class SlurmClient final : public Manager {
  public:
    /// GLOBAL: its plugins need its symbols.
    SlurmClient() : library_("libpmi.so.0", RTLD_NOW | RTLD_GLOBAL, slurm_remedy) {
        int spawned = 0;
        check(function<int (*)(int*)>("PMI_Init")(&spawned), "begin");
        check(function<int (*)(int*)>("PMI_Get_rank")(&rank_), "tell the rank");
        check(function<int (*)(int*)>("PMI_Get_size")(&size_), "tell the number of ranks");
        std::array<char, 256> name{};
        check(function<int (*)(char*, int)>("PMI_KVS_Get_my_name")(name.data(),
                                                                   static_cast<int>(name.size())),
              "name its values' space");
        space_ = name.data();
        put_ = function<int (*)(const char*, const char*, const char*)>("PMI_KVS_Put");
        get_ = function<int (*)(const char*, const char*, char*, int)>("PMI_KVS_Get");
        commit_ = function<int (*)(const char*)>("PMI_KVS_Commit");
        barrier_ = function<int (*)()>("PMI_Barrier");
        abort_ = function<int (*)(int, const char*)>("PMI_Abort");
        finalize_ = function<int (*)()>("PMI_Finalize");
    }

    std::string_view name() const override { return "srun"; }
    int rank() const override { return rank_; }
    int size() const override { return size_; }

    void put(std::string_view key, std::span<const std::byte> value) override {
        std::size_t number = 0;
        for (const std::string& word : as_words(value))
            check(put_(space_.c_str(), key_of(rank_, key, number++).c_str(), word.c_str()),
                  "take a value");
    }
    std::optional<std::vector<std::byte>> get(int rank, std::string_view key) override {
        std::vector<std::string> words;
        for (std::size_t count = 1; words.size() < count;) {
            std::array<char, 1024> word{};
            if (get_(space_.c_str(), key_of(rank, key, words.size()).c_str(), word.data(),
                     static_cast<int>(word.size())) != 0)
                return std::nullopt;
            words.emplace_back(word.data());
            count = count_words(words.front()).value_or(1);
        }
        return from_words(words);
    }

    /// The library can only wait, so a thread does.
    void enter_barrier() override {
        check(commit_(space_.c_str()), "take values");
        entered_ = std::async(std::launch::async, barrier_);
    }
    bool passed_barrier(Duration patience) override {
        const std::chrono::duration<double> longest(patience.seconds());
        if (entered_.wait_for(longest) != std::future_status::ready) return false;
        check(entered_.get(), "pass a barrier");
        return true;
    }

    void abort(int code, const std::string& why) noexcept override { abort_(code, why.c_str()); }
    void finalize() noexcept override { finalize_(); }

  private:
    static std::string key_of(int rank, std::string_view key, std::size_t word) {
        return fmt::format("ry-{}-{}-{}", rank, key, word);
    }
    static void check(int status, const char* what) {
        if (status != 0)
            throw Error(fmt::format("srun would not {}: error {} (Slurm's PMI)", what, status));
    }
    template <class Function>
    Function function(const char* name) const {
        return library_.function<Function>(name);
    }

    Library library_;
    int rank_ = 0;
    int size_ = 0;
    std::string space_;
    int (*put_)(const char*, const char*, const char*) = nullptr;
    int (*get_)(const char*, const char*, char*, int) = nullptr;
    int (*commit_)(const char*) = nullptr;
    int (*barrier_)() = nullptr;
    int (*abort_)(int, const char*) = nullptr;
    int (*finalize_)() = nullptr;
    std::future<int> entered_;
};

}  // namespace

std::unique_ptr<Manager> connect_slurm() {
    return std::make_unique<SlurmClient>();
}

}  // namespace railyard::managers
