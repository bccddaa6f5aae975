#pragma once
/// Which basic types an element is made of, in order, wherever they lie. It says what a reduction
/// may do with the element, and how many basics a number of received bytes is.

#include <cstddef>
#include <memory>
#include <vector>

#include "mpi/types/basic.hpp"

namespace railyard::mpi {

struct Signature;
using SignatureRef = std::shared_ptr<const Signature>;

/// `count` times a basic type, or a shorter signature, or a sequence of signatures.
struct Signature {
    Basic basic = Basic::none;  ///< none: it has different ones, or none at all
    std::size_t count = 0;
    SignatureRef child;  ///< what is repeated, where it is not one basic
    std::vector<SignatureRef> sequence;
    std::size_t bytes = 0;
    std::size_t basics = 0;  ///< a pair is two

    /// Whole basics in the first `of_bytes`.
    std::size_t basics_in(std::size_t of_bytes) const;
};

SignatureRef signature_of(Basic basic, std::size_t count = 1);
SignatureRef repeated(const SignatureRef& child, std::size_t count);

/// Puts signatures one after the other.
class SignatureList {
  public:
    void add(const SignatureRef& child, std::size_t count);
    SignatureRef finish() &&;

  private:
    std::vector<SignatureRef> sequence_;
};

}  // namespace railyard::mpi
