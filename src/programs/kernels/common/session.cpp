#include "kernels/common/session.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <exception>

#include "kernels/kernels.hpp"

namespace railyard::kernels {

namespace {

constexpr std::string_view classes = "SWABC";

}  // namespace

MpiProgram::MpiProgram(int argc, char** argv, Init init) {
    int initialized = 0;
    if (init == Init::unless_done) MPI_Initialized(&initialized);
    owns_mpi_ = initialized == 0;
    if (owns_mpi_) MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiProgram::~MpiProgram() {
    // Where an exception ends the rank, the others may not come to MPI_Finalize.
    if (owns_mpi_ && std::uncaught_exceptions() == 0) MPI_Finalize();
}

void MpiProgram::say(const char* format, ...) const {
    if (rank_ != 0 || quiet_) return;
    va_list arguments;
    va_start(arguments, format);
    std::vprintf(format, arguments);
    va_end(arguments);
    std::fflush(stdout);
}

bool MpiProgram::content_stays() {
    int known = 0;
    char limit[24] = "";
    MPI_Info_get(MPI_INFO_ENV, "railyard_payload_limit", sizeof limit - 1, limit, &known);
    return known != 0;
}

Session::Session(int argc, char** argv, const About& about, Outcome* outcome)
    : MpiProgram(argc, argv, Init::unless_done), about_(about), outcome_(outcome) {
    if (rank() == 0) read({argv + std::min(argc, 1), argv + argc});
    constexpr int wrong = 2;
    const int at_once = !complaint_.empty() ? wrong : static_cast<int>(help_wanted_);
    std::array<int, 6> told = {problem_class_, iterations_, steps_, any_source_, quiet_, at_once};
    MPI_Bcast(told.data(), static_cast<int>(told.size()), MPI_INT, 0, MPI_COMM_WORLD);
    problem_class_ = static_cast<char>(told[0]);
    iterations_ = told[1];
    steps_ = told[2];
    any_source_ = told[3] != 0;
    quiet_ = told[4] != 0;
    help_wanted_ = told[5] != 0;
    exit_code_ = told[5] == wrong ? 2 : 0;
}

void Session::read(const std::vector<std::string>& words) {
    for (std::size_t at = 0; at < words.size() && complaint_.empty(); ++at)
        read_option(words, at);
}

/// "--class A" and "--class=A".
void Session::read_option(const std::vector<std::string>& words, std::size_t& at) {
    const std::string& word = words[at];
    const std::string name = word.substr(0, word.find('='));
    if (word == "--help" || word == "--quiet" || (word == "--any-source" && about_.any_source)) {
        (word == "--help" ? help_wanted_ : word == "--quiet" ? quiet_ : any_source_) = true;
        return;
    }
    const bool iterations = name == "--iterations" && about_.iterations;
    const bool steps = name == "--steps" && about_.steps > 0;
    if (name != "--class" && !iterations && !steps)
        return complain(
            "'" + word +
            "' is not understood; see its --help; the launcher's options stand before it");
    if (name == word && at + 1 == words.size())
        return complain(name + ": a value is missing; see its --help");
    const std::string value = name == word ? words[++at] : word.substr(name.size() + 1);
    if (name == "--class") {
        if (value.size() != 1 || classes.find(value) == std::string_view::npos)
            return complain("--class: expected one of S, W, A, B, C, found '" + value + "'");
        problem_class_ = value.front();
    } else {
        const char* end = value.data() + value.size();
        int& number = steps ? steps_ : iterations_;
        const auto [stop, error] = std::from_chars(value.data(), end, number);
        if (error != std::errc{} || stop != end || number < 1)
            complain(name + ": expected a number from 1 on, found '" + value + "'");
    }
}

bool Session::begin() {
    if (exit_code_ != 0) {
        refuse(complaint_);
        return false;
    }
    if (!help_wanted_) return true;
    quiet_ = false;
    say("%s", help().c_str());
    return false;
}

std::string Session::help() const {
    std::string text = std::string(about_.name) + ": " + std::string(about_.purpose) + "\n" +
                       "Ranks: " + std::string(about_.ranks) + "\n" +
                       "  --class S|W|A|B|C  size of the problem (default: S, the smallest)\n";
    if (about_.iterations)
        text += "  --iterations N     other than those of the class; the result is not verified\n";
    if (about_.steps > 0)
        text += "  --steps N          of an iteration, in place of " +
                std::to_string(about_.steps) + "; likewise\n";
    if (about_.any_source)
        text += "  --any-source       receive from any source, as old versions did\n";
    return text +
           "  --quiet            print nothing but complaints: the exit code tells\n"
           "  --help             this\n";
}

std::size_t Session::class_index() const {
    return classes.find(problem_class_);
}

int Session::refuse(const std::string& why) {
    if (rank() == 0)
        std::fprintf(stderr, "%s: %s\n", std::string(about_.name).c_str(), why.c_str());
    exit_code_ = 2;
    return exit_code_;
}

int Session::finish(const Measured& measured, const Verification& verification) {
    double seconds = 0;
    MPI_Reduce(&measured.seconds, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    // Rank 0 alone has checked.
    exit_code_ = rank() == 0 && verification.failed() && !content_stays() ? 1 : 0;
    MPI_Bcast(&exit_code_, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (outcome_ != nullptr) *outcome_ = {.seconds = seconds};
    if (rank() == 0) print(measured, seconds, verification);
    return exit_code_;
}

void Session::print(const Measured& measured, double seconds,
                    const Verification& verification) const {
    // Without computation, virtual time may not have moved.
    const double rate = seconds > 0 ? measured.operations / seconds * 1e-6 : 0;
    const std::string name(about_.name);
    say("\n %s kernel of the NAS Parallel Benchmarks\n\n%s", name.c_str(),
        verification.lines().c_str());
    say("\n %s Benchmark Completed.\n", name.c_str());
    say(" Class           = %24c\n", problem_class_);
    say(" Size            = %24s\n", measured.size.c_str());
    say(" Iterations      = %24d\n", measured.iterations);
    say(" Time in seconds = %24.6f\n", seconds);
    say(" Total processes = %24d\n", ranks());
    say(" Mop/s total     = %24.2f\n", rate);
    say(" Mop/s/process   = %24.2f\n", rate / ranks());
    say(" Operation type  = %24s\n", std::string(measured.operation).c_str());
    say(" Verification    = %24s\n",
        verification.failed() && exit_code_ == 0 ? "NOT PERFORMED" : verification.verdict());
    if (verification.failed() && exit_code_ == 0)
        say(" Long messages left their content behind: the results mean nothing.\n");
}

namespace {

template <class... Values>
std::string line(const char* format, Values... values) {
    char text[200];
    std::snprintf(text, sizeof text, format, values...);
    return text;
}

}  // namespace

void Verification::compare(std::string_view what, double got, double reference) {
    const std::string name(what);
    if (!performed_) {
        lines_ += line(" %-18s %21.14e\n", name.c_str(), got);
        return;
    }
    const double error = std::fabs((got - reference) / reference);
    lines_ += line(" %-18s %21.14e   reference %21.14e   error %.2e\n", name.c_str(), got,
                   reference, error);
    judge(error);
}

void Verification::compare(std::string_view what, std::complex<double> got,
                           std::complex<double> reference) {
    const std::string name(what);
    if (!performed_) {
        lines_ += line(" %-12s %20.13e %20.13e\n", name.c_str(), got.real(), got.imag());
        return;
    }
    const double error = std::abs(got - reference) / std::abs(reference);
    lines_ += line(" %-12s %20.13e %20.13e   reference %19.12e %19.12e   error %.2e\n",
                   name.c_str(), got.real(), got.imag(), reference.real(), reference.imag(), error);
    judge(error);
}

void Verification::check(std::string_view what, bool right) {
    const std::string name(what);
    lines_ += line(" %-60s %s\n", name.c_str(), right ? "yes" : "NO");
    failed_ = failed_ || !right;
}

/// Written so that what is not a number fails.
void Verification::judge(double error) {
    if (!(error <= tolerance_)) failed_ = true;
}

const char* Verification::verdict() const {
    if (failed_) return "UNSUCCESSFUL";
    return performed_ ? "SUCCESSFUL" : "NOT PERFORMED";
}

}  // namespace railyard::kernels
