// What can be wrong with an argument, by its kind in the table of the interface.

#include <mpi.h>

#include <climits>
#include <cstring>

#include "function.hpp"
#include "objects.hpp"

namespace railyard::misuse {

namespace {

constexpr int garbage[] = {0, -1, 0x12345678, 0x7fffffff, static_cast<int>(0x84abcdef)};

/// Handles that are none of their kind.
struct WrongHandles {
    int null;
    std::function<int()> freed;
    int other;         ///< of another kind
    unsigned unknown;  ///< looks like one of its kind that a user made
    std::vector<int> classes;
};

WrongHandles wrong_comms() {
    return {MPI_COMM_NULL, freed_comm, MPI_INT, 0xc4ffffff, {MPI_ERR_COMM}};
}
WrongHandles wrong_groups() {
    return {MPI_GROUP_NULL, freed_group, MPI_COMM_SELF, 0xc8ffffff, {MPI_ERR_GROUP}};
}
WrongHandles wrong_types() {
    return {MPI_DATATYPE_NULL, freed_type, MPI_COMM_SELF, 0xccffffff, {MPI_ERR_TYPE}};
}
WrongHandles wrong_ops() {
    return {MPI_OP_NULL, freed_op, MPI_INT, 0xd8ffffff, {MPI_ERR_OP}};
}
WrongHandles wrong_infos() {
    return {MPI_INFO_NULL, freed_info, MPI_INT, 0xdcffffff, {MPI_ERR_INFO}};
}
WrongHandles wrong_handlers() {
    return {MPI_ERRHANDLER_NULL, freed_handler, MPI_INT, 0xd4ffffff, {MPI_ERR_ARG}};
}
WrongHandles wrong_sessions() {
    return {MPI_SESSION_NULL, freed_session, MPI_INT, 0xf8ffffff, {MPI_ERR_SESSION}};
}
WrongHandles wrong_requests() {
    return {
        MPI_REQUEST_NULL, freed_request, MPI_INT, 0xacffffff, {MPI_ERR_REQUEST, MPI_ERR_IN_STATUS}};
}
WrongHandles wrong_windows() {
    return {MPI_WIN_NULL, freed_window, MPI_INT, 0xe0ffffff, {MPI_ERR_WIN}};
}
WrongHandles wrong_keyvals(const Function& function) {
    return {MPI_KEYVAL_INVALID,
            [of = keyed_by(function)] { return freed_keyval(of); },
            MPI_INT,
            0xe4ffffff,
            {MPI_ERR_KEYVAL}};
}

/// Collects the ways of one parameter.
class Collector {
  public:
    Collector(std::vector<Way>& ways, std::size_t place, const Parameter& parameter)
        : ways_(ways), place_(place), parameter_(parameter) {}

    void value(Value wrong, const std::string& text, std::vector<int> classes,
               Expect expect = Expect::error) {
        add(text, std::move(classes), expect,
            [place = place_, wrong](std::vector<Value>& values) { values[place] = wrong; });
    }
    /// The value is made right before the call.
    void made(const std::function<Value()>& make, const std::string& text, std::vector<int> classes,
              Expect expect = Expect::error) {
        add(text, std::move(classes), expect,
            [place = place_, make](std::vector<Value>& values) { values[place] = make(); });
    }
    /// The first element of what the argument points to.
    void element(const std::function<int()>& make, const std::string& text,
                 std::vector<int> classes, Expect expect = Expect::error, int number = 0) {
        add(text, std::move(classes), expect,
            [place = place_, make, number,
             wide = parameter_.is_wide()](std::vector<Value>& values) {
                const int wrong = make();
                if (wide)
                    static_cast<MPI_Count*>(values[place])[number] = wrong;
                else
                    static_cast<int*>(values[place])[number] = wrong;
            });
    }
    void number(int wrong, std::vector<int> classes, Expect expect = Expect::error) {
        value(wrong, "is " + std::to_string(wrong), std::move(classes), expect);
    }
    void null(std::vector<int> classes, Expect expect = Expect::error) {
        value(Value(), "is a null pointer", std::move(classes), expect);
    }
    void handles(const WrongHandles& wrong, bool null_is_wrong = true) {
        if (null_is_wrong) value(wrong.null, "is the null handle", wrong.classes);
        made([make = wrong.freed] { return Value(make()); }, "was freed", wrong.classes);
        value(wrong.other, "is of another kind", wrong.classes);
        value(static_cast<int>(wrong.unknown), "was never made", wrong.classes);
        for (const int any : garbage)
            if (any != wrong.null) value(any, "is garbage " + std::to_string(any), wrong.classes);
    }
    void handles_in_memory(const WrongHandles& wrong, bool null_is_wrong, Expect expect,
                           int at = 0) {
        const std::string what = "has at " + std::to_string(at) + " ";
        if (null_is_wrong)
            element([n = wrong.null] { return n; }, what + "the null handle", wrong.classes, expect,
                    at);
        element(wrong.freed, what + "what was freed", wrong.classes, expect, at);
        element([n = wrong.other] { return n; }, what + "another kind", wrong.classes, expect, at);
        element([n = wrong.unknown] { return static_cast<int>(n); }, what + "what was never made",
                wrong.classes, expect, at);
        for (const int any : garbage)
            if (any != wrong.null)
                element([any] { return any; }, what + "garbage " + std::to_string(any),
                        wrong.classes, expect, at);
    }

  private:
    void add(const std::string& text, std::vector<int> classes, Expect expect,
             std::function<void(std::vector<Value>&)> spoil) {
        ways_.push_back({parameter_.name + " " + text, expect, std::move(spoil), std::move(classes),
                         expect == Expect::error_or_success});
    }

    std::vector<Way>& ways_;
    std::size_t place_;
    const Parameter& parameter_;
};

constexpr Expect lenient = Expect::error_or_success;

void add_numbers(Collector& add, std::initializer_list<int> numbers,
                 const std::vector<int>& classes, Expect expect = Expect::error) {
    for (const int n : numbers)
        add.number(n, classes, expect);
}

bool has(const Function& function, std::string_view kind) {
    for (const Parameter& p : function.parameters)
        if (p.kind == kind) return true;
    return false;
}

/// In any of their forms.
bool is_collective(const Function& function) {
    return function.chapter.ends_with("collectives");
}
bool is_neighbourhood(const Function& function) {
    return function.chapter.ends_with("neighbourhoods");
}

void add_buffer(Collector& add, const Function& function, const Parameter& p) {
    // An address is only asked for; and ranks that get nothing need no room for it.
    const bool is_exscan = function.name.find("xscan") != std::string::npos;
    const bool may_be_null = p.name == "location" || (is_exscan && p.name == "recvbuf");
    const bool in_place = is_collective(function) || p.name == "location";
    add.null({MPI_ERR_BUFFER, MPI_ERR_ARG}, may_be_null ? lenient : Expect::error);
    add.value(MPI_IN_PLACE, "is MPI_IN_PLACE", {MPI_ERR_BUFFER, MPI_ERR_ARG},
              in_place ? lenient : Expect::error);
}

void add_result(Collector& add, const Function& function, const Parameter& p) {
    const std::string& name = function.base;
    add.null({MPI_ERR_ARG});
    const bool takes = name.ends_with("_free") || name == "Comm_disconnect" ||
                       name == "Session_finalize" || name == "Type_commit" || name == "Start" ||
                       name == "Cancel" || name == "Wait" || name == "Test";
    const Expect expect = takes ? Expect::error : lenient;
    const bool null_is_wrong = name != "Wait" && name != "Test";
    if (p.type == "MPI_Comm*") add.handles_in_memory(wrong_comms(), true, expect);
    if (p.type == "MPI_Win*") add.handles_in_memory(wrong_windows(), true, expect);
    if (p.type == "MPI_Group*") add.handles_in_memory(wrong_groups(), true, expect);
    if (p.type == "MPI_Datatype*") add.handles_in_memory(wrong_types(), true, expect);
    if (p.type == "MPI_Op*") add.handles_in_memory(wrong_ops(), true, expect);
    if (p.type == "MPI_Info*") add.handles_in_memory(wrong_infos(), true, expect);
    if (p.type == "MPI_Errhandler*") add.handles_in_memory(wrong_handlers(), true, expect);
    if (p.type == "MPI_Session*") add.handles_in_memory(wrong_sessions(), true, expect);
    if (p.type == "MPI_Request*") add.handles_in_memory(wrong_requests(), null_is_wrong, expect);
    if (p.type == "MPI_Message*")
        add.handles_in_memory(wrong_requests(), true,
                              name.ends_with("recv") ? Expect::error : lenient);
    if (p.type == "int*" && p.name.ends_with("keyval") && name.find("free") != std::string::npos)
        add.handles_in_memory(wrong_keyvals(function), true, Expect::error);
    if (p.name == "position")
        for (const int n : {-1, INT_MIN, INT_MAX, 4090})
            add.element([n] { return n; }, "begins at " + std::to_string(n),
                        {MPI_ERR_COUNT, MPI_ERR_ARG, MPI_ERR_TRUNCATE});
    if (p.type.find("MPI_Status*") != std::string::npos)
        add.value(MPI_STATUS_IGNORE, "is MPI_STATUS_IGNORE", {MPI_ERR_ARG});
    if (p.type.find("MPI_Status*") != std::string::npos)
        for (int at = 0; at < 5; ++at)
            for (const int n : {-1, INT_MIN, INT_MAX})
                add.element([n] { return n; },
                            "has " + std::to_string(n) + " at " + std::to_string(at), {}, lenient,
                            at);
}

void add_array(Collector& add, const Function& function, const Parameter& p) {
    // Of what a type was made of, not all need be there; nor need what is only written.
    const bool may_be_null =
        function.base.starts_with("Type_get_contents") ||
        (p.length.empty() && is_collective(function) && p.name.find("displ") != std::string::npos);
    add.null({MPI_ERR_ARG, MPI_ERR_BUFFER}, may_be_null ? lenient : Expect::error);
    const bool reads = p.type.starts_with("const") || function.chapter == "old_datatypes" ||
                       p.name == "ranges" || p.name == "dims";
    if (p.type.find("MPI_Request") != std::string::npos)
        for (int at = 0; at < 2; ++at) {
            // Who waits for any one has it with the first, and may look no further.
            const bool unseen = at == 1 && function.base.ends_with("any");
            add.handles_in_memory(wrong_requests(), function.base == "Startall",
                                  unseen ? lenient : Expect::error, at);
        }
    else if (p.type.find("MPI_Datatype") != std::string::npos && reads)
        add.handles_in_memory(wrong_types(), true, Expect::error);
    else if (p.name.find("counts") != std::string::npos && reads)
        for (const int n : {-1, INT_MIN})
            add.element([n] { return n; }, "begins with " + std::to_string(n), {MPI_ERR_COUNT});
    else if ((p.type.find("int") != std::string::npos || p.is_wide()) && reads &&
             !is_collective(function) && !is_neighbourhood(function))
        for (const int n : {-1, -2, -100, INT_MIN, INT_MAX, 2, 7})
            for (const int at : {0, 1, 2})
                add.element([n] { return n; },
                            "has " + std::to_string(n) + " at " + std::to_string(at), {}, lenient,
                            at);
}

void add_plain(Collector& add, const Function& function, const Parameter& p) {
    const std::string& type = p.type;
    if (type == "MPI_Datatype") return add.handles(wrong_types());
    if (type == "MPI_Comm") return add.handles(wrong_comms());
    if (type == "MPI_Errhandler") return add.handles(wrong_handlers());
    if (type == "MPI_Info")
        return add.handles(wrong_infos(), !function.name.starts_with("Session_"));
    if (type == "MPI_Request")
        return add.handles(wrong_requests(), function.base == "Grequest_complete");
    if (p.name == "query_fn" || p.name == "free_fn" || p.name == "cancel_fn" ||
        p.name == "poll_fn" || p.name == "wait_fn")
        return add.null({MPI_ERR_ARG});
    if (p.name == "greq_class")
        return add_numbers(add, {0, -1, MPI_INT, static_cast<int>(0xfcffffff)}, {MPI_ERR_ARG});
    if (p.name.ends_with("keyval")) return add.handles(wrong_keyvals(function));
    if (type.ends_with("char*")) {
        static const std::string endless(100'000, 'x');
        // Where there is no room, nobody looks where it would be.
        add.null({},
                 function.base == "Info_get_string" && p.name == "value" ? lenient : Expect::error);
        if (!type.starts_with("const")) return;
        add.value(endless.c_str(), "has 100,000 characters", {}, lenient);
        return add.value("", "is empty", {}, lenient);
    }
    if (p.name == "user_fn" || p.name.ends_with("_errhandler_fn")) return add.null({MPI_ERR_ARG});
    if (p.name == "f_status" || p.name == "f08_status") return add.null({MPI_ERR_ARG});
    if (p.name == "argc" || p.name == "argv" || p.name == "base") return add.null({}, lenient);
    if (type.ends_with("*")) return add.null({}, lenient);
    if (type == "MPI_Aint" || type == "MPI_Count") {
        const bool is_size =
            p.name.ends_with("size") || p.name.ends_with("count") || p.name.starts_with("max_");
        add.value(std::intptr_t{-1}, "is -1", {}, is_size ? Expect::error : lenient);
        add.value(std::intptr_t{LONG_MIN}, "is the least", {}, is_size ? Expect::error : lenient);
        return add.value(std::intptr_t{LONG_MAX}, "is the greatest", {}, lenient);
    }
    if (function.base == "Abort") return;  // any code is right, and ends the program
    if (p.name.ends_with("count"))
        return add_numbers(add, {-1, -2, INT_MIN}, {MPI_ERR_COUNT, MPI_ERR_ARG});
    add_numbers(add, {-1, -2, -100, INT_MIN, INT_MAX, 12345}, {}, lenient);
}

/// The same memory for what goes in and what comes out.
void add_aliases(std::vector<Way>& ways, const Function& function) {
    for (std::size_t in = 0; in < function.parameters.size(); ++in)
        for (std::size_t out = 0; out < function.parameters.size(); ++out) {
            const Parameter& a = function.parameters[in];
            const Parameter& b = function.parameters[out];
            const bool buffers = a.kind == "in" && b.kind == "out";
            const bool results = a.kind == "result" && b.kind == "result" && in < out;
            if (!buffers && !results) continue;
            const bool strict = buffers && (is_collective(function) || is_neighbourhood(function));
            ways.push_back({a.name + " is " + b.name,
                            strict ? Expect::error : lenient,
                            [in, out](std::vector<Value>& values) { values[in] = values[out]; },
                            {},
                            !strict});
        }
}

/// Pairs of operation and type that MPI does not define.
void add_wrong_pairs(std::vector<Way>& ways, const Function& function) {
    if (!has(function, "op") || !has(function, "type")) return;
    const auto put = [&](MPI_Op op, MPI_Datatype type, const char* text) {
        ways.push_back({text,
                        Expect::error,
                        [&function, op, type](std::vector<Value>& values) {
                            for (std::size_t i = 0; i < values.size(); ++i) {
                                if (function.parameters[i].kind == "op") values[i] = op;
                                if (function.parameters[i].kind == "type") values[i] = type;
                            }
                        },
                        {MPI_ERR_OP},
                        false});
    };
    put(MPI_MINLOC, MPI_INT, "MPI_MINLOC of MPI_INT");
    put(MPI_BAND, MPI_DOUBLE, "MPI_BAND of MPI_DOUBLE");
    put(MPI_SUM, MPI_BYTE, "MPI_SUM of MPI_BYTE");
    put(MPI_MAX, MPI_C_DOUBLE_COMPLEX, "MPI_MAX of a complex type");
    // Accumulates look at what a type is made of.
    if (function.chapter != "one_sided") put(MPI_SUM, kept_type(), "MPI_SUM of a derived type");
}

}  // namespace

std::vector<Way> ways_of(const Function& function) {
    std::vector<Way> ways;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const Parameter& p = function.parameters[i];
        Collector add(ways, i, p);
        if (p.kind == "comm") {
            add.handles(wrong_comms());
        } else if (p.kind == "session") {
            add.handles(wrong_sessions());
        } else if (p.kind == "win") {
            add.handles(wrong_windows());
        } else if (p.kind == "group") {
            add.handles(wrong_groups());
        } else if (p.kind == "type" || p.kind == "anytype") {
            add.handles(wrong_types());
            if (p.kind == "type")
                add.made([] { return Value(fresh_type()); }, "was not committed", {MPI_ERR_TYPE});
        } else if (p.kind == "op") {
            add.handles(wrong_ops());
        } else if (p.kind == "info") {
            add.handles(wrong_infos(), false);
        } else if (p.kind == "errhandler") {
            add.handles(wrong_handlers());
        } else if (p.kind == "count" || p.kind == "number") {
            add_numbers(add, {-1, -2, INT_MIN}, {MPI_ERR_COUNT, MPI_ERR_ARG, MPI_ERR_DIMS});
        } else if (p.kind == "dest" || p.kind == "target") {
            add_numbers(add, {MPI_ANY_SOURCE, MPI_ROOT, -100, INT_MIN, 1, INT_MAX}, {MPI_ERR_RANK});
        } else if (p.kind == "source") {
            add_numbers(add, {MPI_ROOT, -100, INT_MIN, 1, INT_MAX}, {MPI_ERR_RANK});
        } else if (p.kind == "root") {
            add_numbers(add, {MPI_PROC_NULL, MPI_ROOT, -100, INT_MIN, 1, INT_MAX}, {MPI_ERR_ROOT});
        } else if (p.kind == "tag") {
            add_numbers(add, {MPI_ANY_TAG, -2, INT_MIN, 0x40000000, INT_MAX}, {MPI_ERR_TAG});
        } else if (p.kind == "anytag") {
            add_numbers(add, {-2, -100, INT_MIN, 0x40000000, INT_MAX}, {MPI_ERR_TAG});
        } else if (p.kind == "status") {
            add.null({MPI_ERR_ARG});
        } else if (p.kind == "in" || p.kind == "out") {
            add_buffer(add, function, p);
        } else if (p.kind == "result" || p.kind == "newtype") {
            add_result(add, function, p);
        } else if (p.type.ends_with("[]")) {
            add_array(add, function, p);
        } else {
            add_plain(add, function, p);
        }
    }
    add_aliases(ways, function);
    add_wrong_pairs(ways, function);
    return ways;
}

}  // namespace railyard::misuse
