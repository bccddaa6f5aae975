#include "programs/builtin/programs.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/parse.hpp"
#include "base/quantity.hpp"
#include "kernels/kernels.hpp"
#include "programs/builtin/session.hpp"
#include "railyard/base/error.hpp"

namespace railyard::programs {

namespace {

std::vector<Program> own_and_kernels() {
    // To add a program, add its line.
    std::vector<Program> programs = {
        {"hello", "every rank says where it is", hello},
        {"ping-pong", "two ranks send a message to and fro, at many sizes", ping_pong},
        {"ring", "a message goes round all ranks", ring},
        {"barrier", "all ranks wait for each other", barrier},
        {"broadcast", "one rank sends the same data to all", broadcast},
        {"allreduce", "all ranks add up their vectors", allreduce},
        {"all-to-all", "every rank sends a block to every other", all_to_all},
        {"stencil", "a grid cut into tiles, which exchange their edges with their neighbours",
         stencil},
        {"halo", "what a stencil sends, without its arithmetic", halo},
    };
    for (const kernels::Kernel& kernel : kernels::all())
        programs.push_back({kernel.name, kernel.purpose, kernel.main});
    return programs;
}

}  // namespace

std::span<const Program> all() {
    static const std::vector<Program> programs = own_and_kernels();
    return programs;
}

const Program* find(std::string_view name) {
    const auto programs = all();
    const auto found = std::ranges::find(programs, name, &Program::name);
    return found != programs.end() ? &*found : nullptr;
}

Timed::Timed() {
    MPI_Pcontrol(1);
    start_ = MPI_Wtime();
}

double Timed::end() const {
    const double seconds = MPI_Wtime() - start_;
    MPI_Pcontrol(0);
    return seconds;
}

Session::Session(int argc, char** argv, std::string purpose)
    : MpiProgram(argc, argv, Init::always),
      name_(argc > 0 ? argv[0] : ""),
      words_(argv + std::min(argc, 1), argv + argc),
      used_(words_.size(), false),
      help_(std::move(purpose) + "\n") {}

/// "--size 4K" and "--size=4K".
const std::string* Session::value_of(const char* name, const std::string& shown, const char* help) {
    help_ += "  " + std::string(name) + "  " + help + " (default: " + shown + ")\n";
    const std::string* value = nullptr;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const std::string start = std::string(name) + "=";
        if (words_[i] == name && i + 1 < words_.size()) {
            value = &words_[i + 1];
            used_[i] = used_[i + 1] = true;
        } else if (words_[i].starts_with(start)) {
            words_[i].erase(0, start.size());
            value = &words_[i];
            used_[i] = true;
        }
    }
    return value;
}

std::size_t Session::bytes(const char* name, std::size_t otherwise, const char* help) {
    const std::string* text = value_of(name, to_string(Bytes(otherwise)), help);
    if (text == nullptr) return otherwise;
    try {
        return parse_bytes(*text).count();
    } catch (const UsageError& error) {
        complain(std::string(name) + ": " + error.what());
        return otherwise;
    }
}

/// `most`: 0 for any number.
int Session::count(const char* name, int otherwise, const char* help, int most) {
    const std::string* text = value_of(name, std::to_string(otherwise), help);
    if (text == nullptr) return otherwise;
    if (const auto value = parse_number<int>(*text); value && *value > 0)
        if (most == 0 || *value <= most) return *value;
    complain(std::string(name) + ": expected a number from 1 " +
             (most == 0 ? "on" : "to " + std::to_string(most)) + ", found '" + *text + "'");
    return otherwise;
}

bool Session::begin() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
        if (used_[i]) continue;
        if (words_[i] == "--help") {
            say("%s", help_.c_str());
            return false;
        }
        complain("'" + words_[i] + "' is not understood; see `railyard run " + name_ +
                 " --help`; options of `railyard run` itself stand before " + name_);
    }
    if (complaint_.empty()) return true;
    if (rank() == 0) std::fprintf(stderr, "%s: %s\n", name_.c_str(), complaint_.c_str());
    exit_code_ = 2;
    return false;
}

void Session::steps_left(int steps) const {
    if (rank() == 0 && steps > 0) MPI_Pcontrol(-steps);
}

int Session::verdict() {
    int all = 0;
    MPI_Allreduce(&wrong_, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const bool counts = all > 0 && !content_stays();
    if (counts) say("%d results are WRONG\n", all);
    if (all > 0 && !counts) say("long messages left their content behind: nothing was checked\n");
    exit_code_ = counts ? 1 : 0;
    return exit_code_;
}

}  // namespace railyard::programs
