# Run by the build: writes OUTPUT, C++ that holds the text of each of PROFILES and of HOSTS.
function(rows_of files result)
    set(rows)
    foreach(file IN LISTS files)
        get_filename_component(name ${file} NAME_WLE)
        file(READ ${file} text)
        string(APPEND rows "    {\"${name}\", R\"profile(${text})profile\"},\n")
    endforeach()
    set(${result} "${rows}" PARENT_SCOPE)
endfunction()

rows_of("${PROFILES}" profiles)
rows_of("${HOSTS}" hosts)
file(WRITE ${OUTPUT} "#include \"profiles/profile.hpp\"

namespace railyard::profiles {

namespace {
constexpr Shipped texts[] = {
${profiles}};
constexpr Shipped hosts[] = {
${hosts}};
}  // namespace

std::span<const Shipped> shipped_texts() {
    return texts;
}

std::span<const Shipped> shipped_hosts() {
    return hosts;
}

}  // namespace railyard::profiles
")
