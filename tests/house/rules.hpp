#pragma once
/// The rules of the house, each a function from files to complaints. Pure, so that every rule is
/// itself tested on files that break it.

#include "house/tree.hpp"

namespace railyard::house {

/// A layer names only layers that are declared before it, so there is no cycle.
Complaints check_floors(const std::vector<Layer>& layers);
/// Includes in src/ and include/railyard/ name a header of their own layer or of one that it
/// depends on.
Complaints check_include_directions(const std::vector<File>& sources,
                                    const std::vector<Layer>& layers);
/// A fabric's headers are included by that fabric and by the registry; a room `common`, which the
/// fabrics of a kind share, also by them. The registry is asked by launch/ alone.
Complaints check_fabric_privacy(const std::vector<File>& src);
/// experiments/ and mpi/ name no fabric, not even in a string: they ask Traits.
Complaints check_no_fabric_is_named(const std::vector<File>& src);
/// Above fabric/, time comes from the Host: nobody reads a system clock or sleeps. In virtual time
/// not even chance comes from the machine.
Complaints check_time_belongs_to_host(const std::vector<File>& src);

/// `#pragma once`, then a comment that says what the header is for.
Complaints check_headers(const std::vector<File>& src);
Complaints check_length(const std::vector<File>& src, std::size_t most_lines);
/// Every *_test.cpp is in a folder that tests/CMakeLists.txt makes a program of.
Complaints check_tests_are_built(const std::vector<File>& tests);
/// No notes to self, no paths of one machine.
Complaints check_leftovers(const std::vector<File>& project);

/// Relative links in *.md name files that exist under `root`.
Complaints check_links(const std::vector<File>& project, const std::filesystem::path& root);
/// Tests that *.md name as `Suite.Name` exist.
Complaints check_named_tests(const std::vector<File>& project, const std::vector<File>& tests);

}  // namespace railyard::house
