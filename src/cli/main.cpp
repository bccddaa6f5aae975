#include "cli/cli.hpp"

int main(int argc, char** argv) {
    return railyard::cli::run(argc, argv);
}
