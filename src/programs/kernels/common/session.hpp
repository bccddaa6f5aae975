#pragma once
/// What every kernel begins with and ends with: MPI_Init, the command line, refusals that all ranks
/// share, the result, MPI_Finalize.

#include <complex>
#include <string>
#include <string_view>
#include <vector>

namespace railyard::kernels {

class Verification;
struct Outcome;

/// What a kernel tells of itself to those who ask for help.
struct About {
    std::string_view name;     ///< "CG"
    std::string_view purpose;  ///< a line
    std::string_view ranks;    ///< how many it runs on: "a power of two"
    bool any_source = false;   ///< whether it has --any-source
    bool iterations = true;    ///< whether it has --iterations
    int steps = 0;             ///< of an iteration, if it has --steps
};

/// What was measured, for the lines that all kernels print.
struct Measured {
    std::string size;  ///< of the problem: "1400", "64 x 64 x 64"
    int iterations = 0;
    double seconds = 0;     ///< of this rank; the slowest rank's is told
    double operations = 0;  ///< of all ranks together
    std::string_view operation = "floating point";
};

/// A program's time in MPI, from MPI_Init to MPI_Finalize; what rank 0 says in it, and how it ends.
class MpiProgram {
  public:
    MpiProgram(const MpiProgram&) = delete;
    MpiProgram& operator=(const MpiProgram&) = delete;

    int rank() const { return rank_; }
    int ranks() const { return ranks_; }
    int exit_code() const { return exit_code_; }
    /// By rank 0 alone, unless it is to be quiet.
    [[gnu::format(printf, 2, 3)]] void say(const char* format, ...) const;
    /// Whether long messages leave their bytes behind (`railyard run --payload`): then results mean
    /// nothing. Unknown to other MPI libraries.
    static bool content_stays();

  protected:
    enum class Init : bool {
        always,
        unless_done,  ///< whoever called MPI_Init before will call MPI_Finalize, too
    };
    MpiProgram(int argc, char** argv, Init init);
    /// Calls MPI_Finalize if it was us who called MPI_Init.
    ~MpiProgram();

    /// Of all that is wrong with the command line, the first is told.
    void complain(const std::string& what) {
        if (complaint_.empty()) complaint_ = what;
    }

    std::string complaint_;
    bool quiet_ = false;
    int exit_code_ = 0;

  private:
    bool owns_mpi_ = true;
    int rank_ = 0;
    int ranks_ = 1;
};

class Session : public MpiProgram {
  public:
    /// Calls MPI_Init, unless somebody did before. Rank 0 reads the command line and tells the
    /// others. `outcome` is filled in at the end; it may be null.
    Session(int argc, char** argv, const About& about, Outcome* outcome);

    /// False if there is nothing to do but to return exit_code(): --help was asked for, or the
    /// options are wrong. Rank 0 has said so.
    bool begin();

    /// One of S, W, A, B, C.
    char problem_class() const { return problem_class_; }
    /// Its place in tables of all classes: S is 0.
    std::size_t class_index() const;
    /// As asked for, or else those of the class.
    int iterations(int of_class) const { return iterations_ > 0 ? iterations_ : of_class; }
    /// Of an iteration, likewise.
    int steps() const { return steps_ > 0 ? steps_ : about_.steps; }
    /// Whether the result is known: with other iterations than those of the class it is not.
    bool verifiable(int of_class) const {
        return iterations(of_class) == of_class && steps() == about_.steps;
    }
    /// Whether receives name no source, as old versions of the benchmarks had it.
    bool any_source() const { return any_source_; }

    /// The kernel does not run like this: rank 0 says why and what is allowed. Returns the exit
    /// code. All ranks call it.
    int refuse(const std::string& why);
    /// Prints the result in the form that people know. Rank 0's verification counts. Returns the
    /// exit code. All ranks call it.
    int finish(const Measured& measured, const Verification& verification);

  private:
    void read(const std::vector<std::string>& words);
    void read_option(const std::vector<std::string>& words, std::size_t& at);
    std::string help() const;
    void print(const Measured& measured, double seconds, const Verification& verification) const;

    About about_;
    Outcome* outcome_;
    char problem_class_ = 'S';
    int iterations_ = 0;  ///< 0: those of the class
    int steps_ = 0;       ///< likewise
    bool any_source_ = false;
    bool help_wanted_ = false;
};

/// The results of a kernel beside those that are published for its class: whether they agree, and
/// lines that show both.
class Verification {
  public:
    /// Errors are relative. Where the result is not known (`performed` is false), values are shown
    /// and not compared.
    explicit Verification(double tolerance, bool performed = true)
        : tolerance_(tolerance), performed_(performed) {}

    void compare(std::string_view what, double got, double reference);
    void compare(std::string_view what, std::complex<double> got, std::complex<double> reference);
    /// What is right or wrong in itself, such as an order.
    void check(std::string_view what, bool right);

    bool failed() const { return failed_; }
    /// "SUCCESSFUL", "UNSUCCESSFUL" or "NOT PERFORMED".
    const char* verdict() const;
    /// One for each value.
    const std::string& lines() const { return lines_; }

  private:
    void judge(double error);

    double tolerance_;
    bool performed_;
    bool failed_ = false;
    std::string lines_;
};

}  // namespace railyard::kernels
