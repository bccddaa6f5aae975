#include "railyard/base/error.hpp"

#include <cerrno>
#include <system_error>

namespace railyard {

Error system_error(const std::string& what) {
    const int number = errno;  // before anything below can change it
    return Error(what + ": " + std::generic_category().message(number));
}

}  // namespace railyard
