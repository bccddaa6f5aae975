#pragma once
/// The three standard streams of one rank's program. Lines go out whole, so that those of other
/// ranks do not come between. Only rank 0 has an input.

#include <sys/types.h>

#include <cstddef>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/descriptor.hpp"
#include "launch/job/output.hpp"

namespace railyard::executables {

class Streams {
  public:
    Streams(int rank, bool with_labels);
    ~Streams();
    Streams(const Streams&) = delete;
    Streams& operator=(const Streams&) = delete;

    std::FILE* input() const { return input_; }
    std::FILE* output() const { return output_; }
    std::FILE* errors() const { return errors_; }

    /// By the descriptors 1 and 2, as for a program that does not go through <stdio.h>.
    void write(int descriptor, std::string_view bytes);
    bool has_input() const { return has_input_; }
    /// What is written there goes to that file from now on, as it comes.
    void redirect(int descriptor, Descriptor file);
    /// What was not a whole line as well: the program has ended.
    void finish();

  private:
    std::FILE* open_output(int descriptor);
    static ssize_t write_cookie(void* cookie, const char* data, std::size_t size);

    struct Way {
        Streams* streams = nullptr;
        int descriptor = -1;
    };
    bool has_input_;
    std::unique_ptr<job::Output> lines_[2];
    Descriptor files_[2];  ///< where they go, if the program has chosen
    Way ways_[2];
    std::FILE* input_ = nullptr;
    std::FILE* output_ = nullptr;
    std::FILE* errors_ = nullptr;
};

}  // namespace railyard::executables
