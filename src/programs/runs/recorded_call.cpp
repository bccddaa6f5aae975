#include "programs/runs/recorded_call.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/parse.hpp"

namespace railyard::runs {

namespace {

using mpi::calls::Function;

struct Signature {
    Function function;
    std::string_view kinds;
};

// To be able to replay one more function, add its line, and its call in replay.cpp.
constexpr Signature signatures[] = {
    {Function::Finalize, ""},        {Function::Wtime, ""},
    {Function::Pcontrol, "n"},       {Function::Comm_rank, "cs"},
    {Function::Comm_size, "cs"},     {Function::Send, "@ktnnc"},
    {Function::Ssend, "@ktnnc"},     {Function::Recv, "@ktnncs"},
    {Function::Isend, "@ktnncr"},    {Function::Issend, "@ktnncr"},
    {Function::Irecv, "@ktnncr"},    {Function::Sendrecv, "@ktnn@ktnncs"},
    {Function::Wait, "ws"},          {Function::Waitall, "Ws"},
    {Function::Barrier, "c"},        {Function::Bcast, "@ktnc"},
    {Function::Reduce, "@@ktonc"},   {Function::Allreduce, "@@ktoc"},
    {Function::Scan, "@@ktoc"},      {Function::Gather, "@kt%ktnc"},
    {Function::Scatter, "%kt@ktnc"}, {Function::Allgather, "@kt%ktc"},
    {Function::Alltoall, "%kt%ktc"}, {Function::Alltoallv, "$VVt$VVtc"},
    {Function::Comm_dup, "cC"},      {Function::Comm_split, "cnnC"},
    {Function::Comm_free, "x"},
};

template <class T>
constexpr NamedHandle named(std::string_view name, int handle) {
    return {name, handle, sizeof(T)};
}

struct DoubleInt {
    double value;
    int place;
};

constexpr NamedHandle types[] = {
    named<char>("CHAR", MPI_CHAR),
    named<signed char>("SIGNED_CHAR", MPI_SIGNED_CHAR),
    named<unsigned char>("UNSIGNED_CHAR", MPI_UNSIGNED_CHAR),
    named<char>("BYTE", MPI_BYTE),
    named<short>("SHORT", MPI_SHORT),
    named<unsigned short>("UNSIGNED_SHORT", MPI_UNSIGNED_SHORT),
    named<int>("INT", MPI_INT),
    named<unsigned>("UNSIGNED", MPI_UNSIGNED),
    named<long>("LONG", MPI_LONG),
    named<unsigned long>("UNSIGNED_LONG", MPI_UNSIGNED_LONG),
    named<long long>("LONG_LONG", MPI_LONG_LONG),
    named<float>("FLOAT", MPI_FLOAT),
    named<double>("DOUBLE", MPI_DOUBLE),
    named<int[2]>("2INT", MPI_2INT),
    named<DoubleInt>("DOUBLE_INT", MPI_DOUBLE_INT),
    named<double[2]>("C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX),
};

constexpr NamedHandle ops[] = {
    {"MAX", MPI_MAX, 0},   {"MIN", MPI_MIN, 0},       {"SUM", MPI_SUM, 0},
    {"PROD", MPI_PROD, 0}, {"LAND", MPI_LAND, 0},     {"BAND", MPI_BAND, 0},
    {"LOR", MPI_LOR, 0},   {"BOR", MPI_BOR, 0},       {"LXOR", MPI_LXOR, 0},
    {"BXOR", MPI_BXOR, 0}, {"MINLOC", MPI_MINLOC, 0}, {"MAXLOC", MPI_MAXLOC, 0},
};

bool is_memory(char code) {
    return code == kind::memory || code == kind::memory_all || code == kind::memory_span;
}
bool is_list(char code) {
    return code == kind::old_requests || code == kind::each_rank;
}

/// How many numbers a recording keeps of a parameter, the first of which is `first`.
std::size_t kept(char code, std::int64_t first) {
    if (code == kind::result) return 0;
    if (is_memory(code)) return 2;
    return is_list(code) ? 1 + static_cast<std::size_t>(first) : 1;
}

/// A whole call's parameters, one after the other.
struct Parameter {
    char code;
    std::size_t at;  ///< in the arguments
};

std::vector<Parameter> parameters_of(const RecordedCall& call, std::string_view kinds) {
    std::vector<Parameter> all;
    std::size_t at = 0;
    for (const char code : kinds) {
        all.push_back({code, at});
        at += kept(code, at < call.arguments.size() ? call.arguments[at] : 0);
    }
    return all;
}

/// Behind parameter `i`, the next of that kind.
const Parameter* next(const std::vector<Parameter>& all, std::size_t i, char code) {
    const auto found = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(i) + 1, all.end(),
                                    [&](const Parameter& p) { return p.code == code; });
    return found == all.end() ? nullptr : &*found;
}

/// Up to the end of the last element that counts and displacements name.
std::optional<std::uint64_t> span_of(const RecordedCall& call, const Parameter& counts,
                                     const Parameter& displacements, std::size_t ranks) {
    const auto n = static_cast<std::int64_t>(ranks);
    if (call.arguments[counts.at] != n || call.arguments[displacements.at] != n)
        return std::nullopt;
    std::uint64_t end = 0;
    for (std::int64_t i = 1; i <= n; ++i) {
        const auto count = call.arguments[counts.at + static_cast<std::size_t>(i)];
        const auto from = call.arguments[displacements.at + static_cast<std::size_t>(i)];
        if (count < 0 || from < 0) return std::nullopt;
        if (count > 0) end = std::max(end, static_cast<std::uint64_t>(from + count));
    }
    return end;
}

}  // namespace

std::optional<std::string_view> signature(Function function) {
    const auto* const found = std::ranges::find(signatures, function, &Signature::function);
    if (found == std::end(signatures)) return std::nullopt;
    return found->kinds;
}

std::span<const NamedHandle> recorded_types() {
    return types;
}

std::span<const NamedHandle> recorded_ops() {
    return ops;
}

std::optional<std::vector<MemoryUse>> memory_of(const RecordedCall& call, std::size_t ranks) {
    std::vector<MemoryUse> uses;
    const auto all = parameters_of(call, *signature(call.function));
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (!is_memory(all[i].code)) continue;
        const auto size =
            types[static_cast<std::size_t>(call.arguments[next(all, i, kind::type)->at])].size;
        std::optional<std::uint64_t> elements;
        if (all[i].code == kind::memory_span)
            elements = span_of(call, all[i + 1], all[i + 2], ranks);
        else
            elements = static_cast<std::uint64_t>(call.arguments[next(all, i, kind::count)->at]) *
                       (all[i].code == kind::memory_all ? ranks : 1);
        if (!elements) return std::nullopt;
        uses.push_back({all[i].at, *elements * size});
    }
    return uses;
}

std::string to_string(const RecordedCall& call) {
    std::string text(name(call.function).substr(4));
    if (!call.whole) return text + " ?";
    const auto out = std::back_inserter(text);
    for (const auto& [code, at] : parameters_of(call, *signature(call.function))) {
        if (code == kind::result) continue;
        const std::int64_t value = call.arguments[at];
        if (is_memory(code) && value < 0)
            text += value == in_place ? " =" : " -";
        else if (is_memory(code))
            fmt::format_to(out, " {}+{}", value, call.arguments[at + 1]);
        else if (code == kind::type)
            fmt::format_to(out, " {}", types[static_cast<std::size_t>(value)].name);
        else if (code == kind::op)
            fmt::format_to(out, " {}", ops[static_cast<std::size_t>(value)].name);
        else
            for (std::size_t i = 0; i < kept(code, value); ++i)
                fmt::format_to(out, " {}", call.arguments[at + i]);
    }
    return text;
}

namespace {

/// The words of a line, one after the other.
class Words {
  public:
    explicit Words(std::string_view text) : rest_(text) {}

    std::string_view next() {
        const auto end = std::min(rest_.find(' '), rest_.size());
        const std::string_view word = rest_.substr(0, end);
        rest_.remove_prefix(end);
        // A space stands between two words, and nowhere else.
        if (rest_.size() > 1) rest_.remove_prefix(1);
        return word;
    }
    std::optional<std::int64_t> number(std::int64_t least) {
        const auto value = parse_number<std::int32_t>(next());
        return value && *value >= least ? std::optional<std::int64_t>(*value) : std::nullopt;
    }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

bool take_memory(Words& words, std::vector<std::int64_t>& into) {
    const std::string_view word = words.next();
    if (word == "-" || word == "=") {
        into.insert(into.end(), {word == "=" ? in_place : no_memory, 0});
        return true;
    }
    const auto plus = word.find('+');
    if (plus == std::string_view::npos) return false;
    const auto piece = parse_number<std::int64_t>(word.substr(0, plus));
    const auto offset = parse_number<std::int64_t>(word.substr(plus + 1));
    if (!piece || !offset || *piece < 0 || *offset < 0) return false;
    into.insert(into.end(), {*piece, *offset});
    return true;
}

bool take_name(Words& words, std::span<const NamedHandle> names, std::vector<std::int64_t>& into) {
    const auto found = std::ranges::find(names, words.next(), &NamedHandle::name);
    into.push_back(found - names.begin());
    return found != names.end();
}

bool take_list(Words& words, std::vector<std::int64_t>& into) {
    const auto count = words.number(0);
    if (!count) return false;
    into.push_back(*count);
    for (std::int64_t i = 0; i < *count; ++i) {
        const auto value = words.number(std::numeric_limits<std::int32_t>::min());
        if (!value) return false;
        into.push_back(*value);
    }
    return true;
}

bool take_parameter(char code, Words& words, std::vector<std::int64_t>& into) {
    if (code == kind::result) return true;
    if (is_memory(code)) return take_memory(words, into);
    if (code == kind::type) return take_name(words, types, into);
    if (code == kind::op) return take_name(words, ops, into);
    if (is_list(code)) return take_list(words, into);
    const bool any = code == kind::number;
    const auto value = words.number(any                   ? std::numeric_limits<std::int32_t>::min()
                                    : code == kind::count ? 0
                                                          : no_handle);
    if (value) into.push_back(*value);
    return value.has_value();
}

}  // namespace

std::optional<RecordedCall> parse_call(std::string_view text) {
    Words words(text);
    const std::string_view function = words.next();
    const auto* const found =
        std::ranges::find_if(mpi::calls::function_names,
                             [&](std::string_view name) { return name.substr(4) == function; });
    if (found == std::end(mpi::calls::function_names)) return std::nullopt;
    RecordedCall call;
    call.function = static_cast<Function>(found - mpi::calls::function_names);
    if (text.ends_with(" ?")) {
        call.whole = false;
        return text.size() == function.size() + 2 ? std::optional(call) : std::nullopt;
    }
    const auto kinds = signature(call.function);
    if (!kinds) return std::nullopt;
    for (const char code : *kinds)
        if (!take_parameter(code, words, call.arguments)) return std::nullopt;
    // Written as it would be written: no signs, zeros or spaces more.
    return words.at_end() && to_string(call) == text ? std::optional(call) : std::nullopt;
}

}  // namespace railyard::runs
