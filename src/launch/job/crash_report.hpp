#pragma once
/// What a rank's process says when it crashes: who it is, the signal, the address, and a backtrace.

namespace railyard::job {

/// From now on, for those of the signals of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) that
/// the program handles in no way of its own. The report goes to the standard error, in one piece;
/// then the process ends by the signal, as it would have.
void report_crashes(int rank);
/// Of a process that has many: which of them runs, asked in the handler; less than 0: none does.
void report_crashes(int (*rank)());

}  // namespace railyard::job
