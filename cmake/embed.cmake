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

# The same of all files that a pattern names:
#
#     railyard_embed_files(railyard_experiments railyard::experiments kernel_files data/kernels/*.gz)
#
# defines `std::span<const std::pair<std::string_view, std::string_view>> kernel_files()`: the name of
# each without its folder, and its bytes.
function(railyard_embed_files target namespace name pattern)
    file(GLOB paths CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${pattern})
    set(declarations "")
    set(entries "")
    set(number 0)
    foreach(path ${paths})
        file(RELATIVE_PATH file ${PROJECT_SOURCE_DIR} ${path})
        get_filename_component(base ${path} NAME)
        railyard_embed(${target} ${namespace} ${name}_${number} ${file})
        string(APPEND declarations "std::string_view ${name}_${number}();\n")
        string(APPEND entries "        {\"${base}\", ${name}_${number}()},\n")
        math(EXPR number "${number} + 1")
    endforeach()
    set(source ${PROJECT_BINARY_DIR}/embedded/${target}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// The files ${pattern}.
#include <array>
#include <span>
#include <string_view>
#include <utility>
namespace ${namespace} {
${declarations}
using File = std::pair<std::string_view, std::string_view>;
std::span<const File> ${name}();
std::span<const File> ${name}() {
    static const std::array<File, ${number}> files{{
${entries}    }};
    return files;
}
}
")
    target_sources(${target} PRIVATE ${source})
endfunction()
