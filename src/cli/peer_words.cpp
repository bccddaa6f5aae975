#include "cli/peer_words.hpp"

#include <cstdlib>

#include "railyard/base/error.hpp"

namespace railyard::cli {

namespace {

constexpr const char* secret_variable = "RAILYARD_SECRET";

}  // namespace

void add_peer_options(CLI::App& app, PeerWords& words) {
    app.add_option(
           "--listen", words.listen,
           "Two hosts: wait at that address of this one for the other (port 7471 if none is said)")
        ->type_name("ADDRESS[:PORT]");
    app.add_option("--peer", words.peer, "Two hosts: call the one that listens there")
        ->type_name("HOST[:PORT]");
    app.add_option("--secret-file", words.secret_file,
                   "What both sides know and nobody else does (or RAILYARD_SECRET)")
        ->type_name("FILE");
}

std::optional<agents::PeerOptions> peer_options(const PeerWords& words) {
    if (words.listen.empty() && words.peer.empty()) {
        if (!words.secret_file.empty())
            throw UsageError("--secret-file: it is for --listen and --peer");
        return std::nullopt;
    }
    if (!words.listen.empty() && !words.peer.empty())
        throw UsageError("--listen and --peer: one host listens, and the other calls it");
    agents::PeerOptions options;
    const bool listens = !words.listen.empty();
    options.side = listens ? agents::PeerOptions::Side::listens : agents::PeerOptions::Side::calls;
    options.address = listens ? words.listen : words.peer;
    options.secret_file = words.secret_file;
    const char* secret = std::getenv(secret_variable);
    if (secret != nullptr) options.secret = secret;
    if (options.secret.empty() && options.secret_file.empty())
        throw UsageError(
            "--listen and --peer: without a secret anybody on the network could take part; make "
            "one (`railyard secret FILE`), have it on both hosts, and name it with --secret-file, "
            "or set RAILYARD_SECRET");
    return options;
}

}  // namespace railyard::cli
