#include "launch/mpiexec/call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/parse.hpp"
#include "railyard/base/error.hpp"

namespace railyard::mpiexec {

namespace {

/// "--name=value" in its parts.
struct Written {
    std::string name;
    std::optional<std::string> value;
};

Written read(const std::string& word) {
    const auto start = word.find_first_not_of('-');
    const auto equals = word.find('=', start);
    if (equals == std::string::npos) return {word.substr(start), std::nullopt};
    return {word.substr(start, equals - start), word.substr(equals + 1)};
}

const Option& find(const std::string& word, const std::string& name) {
    std::vector<std::string> names;
    for (const Option& option : options()) {
        if (std::ranges::find(option.names, name) != option.names.end()) return option;
        names.emplace_back(option.names.front());
    }
    const auto right = nearest(name, names);
    const auto dashed = [](const std::string& n) { return (n.size() > 1 ? "--" : "-") + n; };
    throw UsageError(fmt::format("unknown option '{}'; {}`mpiexec --help` lists all", word,
                                 right ? fmt::format("did you mean '{}'? ", dashed(*right)) : ""));
}

/// Goes through the words once.
class Parser {
  public:
    explicit Parser(std::span<const std::string> words) : rest_(words) {}

    Call parse() {
        do {
            read_program();
        } while (call_.what == Call::What::run && next_is(":"));
        job::check_part_of_trace(!call_.recording.trace.empty(), call_.recording.from,
                                 call_.recording.to);
        return std::move(call_);
    }

  private:
    bool next_is(std::string_view word) {
        if (rest_.empty() || rest_.front() != word) return false;
        rest_ = rest_.subspan(1);
        return true;
    }

    static bool is_option(const std::string& word) {
        return word.size() > 1 && word[0] == '-' && word != "--";
    }

    void read_program() {
        job::Program program;
        program.ranks = 0;  // as long as nobody says
        while (!rest_.empty() && is_option(rest_.front())) {
            read_option(program);
            if (call_.what != Call::What::run) return;
        }
        next_is("--");
        while (!rest_.empty() && rest_.front() != ":") {
            program.arguments.push_back(rest_.front());
            rest_ = rest_.subspan(1);
        }
        if (program.arguments.empty())
            throw UsageError(call_.job.programs.empty()
                                 ? "run what? Name a program, as in `mpiexec -n 4 ./hello`"
                                 : "a program is missing after ':'");
        call_.job.programs.push_back(std::move(program));
    }

    void read_option(job::Program& program) {
        const std::string word = rest_.front();
        const Written written = read(word);
        // "-x=1" is nobody's, but "--timeout=5" is; an option with more operands has them apart.
        const Option& option = find(word, written.name);
        rest_ = rest_.subspan(1);
        const std::size_t wanted = option.operands;
        if (written.value) {
            if (wanted != 1 && !option.may_have_value)
                throw UsageError(fmt::format("{}: takes {} words after it, and none behind '='",
                                             word, wanted == 0 ? "no" : std::to_string(wanted)));
            option.apply(call_, program, std::span(&*written.value, 1));
            return;
        }
        if (rest_.size() < wanted)
            throw UsageError(
                fmt::format("{}: expected {} after it", word,
                            wanted == 1 ? "a word" : std::to_string(wanted) + " words"));
        option.apply(call_, program, rest_.first(wanted));
        rest_ = rest_.subspan(wanted);
    }

    std::span<const std::string> rest_;
    Call call_;
};

/// Those for all come first: a program's own has the last word.
void share_environment(Call& call) {
    for (job::Program& program : call.job.programs)
        program.environment.insert(program.environment.begin(), call.environment.begin(),
                                   call.environment.end());
}

/// A program alone has a rank for each slot of its hosts; else it is one rank that nobody counted.
void count_ranks(Call& call) {
    call.hosts = engines::with_slots(call.written_hosts, call.slots);
    int slots = 0;
    for (const engines::HostSlots& host : call.hosts)
        slots += host.slots;
    for (job::Program& program : call.job.programs)
        if (program.ranks == 0)
            program.ranks = call.job.programs.size() == 1 ? std::max(slots, 1) : 1;
}

}  // namespace

Call parse(std::span<const std::string> words) {
    Call call = Parser(words).parse();
    share_environment(call);
    count_ranks(call);
    return call;
}

std::string help(const std::string& name) {
    std::string text = fmt::format(
        "Runs an MPI program: N processes of it, on this machine or on several.\n"
        "Usage: {} [OPTION...] PROGRAM [ARGUMENT...] [: [OPTION...] PROGRAM [ARGUMENT...]]...\n\n"
        "Options:\n",
        name);
    for (const Option& option : options())
        if (!option.shown.empty())
            text += fmt::format("  {:<22}  {}\n", option.shown, option.explanation);
    return text + fmt::format(
                      "\nExamples:\n"
                      "  {0} -n 4 ./hello\n"
                      "  {0} -l -n 1 ./server : -n 3 ./client\n"
                      "  {0} --hosts a:2,b:2 ./hello\n"
                      "  {0} -n 4 cg --class A       (a NAS kernel, of those that come along)\n"
                      "Models, in virtual time, are for `railyard run`. See also mpiexec(1).\n",
                      name);
}

}  // namespace railyard::mpiexec
