#pragma once
/// How a process opens what another process of the same user has open: through /proc, or, where
/// that is closed (a program that may be executed and not read) or missing, by asking the other,
/// which then has a thread that answers.

#include <sys/types.h>

#include <string>

#include "base/descriptor.hpp"

namespace railyard {

/// From now on other processes may open this descriptor. Throws Error.
void offer_descriptor(int fd);
/// Before it is closed.
void withdraw_descriptor(int fd);

/// Opens what that process has open under that number, as `flags` of open(2) say, which may be
/// ignored. None with errno set: ESRCH if the process is gone or has it open no more.
Descriptor open_foreign(pid_t pid, int fd, int flags);

/// What a user can do where memory could not be made or opened, for messages: begins with "; ", or
/// is empty.
std::string remedy_for(int error);

}  // namespace railyard
