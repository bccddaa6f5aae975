// A program for mpiexec to start, which needs no MPI library: it joins the job by itself and then
// does what its first argument says. Ranks that have nothing to do wait for ever.

#include <fmt/format.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "launch/managers/join.hpp"
#include "railyard/base/error.hpp"

namespace {

using railyard::job::Rank;
using Words = std::vector<std::string>;

struct Deed {
    std::function<void(Rank&, const Words&)> rest;   ///< what every rank does, after the one
    std::function<void(Rank&, const Words&)> one{};  ///< what rank 1 does first
};

void wait_for_ever(Rank&, const Words&) {
    for (;;)
        ::pause();
}

void meet(Rank& rank, const Words&) {
    const std::string id = std::to_string(rank.id());
    rank.bootstrap().put("id", std::as_bytes(std::span(id)));
    rank.bootstrap().commit();
    const auto from = rank.bootstrap().get((rank.id() + 1) % rank.size(), "id");
    rank.bootstrap().fence();
    std::printf("rank %d of %d, next is %.*s\n", rank.id(), rank.size(),
                static_cast<int>(from.size()), reinterpret_cast<const char*>(from.data()));
}

void open_nic(Rank& rank, const Words&) {
    std::printf("rank %d is on %s\n", rank.id(), rank.nic().traits().name.c_str());
}

/// What a program that a rank starts finds of the job.
void start_another(Rank& rank, const Words& words) {
    rank.bootstrap().fence();
    if (rank.id() == 0 && ::system(words.at(1).c_str()) != 0) rank.abort(9, "the other failed");
    rank.bootstrap().fence();
}

const std::map<std::string, Deed>& deeds() {
    static const std::map<std::string, Deed> all{
        {"meet", {meet}},
        {"nic", {open_nic}},
        {"system", {start_another}},
        {"wait", {wait_for_ever}},
        {"abort",
         {wait_for_ever,
          [](Rank& rank, const Words& words) {
              std::printf("last words");
              rank.abort(std::stoi(words.at(1)), "it had enough");
          }}},
        {"deaf",
         {[](Rank& rank, const Words& words) {
              ::signal(SIGTERM, SIG_IGN);
              rank.bootstrap().fence();
              wait_for_ever(rank, words);
          },
          [](Rank& rank, const Words&) {
              rank.bootstrap().fence();
              rank.abort(3, "it had enough");
          }}},
        {"exit",
         {wait_for_ever, [](Rank&, const Words& words) { ::exit(std::stoi(words.at(1))); }}},
        {"vanish", {[](Rank&, const Words&) { ::exit(0); }}},
        {"signal",
         {wait_for_ever, [](Rank&, const Words& words) { ::raise(std::stoi(words.at(1))); }}},
        {"catch", {[](Rank& rank, const Words& words) {
             ::signal(std::stoi(words.at(1)), [](int) { ::_exit(0); });
             std::puts("ready");
             std::fflush(stdout);
             wait_for_ever(rank, words);
         }}},
    };
    return all;
}

void act(const Words& words) {
    const std::unique_ptr<Rank> rank = railyard::managers::join();
    const Deed& deed = deeds().at(words.at(0));
    if (rank->id() == 1 && deed.one) deed.one(*rank, words);
    deed.rest(*rank, words);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        act(Words(argv + 1, argv + argc));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 5;
    }
    return 0;
}
