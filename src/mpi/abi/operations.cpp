// Reduction operations.

#include <memory>

#include "mpi/abi/entry.hpp"
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

void op_create(State& state, MPI_User_function* function, int commute, MPI_Op& op) {
    if (function == nullptr) null_argument("user_fn");
    const auto call = [&state, function](const void* in, void* inout, std::size_t count,
                                         const Datatype& type) {
        int length = static_cast<int>(count);
        const LentHandle lent(state, type);
        MPI_Datatype handle = lent.get();
        function(const_cast<void*>(in), inout, &length, &handle);
    };
    op = state.ops.add(
        std::make_unique<OperationRef>(std::make_shared<const Operation>(call, commute != 0)));
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

}  // namespace railyard::mpi::abi
