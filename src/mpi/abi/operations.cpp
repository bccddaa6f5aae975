// Reduction operations.

#include <algorithm>
#include <limits>
#include <memory>

#include "mpi/abi/entry.hpp"
#include "mpi/collectives/buffers.hpp"
#include "mpi/types/operation.hpp"

namespace railyard::mpi::abi {

namespace {

/// A handle for a user's function to ask by. A type that was freed while a collective still uses it
/// has one for as long as this lives.
class LentHandle {
  public:
    LentHandle(State& state, const Datatype& type)
        : state_(state), handle_(state.find_handle(type)) {
        if (handle_ != MPI_DATATYPE_NULL) return;
        handle_ = state.add(type.shared_from_this(), true);
        is_new_ = true;
    }
    ~LentHandle() {
        if (is_new_) state_.types.remove(handle_);
    }
    LentHandle(const LentHandle&) = delete;
    LentHandle& operator=(const LentHandle&) = delete;

    MPI_Datatype get() const { return handle_; }

  private:
    State& state_;
    MPI_Datatype handle_;
    bool is_new_ = false;
};

/// Calls a function of C++, whose library brings it. The ABI has its type.
using OpProxy = void(const void* in, void* inout, int count, MPI_Datatype type, void (*function)());

/// A user's function, which counts in `Count`s; more elements than those hold come in several
/// calls.
template <class Count>
struct UserFunction {
    using Function = void(void*, void*, Count*, MPI_Datatype*);

    void operator()(const void* in, void* inout, std::size_t count, const Datatype& type) const {
        constexpr auto most = static_cast<std::size_t>(std::numeric_limits<Count>::max());
        const LentHandle lent(*state, type);
        MPI_Datatype handle = lent.get();
        for (std::size_t from = 0; from < count; from += most) {
            auto length = static_cast<Count>(std::min(count - from, most));
            const std::ptrdiff_t offset = signed_of(from) * type.extent();
            if (*proxy != nullptr)
                (*proxy)(moved(in, offset), moved(inout, offset), static_cast<int>(length), handle,
                         reinterpret_cast<void (*)()>(function));
            else
                function(moved(in, offset), moved(inout, offset), &length, &handle);
        }
    }

    State* state;
    Function* function;
    std::shared_ptr<OpProxy*> proxy = std::make_shared<OpProxy*>(nullptr);  ///< null: it is C's
};

template <class Count, class Function>
void make_op(State& state, Function* function, int commute, MPI_Op& op) {
    if (function == nullptr) null_argument("user_fn");
    op = state.ops.add(std::make_unique<OperationRef>(
        std::make_shared<const Operation>(UserFunction<Count>{&state, function}, commute != 0)));
}

void op_create(State& state, MPI_User_function* function, int commute, MPI_Op& op) {
    make_op<int>(state, function, commute, op);
}

void op_create_c(State& state, MPI_User_function_c* function, int commute, MPI_Op& op) {
    make_op<MPI_Count>(state, function, commute, op);
}

void op_free(State& state, MPI_Op& op) {
    if (state.op(op, "op").is_predefined())
        throw MpiError(ErrorClass::op, "op is predefined, and cannot be freed");
    state.bury(state.ops.remove(op));
    op = MPI_OP_NULL;
}

void op_commutative(State&, const Operation& op, int& commute) {
    commute = op.is_commutative();
}

void reduce_local(State&, const void* in, void* inout, std::size_t count, const TypeRef& type,
                  const Operation& op) {
    op.check(*type);
    op.apply(const_buffer(in, count, type).address, buffer(inout, count, type).address, count,
             *type);
}

}  // namespace

#include <entries/operations.inc>

/// MPICH's name, for the library of C++: of an operation that was just made.
extern "C" void MPII_Op_set_cxx(MPI_Op op, void (*proxy)()) {
    State* const state = State::here();
    const OperationRef* const made = state == nullptr ? nullptr : state->ops.find(op);
    const auto* const function =
        made == nullptr ? nullptr : (*made)->function().target<UserFunction<int>>();
    if (function != nullptr) *function->proxy = reinterpret_cast<OpProxy*>(proxy);
}

}  // namespace railyard::mpi::abi
