#pragma once
/// An example that is given the name of a file writes a trace of its run there: for Perfetto, and
/// for the pictures of docs/elan.md.

#include <fstream>

#include "sim/engine.hpp"
#include "sim/trace.hpp"

namespace railyard {

class Traced {
  public:
    /// Before anything is made that runs on the engine.
    Traced(sim::Engine& engine, int argc, char** argv) : file_(argc > 1 ? argv[1] : nullptr) {
        if (file_) engine.record(&trace_);
    }
    /// When the engine has run.
    void write() const {
        if (!file_) return;
        std::ofstream out(file_);
        trace_.write(out);
    }

  private:
    const char* const file_;
    sim::Trace trace_;
};

}  // namespace railyard
