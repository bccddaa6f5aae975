#include "launch/mpiexec/mpiexec.hpp"

int main(int argc, char** argv) {
    return railyard::mpiexec::run_command(argc, argv);
}
