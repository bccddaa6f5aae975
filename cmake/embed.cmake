# Puts a file into a library, so that the program needs nothing beside it:
#
#     railyard_embed(railyard_reproduce railyard::reproduce papers_json data/papers.json)
#
# defines `std::string_view railyard::reproduce::papers_json()`, the bytes of the file. The layer
# declares it in a header of its own.
function(railyard_embed target namespace name file)
    set(path ${PROJECT_SOURCE_DIR}/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(REGEX REPLACE "(................................................................),"
                         "\\1,\n" bytes "${bytes}")
    set(source ${PROJECT_BINARY_DIR}/embedded/${target}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// The bytes of ${file}.
#include <string_view>
namespace ${namespace} {
std::string_view ${name}();
std::string_view ${name}() {
    static constexpr char bytes[] = {
${bytes}
    };
    return {bytes, sizeof bytes};
}
}
")
    target_sources(${target} PRIVATE ${source})
endfunction()
