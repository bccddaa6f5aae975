#include "mpi/types/signature.hpp"

namespace railyard::mpi {

std::size_t Signature::basics_in(std::size_t of_bytes) const {
    if (of_bytes >= bytes) return basics;
    if (basic != Basic::none) {
        const BasicTraits& t = traits(basic);
        const std::size_t rest = of_bytes % t.size();
        const std::size_t first_of_pair = t.parts() == 2 && rest >= t.first ? 1 : 0;
        return of_bytes / t.size() * t.parts() + first_of_pair;
    }
    if (child)
        return of_bytes / child->bytes * child->basics + child->basics_in(of_bytes % child->bytes);
    std::size_t found = 0;
    for (const SignatureRef& part : sequence) {
        found += part->basics_in(of_bytes);
        if (of_bytes <= part->bytes) break;
        of_bytes -= part->bytes;
    }
    return found;
}

SignatureRef signature_of(Basic basic, std::size_t count) {
    auto signature = std::make_shared<Signature>();
    const BasicTraits& t = traits(basic);
    if (count == 0 || t.size() == 0) return signature;
    signature->basic = basic;
    signature->count = count;
    signature->bytes = count * t.size();
    signature->basics = count * t.parts();
    return signature;
}

SignatureRef repeated(const SignatureRef& child, std::size_t count) {
    if (count == 1) return child;
    if (count == 0 || child->bytes == 0) return std::make_shared<Signature>();
    if (child->basic != Basic::none) return signature_of(child->basic, child->count * count);
    if (child->child) return repeated(child->child, child->count * count);
    auto signature = std::make_shared<Signature>();
    signature->count = count;
    signature->child = child;
    signature->bytes = count * child->bytes;
    signature->basics = count * child->basics;
    return signature;
}

void SignatureList::add(const SignatureRef& child, std::size_t count) {
    if (count == 0 || child->bytes == 0) return;
    if (!sequence_.empty() && child->basic != Basic::none &&
        sequence_.back()->basic == child->basic) {
        sequence_.back() =
            signature_of(child->basic, sequence_.back()->count + child->count * count);
        return;
    }
    sequence_.push_back(repeated(child, count));
}

SignatureRef SignatureList::finish() && {
    if (sequence_.size() == 1) return sequence_[0];
    auto signature = std::make_shared<Signature>();
    for (const SignatureRef& part : sequence_) {
        signature->bytes += part->bytes;
        signature->basics += part->basics;
    }
    signature->sequence = std::move(sequence_);
    return signature;
}

}  // namespace railyard::mpi
