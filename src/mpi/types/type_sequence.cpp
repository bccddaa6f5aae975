#include "mpi/types/type_sequence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace railyard::mpi {

namespace {

// Arithmetic modulo a prime, in which products of two fit.
constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
constexpr std::uint64_t base = 0x1357'9bdf'0246'8ace;
static_assert(base < prime);

std::uint64_t times(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    const std::uint64_t sum =
        static_cast<std::uint64_t>(product & prime) + static_cast<std::uint64_t>(product >> 61);
    return sum >= prime ? sum - prime : sum;
}

std::uint64_t plus(std::uint64_t a, std::uint64_t b) {
    return a + b >= prime ? a + b - prime : a + b;
}

/// A sequence to which others can be added.
struct Growing {
    TypeSequence all{};
    std::uint64_t shift = 1;  ///< what moves digits by as many places as it has

    Growing then(const Growing& next) const {
        return {{plus(times(all.hash, next.shift), next.all.hash), all.basics + next.all.basics,
                 all.is_untyped || next.all.is_untyped},
                times(shift, next.shift)};
    }
    Growing repeated(std::uint64_t count) const {
        Growing result;
        for (Growing power = *this; count > 0; count /= 2, power = power.then(power))
            if (count % 2 != 0) result = result.then(power);
        return result;
    }
};

bool is_untyped(Basic basic) {
    return basic == Basic::packed || traits(basic).family == Family::bytes;
}

/// Numbers of one sort and width are one digit, whatever they are called.
Growing digit(Family family, std::size_t width) {
    return {{.hash = (static_cast<std::uint64_t>(family) + 1) << 8 | width, .basics = 1}, base};
}

std::pair<Family, Family> families_of_pair(Basic basic) {
    switch (basic) {
        case Basic::long_int:
        case Basic::short_int:
        case Basic::two_int:
        case Basic::two_integer:
            return {Family::signed_integer, Family::signed_integer};
        case Basic::two_real:
        case Basic::two_double_precision:
            return {Family::floating, Family::floating};
        default:
            return {Family::floating, Family::signed_integer};
    }
}

Growing digits_of(Basic basic) {
    const BasicTraits& its = traits(basic);
    if (its.family == Family::pair) {
        const auto [first, second] = families_of_pair(basic);
        return digit(first, its.first).then(digit(second, its.second));
    }
    Growing found = digit(its.family, its.first);
    if (its.family == Family::other)
        found.all.hash |= std::uint64_t{1} << 32 | static_cast<std::uint64_t>(basic) << 16;
    found.all.is_untyped = is_untyped(basic);
    return found;
}

/// Types share what they are made of, so each part is looked at once.
class SequenceWalk {
  public:
    const Growing& whole(const Signature& signature) {
        const auto found = known_.find(&signature);
        if (found != known_.end()) return found->second;
        const Growing all = made(signature, signature.basics);
        return known_.emplace(&signature, all).first->second;
    }
    /// The first `basics` of it.
    Growing beginning(const Signature& signature, std::uint64_t basics) {
        return basics < signature.basics ? made(signature, basics) : whole(signature);
    }

  private:
    Growing made(const Signature& signature, std::uint64_t basics) {
        if (basics == 0) return {};
        if (signature.basic != Basic::none) {
            const Growing each = digits_of(signature.basic);
            const Growing all = each.repeated(basics / each.all.basics);
            if (basics % each.all.basics == 0) return all;
            return all.then(
                digit(families_of_pair(signature.basic).first, traits(signature.basic).first));
        }
        if (signature.child != nullptr) {
            const Signature& child = *signature.child;
            return whole(child)
                .repeated(basics / child.basics)
                .then(beginning(child, basics % child.basics));
        }
        Growing found;
        for (const SignatureRef& part : signature.sequence)
            found = found.then(beginning(*part, basics - found.all.basics));
        return found;
    }

    std::unordered_map<const Signature*, Growing> known_;
};

}  // namespace

TypeSequence sequence_of(const Datatype& type, std::size_t count) {
    return SequenceWalk().whole(*type.shape().signature).repeated(count).all;
}

TypeSequence beginning_of(const Datatype& type, std::size_t count, std::uint64_t basics) {
    const Signature& signature = *type.shape().signature;
    if (signature.basics == 0 || basics / signature.basics >= count)
        return sequence_of(type, count);
    SequenceWalk walk;
    return walk.whole(signature)
        .repeated(basics / signature.basics)
        .then(walk.beginning(signature, basics % signature.basics))
        .all;
}

bool go_together(const TypeSequence& one, const TypeSequence& other) {
    return one.is_untyped || other.is_untyped ||
           (one.hash == other.hash && one.basics == other.basics);
}

bool go_together(const TypeSequence& sent, const Datatype& type, std::size_t count) {
    return sequence_of(type, count).is_untyped ||
           go_together(sent, beginning_of(type, count, sent.basics));
}

std::string basics_text(const Datatype& type) {
    constexpr std::size_t most_runs = 4;
    std::vector<std::pair<Basic, std::size_t>> runs;
    // More than are told are not looked at.
    const auto collect = [&](const auto& self, const Signature& signature) -> void {
        if (runs.size() > most_runs || signature.basics == 0) return;
        if (signature.basic != Basic::none) {
            if (!runs.empty() && runs.back().first == signature.basic)
                runs.back().second += signature.count;
            else
                runs.emplace_back(signature.basic, signature.count);
        } else if (signature.child != nullptr) {
            for (std::size_t i = 0; i < signature.count && runs.size() <= most_runs; ++i)
                self(self, *signature.child);
        } else {
            for (const SignatureRef& part : signature.sequence)
                self(self, *part);
        }
    };
    collect(collect, *type.shape().signature);
    std::string text;
    for (std::size_t i = 0; i < std::min(runs.size(), most_runs); ++i) {
        const auto& [basic, count] = runs[i];
        text += (i > 0 ? ", " : "") + (count > 1 ? fmt::format("{} ", count) : std::string());
        text += traits(basic).name;
    }
    return runs.size() > most_runs ? text + ", …" : text.empty() ? "nothing" : text;
}

}  // namespace railyard::mpi
