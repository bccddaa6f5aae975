# Compares our mpi.h with another of the same ABI: every constant, the size of every type, the place
# of every field, and every prototype.
#
#     cmake -DCOMPILER=c++ -DOURS=DIR -DTHEIRS=DIR -DWORK=DIR -P values.cmake
file(MAKE_DIRECTORY ${WORK})

# Names of constants: macros without parameters, and enumerators.
function(names_of directory result)
    file(GLOB headers ${directory}/mpi.h ${directory}/mpio.h)
    set(names)
    foreach(header ${headers})
        file(STRINGS ${header} lines REGEX "#[ ]*define[ ]+MPIX?_[A-Z0-9_]+[ ]|^ *MPIX?_[A-Z0-9_]+ *=|{ *MPIX?_")
        foreach(line IN LISTS lines)
            string(REGEX MATCHALL "MPIX?_[A-Z0-9_]+[ ]*=|define[ ]+MPIX?_[A-Z0-9_]+" found "${line}")
            string(REGEX REPLACE "define[ ]+|[ ]*=" "" found "${found}")
            list(APPEND names ${found})
        endforeach()
    endforeach()
    list(REMOVE_DUPLICATES names)
    # Versions differ and may; a function and a text have no value; what ROMIO says to itself; what
    # MPI-4.1 has added.
    list(FILTER names EXCLUDE REGEX
         "VERSION$|_DUP_FN$|FMT_|_INCLUDED?|_DEFINED$|^MPI_AINT_FMT|^MPI_BUFFER_AUTOMATIC$")
    set(${result} ${names} PARENT_SCOPE)
endfunction()

names_of(${OURS} ours)
names_of(${THEIRS} theirs)
list(LENGTH ours count)
if(count LESS 300)
    message(FATAL_ERROR "found only ${count} constants in ${OURS}/mpi.h")
endif()
set(missing ${theirs})
list(REMOVE_ITEM missing ${ours})
if(missing)
    message(FATAL_ERROR "our mpi.h lacks ${missing}")
endif()

set(source "#include <stddef.h>\n#include <stdio.h>\n#include <mpi.h>\nint main(void) {\n")
foreach(name ${ours})
    string(APPEND source "    printf(\"${name} %lx\\n\", (unsigned long)(${name}));\n")
endforeach()
foreach(type MPI_Aint MPI_Count MPI_Offset MPI_Fint MPI_Comm MPI_Datatype MPI_Group MPI_Op MPI_Request
             MPI_Message MPI_Win MPI_File MPI_Info MPI_Errhandler MPI_Session MPI_Status
             MPI_F08_status MPI_T_enum MPI_T_cvar_handle MPI_T_pvar_session)
    string(APPEND source "    printf(\"${type} %zu\\n\", sizeof(${type}));\n")
endforeach()
foreach(field count_lo count_hi_and_cancelled MPI_SOURCE MPI_TAG MPI_ERROR)
    string(APPEND source "    printf(\"${field} %zu\\n\", offsetof(MPI_Status, ${field}));\n")
endforeach()
string(APPEND source "    return 0;\n}\n")
file(WRITE ${WORK}/values.c "${source}")

foreach(side OURS THEIRS)
    execute_process(COMMAND ${COMPILER} -x c -w -I${${side}} ${WORK}/values.c -o ${WORK}/${side}
                    COMMAND_ERROR_IS_FATAL ANY)
    execute_process(COMMAND ${WORK}/${side} OUTPUT_VARIABLE ${side}_values
                    COMMAND_ERROR_IS_FATAL ANY)
    string(REPLACE "\n" ";" ${side}_values "${${side}_values}")
endforeach()
set(differences ${OURS_values})
list(REMOVE_ITEM differences ${THEIRS_values})
if(differences)
    message(FATAL_ERROR "these differ from theirs: ${differences}")
endif()

# A second declaration that does not agree with the first does not compile.
file(WRITE ${WORK}/prototypes.c "#include <mpi.h>\n#include \"${OURS}/mpi_prototypes.h\"\n")
execute_process(COMMAND ${COMPILER} -x c -w -fsyntax-only -I${THEIRS} ${WORK}/prototypes.c
                COMMAND_ERROR_IS_FATAL ANY)
# Ours serves the oldest C and C++ that one may meet.
file(WRITE ${WORK}/header.c "#include <mpi.h>\n")
foreach(language "c;-std=c89" "c;-std=c11" "c++;-std=c++98" "c++;-std=c++20")
    execute_process(COMMAND ${COMPILER} -x ${language} -Wall -Wextra -pedantic -Werror
                            -fsyntax-only -I${OURS} ${WORK}/header.c
                    COMMAND_ERROR_IS_FATAL ANY)
endforeach()
message(STATUS "${count} constants agree")
