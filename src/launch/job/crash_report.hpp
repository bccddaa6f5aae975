#pragma once
/// What a rank's process says when it crashes: who it is, the signal, the address, and a backtrace.

#include <string>

namespace railyard::job {

/// From now on, for those of the signals of a crash (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT) that
/// the program handles in no way of its own. The report goes to the standard error, in one piece;
/// then the process ends by the signal, as it would have.
void report_crashes(int rank);

/// Of a process that has many ranks; asked in the handler.
struct ManyRanks {
    int (*running)();  ///< which of them runs; less than 0: none does
    /// What the others do, for the report's end. Asked last, when all else is written: it need not
    /// be safe in a handler.
    std::string (*others)();
};
void report_crashes(const ManyRanks& ranks);

}  // namespace railyard::job
