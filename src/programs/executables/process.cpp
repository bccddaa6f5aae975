#include "programs/executables/process.hpp"

#include <elf.h>
#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "programs/loader/thread_room.hpp"
#include "railyard/base/error.hpp"
#include "railyard/host.hpp"

namespace railyard::executables {

namespace {

/// Addresses for the heaps of all ranks together; each may have as much as 64 GB.
constexpr std::size_t addresses_of_all = std::size_t{32} << 40;
constexpr std::size_t most_addresses = std::size_t{64} << 30;

std::size_t heap_addresses(int ranks) {
    const std::size_t share = addresses_of_all / static_cast<std::size_t>(ranks);
    return std::min(share, most_addresses) / Heap::page * Heap::page;
}

/// What this process has while no rank runs.
const Variables& railyards() {
    static const Variables own{.input = ::stdin,
                               .output = ::stdout,
                               .errors = ::stderr,
                               .environment = ::environ,
                               .program_name = ::program_invocation_name,
                               .short_program_name = ::program_invocation_short_name};
    return own;
}

/// Leaves for code that never returns, with the stack as the kernel would have made it.
[[noreturn]] void jump(void* entry, void* stack) {
#if defined(__x86_64__)
    asm volatile(
        "movq %1, %%rsp\n\t"
        "xorl %%ebp, %%ebp\n\t"
        "xorl %%edx, %%edx\n\t"
        "jmp *%0"
        :
        : "r"(entry), "r"(stack)
        : "memory", "rdx");
#elif defined(__aarch64__)
    asm volatile(
        "mov sp, %1\n\t"
        "mov x29, #0\n\t"
        "mov x30, #0\n\t"
        "mov x0, #0\n\t"
        "br %0"
        :
        : "r"(entry), "r"(stack)
        : "memory", "x0");
#endif
    __builtin_unreachable();
}

}  // namespace

thread_local Process* Process::here_ = nullptr;

Process::Process(const loader::Program& program, job::Rank& rank, const Start& start)
    : program_(program),
      rank_(rank),
      charge_computation_(start.charge_computation),
      words_(start.words),
      heap_(heap_addresses(rank.size())),
      streams_(rank.id(), start.label_output),
      environment_(railyards().environment) {
    for (const auto& [name, value] : start.environment)
        environment_.set(name, value);
    if (!start.directory.empty()) {
        if (directory_.change(start.directory.c_str()) != 0)
            throw system_error(
                fmt::format("rank {} cannot work in {}", rank.id(), start.directory));
        Directory::leave();
    }
    variables_.input = streams_.input();
    variables_.output = streams_.output();
    variables_.errors = streams_.errors();
    variables_.environment = environment_.values();
    variables_.program_name = words_.front().data();
    const std::size_t slash = words_.front().rfind('/');
    variables_.short_program_name =
        variables_.program_name + (slash == std::string::npos ? 0 : slash + 1);
}

Process::~Process() = default;

int Process::run() {
    rank_local::here->guest = this;
    thread_locals_.resize(program_.thread_locals().used());
    enter();
    // What makes it may ask functions of its libraries for addresses of others.
    copy_.emplace(program_, &variables_);
    copy_->write_thread_locals(
        {loader::thread_room::thread_pointer() + program_.thread_locals().used_begin(),
         program_.thread_locals().used()});
    if (_setjmp(base_) == 0) jump_in();
    leave();
    Directory::leave();
    rank_local::here->guest = nullptr;
    if (escaped_) std::rethrow_exception(std::exchange(escaped_, nullptr));
    return code_;
}

/// What the kernel puts on a new stack: the words, the environment, and what it says of itself.
void Process::jump_in() {
    std::vector<std::uintptr_t> made;
    made.push_back(words_.size());
    for (std::string& word : words_)
        made.push_back(reinterpret_cast<std::uintptr_t>(word.data()));
    made.push_back(0);
    for (char** text = environment_.values(); *text != nullptr; ++text)
        made.push_back(reinterpret_cast<std::uintptr_t>(*text));
    made.push_back(0);
    for (const unsigned long kind : {AT_PAGESZ, AT_RANDOM, AT_HWCAP, AT_SECURE}) {
        made.push_back(kind);
        made.push_back(::getauxval(kind));
    }
    made.push_back(AT_NULL);
    made.push_back(0);
    const std::size_t bytes = (made.size() * sizeof made[0] + 15) / 16 * 16;
    void* const stack = __builtin_alloca_with_align(bytes, 128);
    std::memcpy(stack, made.data(), made.size() * sizeof made[0]);
    made = {};
    jump(copy_->entry(), stack);
}

void Process::start(int (*main)(int, char**, char**), int argc, char** argv) {
    for (const auto function : copy_->initialisers())
        function(argc, argv, environment_.values());
    exit(main(argc, argv, environment_.values()));
}

void Process::exit(int code) {
    expect_main_thread();
    // Handlers may add others, which come next.
    while (!exit_handlers_.empty()) {
        const auto handler = std::move(exit_handlers_.back());
        exit_handlers_.pop_back();
        handler(code);
    }
    for (const auto function : copy_->finalisers())
        function();
    std::fflush(nullptr);
    leave_with(code);
}

void Process::leave_with(int code) {
    expect_main_thread();
    code_ = code & 0xff;
    ::longjmp(base_, 1);
}

void Process::escape() {
    expect_main_thread();
    escaped_ = std::current_exception();
    ::longjmp(base_, 1);
}

void Process::expect_main_thread() const {
    if (rank_local::here->rank != nullptr) return;
    fmt::print(stderr,
               "railyard: rank {}: a thread that the program made has ended it or called MPI; in "
               "virtual time only a rank's first thread may. Start the program with mpiexec\n",
               rank_.id());
    std::_Exit(1);
}

void Process::enter() {
    here_ = this;
    directory_.use();
    ::stdin = variables_.input;
    ::stdout = variables_.output;
    ::stderr = variables_.errors;
    ::environ = variables_.environment;
    ::program_invocation_name = variables_.program_name;
    ::program_invocation_short_name = variables_.short_program_name;
    locale_.use();
    const auto& plan = program_.thread_locals();
    std::memcpy(loader::thread_room::thread_pointer() + plan.used_begin(), thread_locals_.data(),
                plan.used());
    errno = error_number_;
}

void Process::leave() {
    error_number_ = errno;
    const auto& plan = program_.thread_locals();
    std::memcpy(thread_locals_.data(), loader::thread_room::thread_pointer() + plan.used_begin(),
                plan.used());
    locale_.leave();
    ::stdin = railyards().input;
    ::stdout = railyards().output;
    ::stderr = railyards().errors;
    ::environ = railyards().environment;
    ::program_invocation_name = railyards().program_name;
    ::program_invocation_short_name = railyards().short_program_name;
    here_ = nullptr;
}

void* Process::variable_address(std::string_view name) {
    if (const auto target = program_.find(name)) return copy_->address(*target);
    for (const Variable& variable : executables::variables())
        if (variable.name == name)
            return reinterpret_cast<std::byte*>(&variables_) + variable.offset;
    std::abort();  // a name that is in no table
}

Time Process::now() {
    expect_main_thread();
    if (charge_computation_) charge_computation_();
    const Duration cost = clock_readings_.cost(rank_.host().now());
    if (cost > Duration()) rank_.host().compute(cost);
    return rank_.host().now();
}

void Process::sleep(Duration duration) {
    expect_main_thread();
    if (charge_computation_) charge_computation_();
    rank_.host().compute(duration);
}

}  // namespace railyard::executables
