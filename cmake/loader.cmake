# A program that loads others (railyard run ./program): it has room for their thread-local variables, all of MPI, and
# shows them MPI and what unwinds the stack.
function(railyard_loads_programs target)
    set(folder ${PROJECT_SOURCE_DIR}/src/programs/loader)
    set(script ${folder}/thread_room_${CMAKE_SYSTEM_PROCESSOR}.ld)
    target_link_options(${target} PRIVATE LINKER:-T,${script} LINKER:--dynamic-list=${folder}/exports.list)
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${script};${folder}/exports.list"
                          LINK_LIBRARY_OVERRIDE "WHOLE_ARCHIVE,railyard_mpi_abi")
endfunction()
