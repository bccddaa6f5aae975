#pragma once
/// Which file a program's name means, and how it is started in a child process, without a copy of
/// this process in between.

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "launch/job/program_job.hpp"

namespace railyard::job {

/// What the child is to be. All of it is ready before the child exists, since the child shares this
/// memory until it executes the program, and may do nothing but call the system.
struct Spawn {
    const char* path = nullptr;
    char* const* arguments = nullptr;    ///< as execve wants them
    char* const* environment = nullptr;  ///< as execve wants it
    const char* directory = nullptr;     ///< null: this one
    int input = -1;                      ///< becomes descriptor 0; -1: ours is inherited
    int output = -1;                     ///< becomes descriptor 1
    int errors = -1;                     ///< becomes descriptor 2
    int kept = -1;                       ///< does not close on exec
};

/// Returns once the program runs. The child dies when this thread does. `prepare` runs in the child
/// and makes system calls only. Throws CannotStart.
pid_t spawn(const Spawn& what, const std::function<void()>& prepare);

/// As seen from the program's directory. Throws CannotStart, which says what is wrong with it.
std::string find_program(const Program& program);

}  // namespace railyard::job
