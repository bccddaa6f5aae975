#pragma once
/// A job of two ranks on two hosts, each started there by hand: one side waits, the other calls,
/// and both know a secret.

#include <string>

#include "launch/job/job.hpp"
#include "railyard/base/time.hpp"

namespace railyard::peers {

struct PeerOptions {
    enum class Side : std::uint8_t { listens, calls };

    Side side = Side::calls;
    std::string address{};      ///< "host", "host:port"; ":port" listens at all addresses
    std::string secret_file{};  ///< where one is (see tls::Secret)
    std::string secret{};       ///< the secret itself, if there is no file
    /// What is to be done, as both sides must say it: a mistake is noticed before anything runs.
    std::string task{};
    Duration patience = Duration::s(60);  ///< until the other side is there

    static constexpr std::uint16_t usual_port = 7471;
};

/// Runs `body` here as one of the two ranks: whoever calls is rank 0. What is delivered there is in
/// the result of both. Throws UsageError for options that make no sense, and Error if nobody comes.
job::Result run_with_peer(const job::Options& options, const PeerOptions& peer,
                          const job::Body& body);

}  // namespace railyard::peers
