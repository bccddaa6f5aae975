#pragma once
/// Relations that the papers state in words only, where the words are exact enough to be checked:
/// the form that we give them. docs/reproduce.md has the reasons.

#include "reproduce/record.hpp"

namespace railyard::reproduce {

/// The record; one in words only with our check, if there is one.
Record with_reading(const Record& record);

}  // namespace railyard::reproduce
