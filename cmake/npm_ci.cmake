# Run by the build, in the folder that package.json was copied to: installs what its lock file pins.
execute_process(COMMAND ${NPM} ci --ignore-scripts --prefer-offline --no-progress --loglevel=error
                RESULT_VARIABLE result OUTPUT_QUIET)
if(NOT result EQUAL 0)
    message(FATAL_ERROR "npm could not fetch the libraries of page/package-lock.json; its own words "
                        "are above. Where there is no network, leave the page out: configure with "
                        "-DRAILYARD_PAGE=OFF.")
endif()
