#include "mpi/types/external32.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cstring>

#include "mpi/types/error.hpp"

namespace railyard::mpi {

namespace {

/// A number, of which a basic type is one or several.
struct Unit {
    enum class Kind : std::uint8_t {
        plain,        ///< the same bits, perhaps in the other order
        wide_char,    ///< 2 bytes outside
        long_double,  ///< the format of 16 bytes outside, whatever the machine has
    };
    Kind kind = Kind::plain;
    std::size_t native = 0;    ///< bytes
    std::size_t external = 0;  ///< bytes
};

/// What a basic type is made of, in order: a pair of two units, a complex number of two alike.
struct Units {
    std::array<Unit, 2> all;
    std::size_t count = 0;

    std::size_t external() const { return all[0].external + (count == 2 ? all[1].external : 0); }
};

Unit plain(std::size_t bytes) {
    return {Unit::Kind::plain, bytes, bytes};
}

Units units_of(Basic basic) {
    constexpr Unit wide_char{Unit::Kind::wide_char, sizeof(wchar_t), 2};
    constexpr Unit long_double{Unit::Kind::long_double, sizeof(long double), sizeof(Quad)};
    const BasicTraits& t = traits(basic);
    switch (basic) {
        case Basic::wchar:
            return {{wide_char}, 1};
        case Basic::long_double:
            return {{long_double}, 1};
        case Basic::c_long_double_complex:
        case Basic::cxx_long_double_complex:
            return {{long_double, long_double}, 2};
        case Basic::long_double_int:
            return {{long_double, plain(t.second)}, 2};
        default:
            break;
    }
    if (t.family == Family::complex) return {{plain(t.first / 2), plain(t.first / 2)}, 2};
    if (t.second != 0) return {{plain(t.first), plain(t.second)}, 2};
    return {{plain(t.first)}, 1};
}

/// Big-endian from or to the machine's order.
void copy_ordered(std::byte* to, const std::byte* from, std::size_t size) {
    if constexpr (std::endian::native == std::endian::big)
        std::memcpy(to, from, size);
    else
        std::reverse_copy(from, from + size, to);
}

template <class T>
T native_value(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

template <class T>
T external_value(const std::byte* at) {
    std::array<std::byte, sizeof(T)> native;
    copy_ordered(native.data(), at, sizeof(T));
    return native_value<T>(native.data());
}

template <class T>
void store_external(std::byte* at, const T& value) {
    copy_ordered(at, reinterpret_cast<const std::byte*>(&value), sizeof(T));
}

[[noreturn]] void refuse(const char* what) {
    throw MpiError(ErrorClass::conversion, std::string("external32: ") + what);
}

void to_external(const Unit& unit, const std::byte* native, std::byte* external) {
    switch (unit.kind) {
        case Unit::Kind::plain:
            return copy_ordered(external, native, unit.native);
        case Unit::Kind::wide_char: {
            const auto value = static_cast<std::uint32_t>(native_value<wchar_t>(native));
            if (value > 0xffff) refuse("a character beyond U+FFFF; MPI_WCHAR has 2 bytes there");
            return store_external(external, static_cast<std::uint16_t>(value));
        }
        case Unit::Kind::long_double:
            return store_external(external, static_cast<Quad>(native_value<long double>(native)));
    }
}

void from_external(const Unit& unit, const std::byte* external, std::byte* native) {
    switch (unit.kind) {
        case Unit::Kind::plain:
            return copy_ordered(native, external, unit.native);
        case Unit::Kind::wide_char: {
            const auto value = static_cast<wchar_t>(external_value<std::uint16_t>(external));
            std::memcpy(native, &value, sizeof value);
            return;
        }
        case Unit::Kind::long_double: {
            // Padding is zero, so that the same number has the same bytes.
            const auto value = static_cast<long double>(external_value<Quad>(external));
            std::memset(native, 0, sizeof value);
            std::memcpy(native, &value, LDBL_MANT_DIG == 64 ? 10 : sizeof value);
            return;
        }
    }
}

/// Calls run(basic, count) for each row of equal basics in an element's stream, in order.
template <class Run>
void each_run(const Signature& signature, Run&& run) {
    if (signature.basic != Basic::none) {
        run(signature.basic, signature.count);
    } else if (signature.child) {
        for (std::size_t i = 0; i < signature.count; ++i)
            each_run(*signature.child, run);
    } else {
        for (const SignatureRef& part : signature.sequence)
            each_run(*part, run);
    }
}

/// Of the packed stream, so much is kept at a time: a fiber's stack is small.
constexpr std::size_t kept_at_once = 2048;

/// Reads the stream of elements, in the machine's own representation.
class Reader {
  public:
    explicit Reader(const ConstBuffer& from)
        : from_(from), total_(from.count * from.type->size()) {}

    const std::byte* next(std::size_t size) {
        if (at_ + size > begin_ + filled_) {
            begin_ = at_;
            filled_ = std::min(kept_at_once, total_ - at_);
            from_.type->pack(from_.address, from_.count, begin_, std::span(bytes_).first(filled_));
        }
        const std::byte* const place = bytes_.data() + (at_ - begin_);
        at_ += size;
        return place;
    }

  private:
    ConstBuffer from_;
    std::size_t total_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;
    std::size_t filled_ = 0;
    std::array<std::byte, kept_at_once> bytes_;
};

/// Writes it; flush() at the end.
class Writer {
  public:
    explicit Writer(const Buffer& to) : to_(to) {}

    std::byte* next(std::size_t size) {
        if (used_ + size > kept_at_once) flush();
        std::byte* const place = bytes_.data() + used_;
        used_ += size;
        return place;
    }
    void flush() {
        to_.type->unpack(to_.address, to_.count, begin_, std::span(bytes_).first(used_));
        begin_ += used_;
        used_ = 0;
    }

  private:
    Buffer to_;
    std::size_t begin_ = 0;
    std::size_t used_ = 0;
    std::array<std::byte, kept_at_once> bytes_;
};

/// Calls each(unit) for every number of `count` elements, in the order of the stream.
template <class Each>
void each_unit(std::size_t count, const Datatype& type, Each&& each) {
    if (type.size() == 0) return;
    for (std::size_t element = 0; element < count; ++element)
        each_run(*type.shape().signature, [&](Basic basic, std::size_t times) {
            const Units units = units_of(basic);
            for (std::size_t i = 0; i < times; ++i)
                for (std::size_t j = 0; j < units.count; ++j)
                    each(units.all[j]);
        });
}

std::size_t external_bytes(const Signature& signature) {
    if (signature.basic != Basic::none)
        return signature.count * units_of(signature.basic).external();
    if (signature.child) return signature.count * external_bytes(*signature.child);
    std::size_t bytes = 0;
    for (const SignatureRef& part : signature.sequence)
        bytes += external_bytes(*part);
    return bytes;
}

}  // namespace

std::size_t external_size(const Datatype& type) {
    return external_bytes(*type.shape().signature);
}

void pack_external(const ConstBuffer& from, std::byte* to) {
    Reader reader(from);
    each_unit(from.count, *from.type, [&](const Unit& unit) {
        to_external(unit, reader.next(unit.native), to);
        to += unit.external;
    });
}

void unpack_external(const std::byte* from, const Buffer& to) {
    Writer writer(to);
    each_unit(to.count, *to.type, [&](const Unit& unit) {
        from_external(unit, from, writer.next(unit.native));
        from += unit.external;
    });
    writer.flush();
}

}  // namespace railyard::mpi
