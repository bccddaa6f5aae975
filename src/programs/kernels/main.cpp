// The program of one kernel: compiled once for each, with KERNEL its name.

#include "kernels/kernels.hpp"

int main(int argc, char** argv) {
    return railyard::kernels::KERNEL(argc, argv);
}
