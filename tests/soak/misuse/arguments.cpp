// Arguments that are right, so that one of them can be made wrong.

#include <mpi.h>

#include <array>
#include <cstring>
#include <map>

#include "function.hpp"
#include "objects.hpp"

namespace railyard::misuse {

namespace {

/// Memory that calls may read and write; each argument of a call has its own.
Value memory(std::size_t place) {
    static std::array<std::array<std::byte, 1 << 14>, 16> all;
    all[place].fill(std::byte{0});
    return all[place].data();
}

Value zeros(std::size_t place) {
    return memory(place);
}

Value pointing_to(std::size_t place, int number) {
    const Value at = memory(place);
    std::memcpy(static_cast<void*>(at), &number, sizeof number);
    return at;
}

bool ends_with(const std::string& text, std::string_view end) {
    return std::string_view(text).ends_with(end);
}

/// A handle that the call takes, or room for one that it makes.
int handle_in(const Function& function, const std::string& type) {
    const bool frees = ends_with(function.base, "_free") || function.base == "Comm_disconnect" ||
                       function.base == "Type_commit";
    if (type == "MPI_Comm*") return frees ? fresh_comm() : MPI_COMM_NULL;
    if (type == "MPI_Win*") return frees ? fresh_window() : MPI_WIN_NULL;
    if (type == "MPI_Group*") return frees ? fresh_group() : MPI_GROUP_NULL;
    if (type == "MPI_Datatype*") return frees ? fresh_type() : MPI_DATATYPE_NULL;
    if (type == "MPI_Op*") return frees ? fresh_op() : MPI_OP_NULL;
    if (type == "MPI_Info*") return frees ? fresh_info() : MPI_INFO_NULL;
    if (type == "MPI_Errhandler*") return frees ? fresh_handler() : MPI_ERRHANDLER_NULL;
    if (type == "MPI_Session*")
        return function.name == "Session_finalize" ? fresh_session() : MPI_SESSION_NULL;
    if (type == "MPI_Message*") return MPI_MESSAGE_NO_PROC;
    if (type == "MPI_Request*")
        return function.base == "Start" ? fresh_persistent() : fresh_request();
    if (ends_with(function.base, "eyval_free") || ends_with(function.base, "_free_keyval"))
        return fresh_keyval(keyed_by(function));
    return 0;
}

/// Two numbers, of int or of 64 bits.
void set_numbers(const Value at, const Parameter& p, int first, int second) {
    if (p.is_wide()) {
        static_cast<MPI_Count*>(at)[0] = first;
        static_cast<MPI_Count*>(at)[1] = second;
    } else {
        static_cast<int*>(at)[0] = first;
        static_cast<int*>(at)[1] = second;
    }
}

Value array(const Function& function, const Parameter& p, std::size_t place) {
    const Value at = zeros(place);
    auto* const ints = static_cast<int*>(at);
    if (p.type.find("MPI_Request") != std::string::npos)
        for (int i = 0; i < 2; ++i)
            ints[i] = function.base == "Startall" ? fresh_persistent() : fresh_request();
    else if (p.type.find("MPI_Datatype") != std::string::npos)
        ints[0] = ints[1] = MPI_INT;
    else if (p.type.find("MPI_Aint") != std::string::npos && p.name.find("counts") == p.name.npos)
        set_numbers(at, p, 0, 16);
    else if (p.name.find("istrib") != std::string::npos)
        ints[0] = ints[1] = MPI_DISTRIBUTE_BLOCK;
    else if (p.name.find("dargs") != std::string::npos)
        ints[0] = ints[1] = MPI_DISTRIBUTE_DFLT_DARG;
    else if (p.name.find("displ") != std::string::npos ||
             p.name.find("starts") != std::string::npos || p.name == "coords" ||
             p.name == "periods" || p.name == "remain_dims" || p.name == "edges" ||
             p.name == "sources" || p.name == "destinations")
        set_numbers(at, p, 0, p.name == "array_of_displacements" ? 2 : 0);
    else if (p.name == "ranges")
        ints[2] = 1;
    else if (p.name != "ranks" && p.name != "ranks1" && p.name != "ranks2")
        set_numbers(at, p, 1, 1);
    return at;
}

Value text(const Parameter& p, std::size_t place) {
    const Value at = zeros(place);
    if (p.name != "key" || p.type.starts_with("const"))
        std::strcpy(static_cast<char*>(at), p.name == "datarep"     ? "external32"
                                            : p.name == "pset_name" ? "mpi://SELF"
                                                                    : "color");
    return at;
}

Value plain(const Function& function, const Parameter& p, std::size_t place) {
    if (p.type.ends_with("char*")) return text(p, place);
    if (p.type == "MPI_Datatype") return MPI_INT;
    if (p.type == "MPI_Info") return kept_info();
    if (p.type == "MPI_Request")
        return function.base == "Grequest_complete" ? fresh_generalized() : kept_request();
    if (p.type == "MPI_Comm") return MPI_COMM_SELF;
    if (p.type == "MPI_Errhandler") return MPI_ERRORS_RETURN;
    if (p.type == "MPI_User_function_c*") return reinterpret_cast<const void*>(&add_many);
    if (p.name == "query_fn") return reinterpret_cast<const void*>(&look);
    if (p.name == "free_fn") return reinterpret_cast<const void*>(&let_go);
    if (p.name == "cancel_fn") return reinterpret_cast<const void*>(&take_back);
    if (p.name == "poll_fn") return reinterpret_cast<const void*>(&look);
    if (p.name == "wait_fn") return reinterpret_cast<const void*>(&wait_for_them);
    if (p.name == "greq_class") return kept_request_class();
    if (p.name == "user_fn") return reinterpret_cast<const void*>(&add);
    if (p.name.ends_with("_errhandler_fn")) return reinterpret_cast<const void*>(&hear);
    if (p.name.ends_with("keyval")) return kept_keyval(keyed_by(function));
    if (p.name == "base") return fresh_memory();
    if (p.name == "errorcode" || p.name == "errorclass") return kept_error();
    if (p.name == "order") return MPI_ORDER_C;
    if (p.name == "lock_type") return MPI_LOCK_SHARED;
    if (p.name == "disp_unit") return 1;
    if (p.name == "split_type") return MPI_COMM_TYPE_SHARED;
    if (p.name == "typeclass") return MPI_TYPECLASS_INTEGER;
    if (p.name == "size" || p.name == "valuelen" || p.name == "extent") return 4;
    if (p.name.ends_with("count")) return 2;
    if (p.name == "outsize" || p.name == "insize") return 4096;
    if (p.name.starts_with("max_")) return 16;
    if (p.name == "argc" || p.name == "argv" || p.name.ends_with("_fn")) return 0;
    if (p.type.ends_with("*")) return zeros(place);
    return p.name == "stride" ? 2 : 0;
}

/// A communicator that the call can be made on.
int comm_for(const Function& function) {
    const std::string_view name = function.name;
    if (name.ends_with("_create") || name.ends_with("_adjacent")) return MPI_COMM_SELF;
    if (name.starts_with("Cart_") || name == "Cartdim_get" ||
        function.chapter.ends_with("neighbourhoods"))
        return grid();
    if (name.starts_with("Graph")) return graph();
    if (name.starts_with("Dist_graph_")) return distributed_graph();
    return MPI_COMM_SELF;
}

}  // namespace

std::vector<Value> right_arguments(const Function& function, bool partners_are_nobody) {
    const int partner = partners_are_nobody ? MPI_PROC_NULL : 0;
    std::vector<Value> values;
    for (const Parameter& p : function.parameters) {
        const std::size_t place = values.size();
        if (p.kind == "comm")
            values.emplace_back(comm_for(function));
        else if (p.kind == "session")
            values.emplace_back(kept_session());
        else if (p.kind == "win")
            values.emplace_back(kept_window());
        else if (p.kind == "group")
            values.emplace_back(kept_group());
        else if (p.kind == "type" || p.kind == "anytype")
            values.emplace_back(function.base.starts_with("Type_get_contents") ? kept_type()
                                                                               : MPI_INT);
        else if (p.kind == "op")
            values.emplace_back(MPI_SUM);
        else if (p.kind == "info")
            values.emplace_back(MPI_INFO_NULL);
        else if (p.kind == "errhandler")
            values.emplace_back(MPI_ERRORS_RETURN);
        else if (p.kind == "count" || p.kind == "number")
            values.emplace_back(p.name == "n" || p.name == "ndims" || p.name == "nnodes" ||
                                        (p.name == "size" && function.base != "Buffer_attach")
                                    ? 1
                                : p.name.starts_with("max") ? 16
                                : p.name.ends_with("size")  ? 4096
                                                            : 2);
        else if (p.kind == "dest" || p.kind == "source" || p.kind == "target")
            values.emplace_back(partner);
        else if (p.kind == "root" || p.kind == "tag" || p.kind == "anytag")
            values.emplace_back(0);
        else if (p.kind == "status")
            values.push_back(zeros(place));
        else if (p.kind == "result" || p.kind == "newtype")
            values.push_back(
                pointing_to(place, p.name == "pset_len" ? 64 : handle_in(function, p.type)));
        else if (p.kind == "in" || p.kind == "out")
            values.push_back(zeros(place));
        else if (p.type.ends_with("[]"))
            values.push_back(array(function, p, place));
        else
            values.push_back(plain(function, p, place));
    }
    return values;
}

}  // namespace railyard::misuse
