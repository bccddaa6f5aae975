#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/descriptor.hpp"
#include "base/parse.hpp"
#include "cli/command.hpp"
#include "cli/words.hpp"
#include "launch/managers/gather.hpp"
#include "launch/tls/addresses.hpp"
#include "launch/tls/secret.hpp"
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

std::optional<peers::PeerOptions> peer_options(const PeerWords& words) {
    if (words.listen.empty() && words.peer.empty()) {
        if (!words.secret_file.empty())
            throw UsageError("--secret-file: it is for --listen and --peer");
        return std::nullopt;
    }
    if (!words.listen.empty() && !words.peer.empty())
        throw UsageError("--listen and --peer: one host listens, and the other calls it");
    peers::PeerOptions options;
    const bool listens = !words.listen.empty();
    options.side = listens ? peers::PeerOptions::Side::listens : peers::PeerOptions::Side::calls;
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

std::optional<peers::PeerOptions> peer_by_launcher() {
    // The second of the two listens; where, and with which secret, goes by the launcher.
    const tls::Secret secret = tls::Secret::make();
    const std::uint16_t port = tls::port_of(tls::listen_at({}).front().get());
    const auto gathered = managers::gather(
        fmt::format("{} {} {}", tls::own_addresses("").front(), port, secret.hex()));
    if (!gathered || gathered->texts.size() == 1) return std::nullopt;
    if (gathered->texts.size() != 2)
        throw UsageError(
            fmt::format("measure: between hosts there are two ranks, and the launcher has started "
                        "{}; `srun -N2 -n2` starts one on each of two nodes",
                        gathered->texts.size()));
    const auto words = split(gathered->texts[1], ' ');
    if (words.size() != 3) throw Error("rank 1 is of another version of Railyard");
    peers::PeerOptions options;
    const bool listens = gathered->rank == 1;
    options.side = listens ? peers::PeerOptions::Side::listens : peers::PeerOptions::Side::calls;
    options.address =
        listens ? fmt::format(":{}", words[1]) : fmt::format("[{}]:{}", words[0], words[1]);
    options.secret = words[2];
    return options;
}

namespace {

/// For its owner alone, from the beginning. What is there already is somebody's secret.
void write_secret(const std::string& path, const std::string& text) {
    const Descriptor file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file && errno == EEXIST)
        throw UsageError(fmt::format("{} is there already; remove it, or name another file", path));
    if (!file || ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw system_error(fmt::format("cannot write {}", path));
}

}  // namespace

Command secret_command(CLI::App& parent) {
    CLI::App* app = parent.add_subcommand(
        "secret", "Makes a secret, by which two hosts that measure together recognise each other");
    const auto file = std::make_shared<std::string>();
    app->add_option("file", *file, "Where it goes, readable by you alone (default: it is printed)")
        ->type_name("FILE");
    app->footer(
        "Examples:\n"
        "  railyard secret key\n"
        "  railyard measure latency-uni --on iwarp --secret-file key --listen ADDRESS\n"
        "Copy the file to the other host, and name it there, too.");
    return {app, [file] {
                const std::string text = tls::Secret::make().hex() + "\n";
                if (file->empty())
                    fmt::print("{}", text);
                else
                    write_secret(*file, text);
                return 0;
            }};
}

}  // namespace railyard::cli
