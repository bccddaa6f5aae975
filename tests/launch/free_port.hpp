#pragma once
/// For tests of two programs that meet at a port.

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace railyard::testing {

/// A port that nobody has, for now.
inline std::string free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    socklen_t length = sizeof address;
    ::bind(socket, reinterpret_cast<sockaddr*>(&address), length);
    ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length);
    ::close(socket);
    return std::to_string(ntohs(address.sin_port));
}

}  // namespace railyard::testing
