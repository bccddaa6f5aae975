#include "programs/runs/self_profile.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "base/clock.hpp"
#include "base/code_places.hpp"
#include "base/stopwatch.hpp"
#include "railyard/base/error.hpp"

namespace railyard::runs {

namespace {

namespace part {
constexpr std::string_view events = "event queue";
constexpr std::string_view fibers = "fibers and hosts";
constexpr std::string_view network = "network parts";
constexpr std::string_view endpoints = "endpoints";
constexpr std::string_view mpi = "MPI library";
constexpr std::string_view program = "program";
constexpr std::string_view copies = "copies";
constexpr std::string_view library = "allocation, C library";
constexpr std::string_view rest = "the rest";
}  // namespace part

// ---- Samples. What the signal's handler uses is here, and nothing of a thread: an executable's
// rank has thread-local variables of its own.

/// Enough for shares of one in a hundred. Of more samples each has the same chance to be kept.
constexpr std::size_t most_samples = 8192;
std::array<std::uintptr_t, most_samples> sampled;
volatile std::uint64_t seen = 0;
std::uint64_t dice = 1;
alignas(64) std::array<std::byte, 64 << 10> handlers_stack;

void take_sample(int, siginfo_t*, void* context) {
    const auto* const where = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
    const auto at = static_cast<std::uintptr_t>(where->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
    const auto at = static_cast<std::uintptr_t>(where->uc_mcontext.pc);
#endif
    const std::uint64_t n = seen;
    seen = n + 1;
    if (n < most_samples) {
        sampled[n] = at;
        return;
    }
    dice = dice * 6364136223846793005u + 1442695040888963407u;
    if (const std::uint64_t place = (dice >> 33) % (n + 1); place < most_samples)
        sampled[place] = at;
}

// ---- What they mean.

/// "3sim10EventQueue…": takes the name off the front.
std::string_view take_name(std::string_view& text) {
    std::size_t length = 0;
    std::size_t digits = 0;
    for (; digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits])) != 0;
         ++digits)
        length = length * 10 + static_cast<std::size_t>(text[digits] - '0');
    if (digits == 0 || length > text.size() - digits) return {};
    const std::string_view name = text.substr(digits, length);
    text.remove_prefix(digits + length);
    return name;
}

std::string_view part_of_namespace(std::string_view name) {
    static constexpr std::pair<std::string_view, std::string_view> parts[] = {
        {"virtual_time", part::endpoints}, {"model", part::network},   {"hardware", part::network},
        {"ideal", part::network},          {"own", part::network},     {"elan", part::network},
        {"elan3", part::network},          {"elanlib", part::network}, {"elite", part::network},
        {"quadrics", part::network},       {"hosts", part::fibers},    {"mpi", part::mpi},
        {"programs", part::program},       {"kernels", part::program},
    };
    const auto* const found =
        std::ranges::find(parts, name, &std::pair<std::string_view, std::string_view>::first);
    return found != std::end(parts) ? found->second : part::rest;
}

/// Functions of the C library that copy or clear are as long as that at most.
constexpr std::uintptr_t longest_copy = 2048;

bool is_copy(std::uintptr_t address) {
    static const std::array<std::uintptr_t, 3> begins = [] {
        // As the linker chose them for this processor.
        const auto address_of = [](const char* name) {
            return reinterpret_cast<std::uintptr_t>(::dlsym(RTLD_DEFAULT, name));
        };
        return std::array{address_of("memcpy"), address_of("memmove"), address_of("memset")};
    }();
    return std::ranges::any_of(begins, [&](std::uintptr_t begin) {
        return begin != 0 && address >= begin && address - begin < longest_copy;
    });
}

bool is_c_library(std::string_view file) {
    const std::string_view name = file.substr(file.rfind('/') + 1);
    return name.starts_with("libc.") || name.starts_with("libstdc++.") ||
           name.starts_with("libm.") || name.starts_with("ld-linux");
}

std::string_view part_at(std::uintptr_t address) {
    if (is_copy(address)) return part::copies;
    const CodePlace place = find_code_place(address);
    const std::string_view file(place.file.data());
    static const std::string own = std::filesystem::read_symlink("/proc/self/exe").string();
    if (file == own) {
        const std::string_view found = part_of_function(place.function.data());
        return found.empty() ? part::rest : found;
    }
    return is_c_library(file) ? part::library : part::program;
}

// ---- Memory.

/// A line of /proc/self/status, in bytes; 0 if it is not there.
std::uint64_t memory_line(const char* name) {
    std::FILE* const file = std::fopen("/proc/self/status", "re");
    if (file == nullptr) return 0;
    std::array<char, 256> line{};
    unsigned long long kib = 0;
    const std::string format = std::string(name) + ": %llu kB";
    while (std::fgets(line.data(), line.size(), file) != nullptr &&
           std::sscanf(line.data(), format.c_str(), &kib) != 1) {
    }
    std::fclose(file);
    return kib * 1024;
}

/// From now on the peak is counted anew.
void forget_peak_memory() {
    if (std::FILE* const file = std::fopen("/proc/self/clear_refs", "we")) {
        std::fputs("5", file);
        std::fclose(file);
    }
}

}  // namespace

std::string_view part_of_function(std::string_view mangled) {
    if (mangled.find("_fcontext") != std::string_view::npos) return part::fibers;
    constexpr std::string_view ours = "8railyard";
    const std::size_t at = mangled.find(ours);
    if (at == std::string_view::npos) return {};
    std::string_view text = mangled.substr(at + ours.size());
    const std::string_view space = take_name(text);
    if (space != "sim") return part_of_namespace(space);
    const std::string_view type = take_name(text);
    if (type == "EventQueue") return part::events;
    // An action is whose it is: of the first namespace that its type names.
    if (type == "Action") {
        constexpr std::string_view within = "NS_";
        for (std::size_t next = text.find(within); next != std::string_view::npos;
             next = text.find(within, next + 1)) {
            std::string_view rest = text.substr(next + within.size());
            const std::string_view found = part_of_namespace(take_name(rest));
            if (found != part::rest) return found;
        }
        return part::events;
    }
    return part::fibers;
}

struct SelfSampling::Timer {
    Timer() {
        ::sigaltstack(nullptr, &stack_before);
        if ((stack_before.ss_flags & SS_DISABLE) != 0) {
            stack_t stack{};
            stack.ss_sp = handlers_stack.data();
            stack.ss_size = handlers_stack.size();
            ::sigaltstack(&stack, nullptr);
        }
        struct sigaction action {};
        action.sa_sigaction = take_sample;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
        ::sigaction(SIGPROF, &action, &action_before);
        sigevent event{};
        event.sigev_notify = SIGEV_THREAD_ID;
        event.sigev_signo = SIGPROF;
        event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
        if (::timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0) {
            ::sigaction(SIGPROF, &action_before, nullptr);
            throw system_error("a timer for --profile-self");
        }
        // The kernel looks at its ticks, which are mostly longer.
        constexpr long period_ns = 1'000'000;
        const itimerspec period{{0, period_ns}, {0, period_ns}};
        ::timer_settime(timer, 0, &period, nullptr);
    }
    ~Timer() { stop(); }
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    void stop() {
        if (!std::exchange(runs, false)) return;
        ::timer_delete(timer);
        // The last signal may still be on its way: then nobody is to die of it.
        struct sigaction ignored {};
        ignored.sa_handler = SIG_IGN;
        ::sigaction(SIGPROF, &ignored, nullptr);
        ::sigaction(SIGPROF, &action_before, nullptr);
    }

    timer_t timer{};
    bool runs = true;
    struct sigaction action_before {};
    stack_t stack_before{};
    std::uint64_t memory_before = memory_line("VmRSS");
    Stopwatch watch;
    Duration processor_before = thread_clock::now();
};

SelfSampling::SelfSampling() {
    seen = 0;
    forget_peak_memory();
    timer_ = std::make_unique<Timer>();
}

SelfSampling::~SelfSampling() = default;

SelfProfile SelfSampling::end() {
    timer_->stop();
    SelfProfile profile;
    profile.seconds = timer_->watch.elapsed().seconds();
    profile.processor_seconds = (thread_clock::now() - timer_->processor_before).seconds();
    const std::uint64_t peak = memory_line("VmHWM");
    profile.peak_memory = peak > timer_->memory_before ? peak - timer_->memory_before : 0;
    profile.samples = seen;
    const std::size_t n = std::min<std::uint64_t>(profile.samples, most_samples);
    std::map<std::uintptr_t, std::size_t> places;
    for (std::size_t i = 0; i < n; ++i)
        ++places[sampled[i]];
    std::map<std::string_view, std::size_t> counts;
    for (const auto& [address, count] : places)
        counts[part_at(address)] += count;
    for (const auto& [name, count] : counts)
        profile.parts.push_back({name, static_cast<double>(count) / static_cast<double>(n)});
    std::ranges::stable_sort(profile.parts, std::ranges::greater(), &SelfProfile::Part::share);
    return profile;
}

}  // namespace railyard::runs
