#pragma once
/// The basic types that tests use most.

#include "mpi/types/datatype.hpp"

namespace railyard::mpi {

inline const TypeRef& integer() {
    return predefined(Basic::c_int);
}
inline const TypeRef& real() {
    return predefined(Basic::c_double);
}

}  // namespace railyard::mpi
