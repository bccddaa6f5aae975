#pragma once
/// The MPI programs that are part of Railyard, for `railyard run`. Each is an ordinary MPI program
/// against mpi.h, with a function in place of main: it knows nothing of
/// fabrics, of models or of virtual time. The NAS kernels are among them.

#include <span>
#include <string_view>

namespace railyard::programs {

struct Program {
    std::string_view name;
    std::string_view purpose;
    int (*main)(int argc, char** argv);  ///< returns the exit code, as main does
};

/// In the order in which people should see them.
std::span<const Program> all();

/// Null if there is none.
const Program* find(std::string_view name);

int hello(int argc, char** argv);
int ping_pong(int argc, char** argv);
int ring(int argc, char** argv);
int barrier(int argc, char** argv);
int broadcast(int argc, char** argv);
int allreduce(int argc, char** argv);
int all_to_all(int argc, char** argv);
int stencil(int argc, char** argv);
int halo(int argc, char** argv);

}  // namespace railyard::programs
