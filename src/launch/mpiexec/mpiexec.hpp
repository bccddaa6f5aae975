#pragma once
/// `mpiexec`, which is also called `mpirun`: starts an MPI program on fabrics that move bytes.

namespace railyard::mpiexec {

/// Does what the arguments ask for. Returns the job's exit code: that of the first rank that
/// failed; 2 if the call was wrong, 127 or 126 if the program is not there or cannot be run.
int run_command(int argc, char** argv);

}  // namespace railyard::mpiexec
