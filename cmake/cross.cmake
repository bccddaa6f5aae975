# A toolchain file: builds for another processor with Debian's cross compiler, against Debian packages that
# scripts/portability unpacked into RAILYARD_ROOT; what the build runs is run by qemu.
#
#     cmake --toolchain cmake/cross.cmake -DRAILYARD_PROCESSOR=aarch64 -DRAILYARD_ROOT=build/portability/root
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES RAILYARD_PROCESSOR RAILYARD_ROOT)
set(triple ${RAILYARD_PROCESSOR}-linux-gnu)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${RAILYARD_PROCESSOR})
set(CMAKE_C_COMPILER ${triple}-gcc)
set(CMAKE_CXX_COMPILER ${triple}-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${triple})
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${RAILYARD_PROCESSOR};-L;${RAILYARD_ROOT})

# Libraries and headers come from there alone, programs from this machine.
set(CMAKE_SYSROOT ${RAILYARD_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${RAILYARD_ROOT}/usr/lib/${triple}/pkgconfig:${RAILYARD_ROOT}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${RAILYARD_ROOT})
