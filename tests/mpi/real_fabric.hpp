#pragma once
/// What MPI's tests run on in real time: shm, or what RAILYARD_TEST_FABRIC names. A pair such as
/// shm+iwarp has two nodes, with the one inside and the other between them.

#include <cstdlib>
#include <string>
#include <vector>

#include "launch/job/job.hpp"

namespace railyard::mpi {

inline std::string real_fabric() {
    const char* const wish = std::getenv("RAILYARD_TEST_FABRIC");
    return wish == nullptr || *wish == '\0' ? "shm" : wish;
}

inline bool is_pair(const std::string& fabric) {
    return fabric.find('+') != fabric.npos;
}

/// For job::Options: where each rank is, if that matters.
inline std::vector<fabric::NodeId> nodes_for(const std::string& fabric, int ranks) {
    std::vector<fabric::NodeId> nodes;
    for (int rank = 0; is_pair(fabric) && rank < ranks; ++rank)
        nodes.push_back(static_cast<fabric::NodeId>(2 * rank / ranks));
    return nodes;
}

/// For the names of tests, which are letters, digits and underscores.
inline std::string test_name(std::string fabric) {
    for (char& c : fabric)
        if (c == '-' || c == '+') c = '_';
    return fabric;
}

}  // namespace railyard::mpi
