#include "launch/job/crash_report.hpp"

#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/code_places.hpp"

namespace railyard::job {

namespace {

constexpr int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int most_frames = 48;

/// A process dies once, and has one rank, or one that runs. Static: after a crash nothing can be
/// allocated.
ManyRanks many_ranks{};
int only_rank = -1;
alignas(16) std::array<std::byte, 64 << 10> handler_stack;
FixedText<16 << 10> report;

/// What the processor was about to do; 0 where that is not known.
std::uintptr_t faulting_instruction(const void* context) {
    [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<std::uintptr_t>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
    return machine.pc;
#else
    return 0;
#endif
}

void describe(const siginfo_t& info, int signal) {
    const int rank = many_ranks.running != nullptr ? many_ranks.running() : only_rank;
    if (rank >= 0)
        (report << "\nrank ").number(static_cast<std::uint64_t>(rank)) << " (pid ";
    else
        report << "\nno rank (pid ";
    report.number(static_cast<std::uint64_t>(::getpid())) << ") crashed: signal ";
    report.number(static_cast<std::uint64_t>(signal));
    const char* const meaning = ::sigdescr_np(signal);
    report << " (" << (meaning != nullptr ? meaning : "unknown") << ")";
    if (info.si_code == SI_USER || info.si_code == SI_TKILL) {
        if (info.si_pid != ::getpid()) {
            report << ", sent by process ";
            report.number(static_cast<std::uint64_t>(info.si_pid));
        }
    } else {
        report << " at address 0x";
        report.number(reinterpret_cast<std::uintptr_t>(info.si_addr), 16);
    }
    report << "\n";
}

void describe_frame(int number, std::uintptr_t address, bool is_return_address, int times) {
    // A call's return address may be that of the next function.
    const CodePlace place = find_code_place(address - (is_return_address ? 1 : 0));
    report << "  #";
    report.number(static_cast<std::uint64_t>(number)) << (number < 10 ? "  " : " ");
    if (place.function[0] != '\0') {
        report << place.function.data() << "+0x";
        report.number(place.in_function, 16) << "  ";
    }
    if (place.file[0] == '\0') {
        report << "0x";
        report.number(address, 16);
    } else {
        report << place.file.data() << "+0x";
        report.number(place.in_file, 16);
    }
    if (times > 1) {
        report << "  (";
        report.number(static_cast<std::uint64_t>(times)) << " times)";
    }
    report << "\n";
}

void describe_frames(std::uintptr_t fault) {
    void* frames[most_frames];
    const int n = ::backtrace(frames, most_frames);
    int first = 0;
    for (int i = 0; i < n; ++i)
        if (reinterpret_cast<std::uintptr_t>(frames[i]) == fault) first = i;
    for (int i = first, times = 1; i < n; i += times) {
        // A function that calls itself, perhaps without end.
        for (times = 1; i + times < n && frames[i + times] == frames[i];)
            ++times;
        describe_frame(i - first, reinterpret_cast<std::uintptr_t>(frames[i]),
                       i > first || first == 0, times);
    }
}

void write_whole(std::string_view rest) {
    while (!rest.empty()) {
        const ssize_t n = ::write(STDERR_FILENO, rest.data(), rest.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        rest.remove_prefix(static_cast<std::size_t>(n));
    }
}

void on_crash(int signal, siginfo_t* info, void* context) {
    // A second crash, in here, ends the process without a word.
    for (const int each : crashes)
        ::signal(each, SIG_DFL);
    describe(*info, signal);
    describe_frames(faulting_instruction(context));
    write_whole(report.view());
    if (many_ranks.others != nullptr) {
        // What has crashed may have held a lock that this needs.
        ::signal(SIGALRM, SIG_DFL);
        ::alarm(2);
        write_whole(many_ranks.others());
        ::alarm(0);
    }
    // Blocked until this returns; then it ends the process.
    ::raise(signal);
}

}  // namespace

void report_crashes(int rank) {
    only_rank = rank;
    report_crashes(ManyRanks{});
}

void report_crashes(const ManyRanks& ranks) {
    many_ranks = ranks;
    // The first call loads what unwinds the stack, which a handler must not do.
    void* frame = nullptr;
    ::backtrace(&frame, 1);
    // A stack that has overflown has no room for a handler.
    stack_t previous{};
    if (::sigaltstack(nullptr, &previous) == 0 && (previous.ss_flags & SS_DISABLE) != 0) {
        stack_t stack{};
        stack.ss_sp = handler_stack.data();
        stack.ss_size = handler_stack.size();
        ::sigaltstack(&stack, nullptr);
    }
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    for (const int signal : crashes) {
        struct sigaction theirs {};
        if (::sigaction(signal, nullptr, &theirs) == 0 && theirs.sa_handler == SIG_DFL &&
            (theirs.sa_flags & SA_SIGINFO) == 0)
            ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace railyard::job
