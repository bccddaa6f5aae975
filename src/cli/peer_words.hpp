#pragma once
/// The options by which two calls of `railyard`, on two hosts, find each other.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "launch/agents/peer_job.hpp"

namespace railyard::cli {

/// As they were typed; an empty word was not given.
struct PeerWords {
    std::string listen, peer, secret_file;
};

/// The words outlive the app.
void add_peer_options(CLI::App& app, PeerWords& words);

/// None: all ranks are on this host. Throws UsageError, also if nobody has given a secret.
std::optional<agents::PeerOptions> peer_options(const PeerWords& words);

}  // namespace railyard::cli
