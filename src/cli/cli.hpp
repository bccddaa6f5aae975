#pragma once
/// The `railyard` command.

namespace railyard::cli {

/// Does what the arguments ask for and returns the exit code: 0, 1 (the work failed) or 2 (the call
/// was wrong).
int run(int argc, char** argv);

}  // namespace railyard::cli
