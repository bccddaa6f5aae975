#pragma once
/// Which sanitizers look on. They have to be told when a fiber changes the stack under them.

#if defined(__SANITIZE_ADDRESS__)
#define RAILYARD_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define RAILYARD_ASAN 1
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define RAILYARD_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RAILYARD_TSAN 1
#endif
#endif

#if defined(RAILYARD_ASAN)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(RAILYARD_TSAN)
#include <sanitizer/tsan_interface.h>
#endif
