# Runs PROGRAM and compares what it prints with the file EXPECTED, and with what PAGE quotes of it.
execute_process(COMMAND ${PROGRAM} OUTPUT_VARIABLE printed RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "${PROGRAM} ended with ${result}")
endif()
file(READ ${EXPECTED} expected)
if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "${PROGRAM} printed\n${printed}\nbut ${EXPECTED} says\n${expected}\n"
                        "If the change is meant, write the new output there.")
endif()

if(PAGE)
    file(READ ${ROOT}/${PAGE} page)
    string(REGEX REPLACE "\n([^\n])" "\n    \\1" quoted "    ${expected}")
    string(FIND "${page}" "${quoted}" found)
    if(found EQUAL -1)
        message(FATAL_ERROR "${PAGE} does not show ${EXPECTED}: copy it there, indented by four")
    endif()
endif()
