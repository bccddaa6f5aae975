// The random MPI program on its own, for mpiexec of any library of the same ABI.

#include "traffic/traffic.hpp"

int main(int argc, char** argv) {
    return railyard::soak::traffic(argc, argv);
}
