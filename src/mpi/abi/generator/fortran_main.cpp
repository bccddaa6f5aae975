// Reads the tables of the interface and mpi.h, and writes Fortran's side of them: what the library
// for Fortran defines, the header mpif.h, and what the modules' sources include.
//
//     mpi_fortran_generator interface.txt later.txt mpi.h OUTPUT_DIRECTORY

#include <filesystem>
#include <iostream>

#include "fortran.hpp"

int main(int argc, char** argv) {
    if (argc != 5) {
        std::cerr << "usage: mpi_fortran_generator interface.txt later.txt mpi.h DIRECTORY\n";
        return 2;
    }
    try {
        std::vector<Chapter> chapters = read_table(argv[1]);
        for (Chapter& chapter : read_table(argv[2]))
            chapters.push_back(std::move(chapter));
        const std::vector<FortranFunction> functions = fortran_functions(chapters);
        const std::vector<Constant> constants = fortran_constants(argv[3]);
        const std::filesystem::path directory = argv[4];
        std::filesystem::create_directories(directory);
        write_file(directory / "fortran_definitions.inc", fortran_definitions(functions));
        write_file(directory / "f08_definitions.inc", f08_definitions(functions));
        write_file(directory / "mpi_interfaces.inc", mpi_interfaces(functions));
        write_file(directory / "mpi_f08_interfaces.inc", f08_interfaces(functions, Called::plain));
        write_file(directory / "pmpi_f08_interfaces.inc",
                   f08_interfaces(functions, Called::profiled));
        write_file(directory / "mpif.h", mpif_h(constants));
        write_file(directory / "mpif_declarations.inc", mpif_declarations(constants));
        write_file(directory / "f08_constants.inc", f08_constants(constants));
        write_file(directory / "mpi_handle_types.inc", mpi_handle_types());
        write_file(directory / "mpi_handle_operators.inc", mpi_handle_operators());
        write_file(directory / "f08_handle_types.inc", f08_handle_types());
        write_file(directory / "f08_handle_operators.inc", f08_handle_operators());
    } catch (const std::exception& error) {
        std::cerr << "mpi_fortran_generator: " << error.what() << '\n';
        return 1;
    }
    return 0;
}
