#include "launch/peers/messages.hpp"

#include "base/frames.hpp"

namespace railyard::peers {

namespace {

/// What was read, if it was all there.
template <class T>
std::optional<T> if_complete(const FieldReader& fields, T value) {
    if (!fields.complete()) return std::nullopt;
    return value;
}

}  // namespace

std::string RankPut::text() const {
    return FieldWriter().number(rank).text(key).text(value).take();
}

std::optional<RankPut> RankPut::parse(std::string_view text) {
    FieldReader in(text);
    RankPut found;
    found.rank = in.small_number();
    found.key = in.text();
    found.value = in.text();
    return if_complete(in, std::move(found));
}

std::string Failure::text() const {
    return FieldWriter()
        .text(ending.failure)
        .number(static_cast<std::uint64_t>(ending.exit_code))
        .number(static_cast<std::uint64_t>(ending.cause))
        .take();
}

std::optional<Failure> Failure::parse(std::string_view text) {
    FieldReader in(text);
    Failure found;
    found.ending.failure = in.text();
    found.ending.exit_code = static_cast<int>(in.number() & 0xff);
    const std::uint64_t cause = in.number();
    if (cause > static_cast<std::uint64_t>(job::Ending::Cause::signal)) return std::nullopt;
    found.ending.cause = static_cast<job::Ending::Cause>(cause);
    return if_complete(in, std::move(found));
}

std::string number_text(std::uint64_t number) {
    return FieldWriter().number(number).take();
}

std::optional<std::uint32_t> parse_number(std::string_view text) {
    FieldReader in(text);
    const std::uint32_t number = in.small_number();
    return if_complete(in, number);
}

}  // namespace railyard::peers
