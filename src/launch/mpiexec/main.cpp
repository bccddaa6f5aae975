#include "launch/mpiexec/mpiexec.hpp"

int main(int argc, char** argv) {
    return railyard::launcher::mpiexec(argc, argv);
}
