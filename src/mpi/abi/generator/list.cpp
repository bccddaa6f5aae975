// Prints docs/mpi-functions.md: every function of the standard, and whether the library has it.
//
//     mpi_function_list interface.txt later.txt standard.txt mpi.h

#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "table.hpp"

namespace {

std::set<std::string> names_of(const std::vector<Chapter>& chapters) {
    std::set<std::string> names;
    for (const Chapter& chapter : chapters)
        for (const Function& function : chapter.functions)
            names.insert(function.name);
    return names;
}

std::string text_of(const std::string& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + ": cannot be read");
    return {std::istreambuf_iterator<char>(in), {}};
}

class Library {
  public:
    Library(const std::string& interface, const std::string& later, std::string header)
        : present_(names_of(read_table(interface))),
          failing_(names_of(read_table(later))),
          header_(std::move(header)) {}

    std::string state_of(const std::string& name) const {
        if (present_.contains(name)) return "present";
        if (failing_.contains(name)) return "error";
        // Some are macros.
        const bool is_macro = header_.find("#define MPI_" + name + "(") != std::string::npos;
        return is_macro ? "present" : "absent";
    }

  private:
    std::set<std::string> present_;
    std::set<std::string> failing_;
    std::string header_;
};

struct Row {
    std::string name, state, twin;
};

void print(const std::vector<Row>& rows) {
    int present = 0, failing = 0, absent = 0;
    const auto count = [&](const std::string& state) {
        if (!state.empty()) ++(state == "present" ? present : state == "error" ? failing : absent);
    };
    for (const Row& row : rows) {
        count(row.state);
        count(row.twin);
    }
    std::cout << "# Functions of MPI-4.1\n\n"
              << "Made by `build/release/generated/mpi/bin/mpi_function_list` from the tables of "
                 "the interface; a test holds it\nto them. An *error* exists, so that programs "
                 "start, and fails with a class and a sentence when it is called.\nThe right "
                 "column is the twin for large counts, `MPI_Send_c`, where there is one.\n\n"
              << present << " are present, " << failing << " an error, " << absent
              << " absent.\n\n| function | | `_c` |\n| --- | --- | --- |\n";
    for (const Row& row : rows)
        std::cout << "| `MPI_" << row.name << "` | " << row.state << " | " << row.twin
                  << (row.twin.empty() ? "|\n" : " |\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: mpi_function_list interface.txt later.txt standard.txt mpi.h\n";
        return 2;
    }
    try {
        const Library library(argv[1], argv[2], text_of(argv[4]));
        std::vector<Row> rows;
        std::istringstream lines(text_of(argv[3]));
        for (std::string line; std::getline(lines, line);) {
            std::istringstream words(line.substr(0, line.find('#')));
            for (std::string word; words >> word;) {
                const bool has_twin = word.ends_with("+c");
                const std::string name = has_twin ? word.substr(0, word.size() - 2) : word;
                rows.push_back(
                    {name, library.state_of(name), has_twin ? library.state_of(name + "_c") : ""});
            }
        }
        print(rows);
    } catch (const std::exception& error) {
        std::cerr << "mpi_function_list: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
