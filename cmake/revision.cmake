# The revision that result files record. Asked at configure time: a number, not a build dependency.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} describe --always --dirty
                OUTPUT_VARIABLE RAILYARD_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE
                ERROR_QUIET RESULT_VARIABLE result)
if(NOT result EQUAL 0)
    set(RAILYARD_REVISION "unknown")
endif()
