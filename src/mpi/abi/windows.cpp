// Windows: making and freeing them, and how ranks synchronise on them.

#include "mpi/windows/window.hpp"

#include <limits>
#include <string_view>
#include <utility>

#include "mpi/abi/entry.hpp"

namespace railyard::mpi::abi {

namespace {

/// The hints that MPI defines for windows, and what holds without them.
constexpr std::pair<std::string_view, std::string_view> window_hints[] = {
    {"no_locks", "false"},
    {"accumulate_ordering", "rar,raw,war,waw"},
    {"accumulate_ops", "same_op_no_op"},
    {"same_size", "false"},
    {"same_disp_unit", "false"},
    {"alloc_shared_noncontig", "false"},
};

void take_window_hints(Window& win, Info* from) {
    if (from == nullptr) return;
    for (const auto& [hint, usual] : window_hints) {
        const std::string* const value = from->find(hint);
        const bool is_flag = usual == "false";
        if (value != nullptr && (!is_flag || *value == "true" || *value == "false"))
            win.hints.set(hint, *value);
    }
}

bool is_set(Info* info, std::string_view hint) {
    const std::string* const value = info == nullptr ? nullptr : info->find(hint);
    return value != nullptr && *value == "true";
}

WindowPlan plan_of(Flavor flavor, MPI_Aint size, MPI_Aint disp_unit) {
    if (size < 0)
        throw MpiError(ErrorClass::size,
                       "size is " + std::to_string(size) + "; it must not be negative");
    if (disp_unit <= 0 || disp_unit > std::numeric_limits<int>::max())
        throw MpiError(ErrorClass::disp, "disp_unit is " + std::to_string(disp_unit) +
                                             "; it must be positive, and an int");
    WindowPlan plan;
    plan.flavor = flavor;
    plan.size = static_cast<std::size_t>(size);
    plan.unit = static_cast<int>(disp_unit);
    return plan;
}

Window& make_window(State& state, Comm& comm, const WindowPlan& plan, Info* info, MPI_Win& win) {
    auto window = std::make_unique<Window>(comm, state.context_ids, plan);
    Window& made = *window;
    take_window_hints(made, info);
    // Fixed for the window's life: a lock may be held when hints change.
    made.allows_locks = !is_set(info, "no_locks");
    win = state.add(std::move(window));
    return made;
}

void win_create(State& state, void* base, MPI_Aint size, MPI_Aint disp_unit, Info* info, Comm& comm,
                MPI_Win& win) {
    WindowPlan plan = plan_of(Flavor::create, size, disp_unit);
    plan.base = buffer(base, plan.size, predefined(Basic::byte)).address;
    make_window(state, comm, plan, info, win);
}

void allocate_window(State& state, Flavor flavor, MPI_Aint size, MPI_Aint disp_unit, Info* info,
                     Comm& comm, void* baseptr, MPI_Win& win) {
    if (baseptr == nullptr) null_argument("baseptr");
    WindowPlan plan = plan_of(flavor, size, disp_unit);
    plan.is_contiguous = !is_set(info, "alloc_shared_noncontig");
    *static_cast<void**>(baseptr) = make_window(state, comm, plan, info, win).properties.base;
}

void win_allocate(State& state, MPI_Aint size, MPI_Aint disp_unit, Info* info, Comm& comm,
                  void* baseptr, MPI_Win& win) {
    allocate_window(state, Flavor::allocate, size, disp_unit, info, comm, baseptr, win);
}

void win_allocate_shared(State& state, MPI_Aint size, MPI_Aint disp_unit, Info* info, Comm& comm,
                         void* baseptr, MPI_Win& win) {
    allocate_window(state, Flavor::shared, size, disp_unit, info, comm, baseptr, win);
}

void win_create_dynamic(State& state, Info* info, Comm& comm, MPI_Win& win) {
    make_window(state, comm, plan_of(Flavor::dynamic, 0, 1), info, win);
}

void win_shared_query(State&, Window& win, int rank, MPI_Aint& size, CountResult disp_unit,
                      void* baseptr) {
    if (baseptr == nullptr) null_argument("baseptr");
    if (win.flavor() != Flavor::shared)
        throw MpiError(ErrorClass::rma_flavor,
                       "win was not made by MPI_Win_allocate_shared, so its memory is not shared");
    const Window::Share& share = rank == no_rank ? win.first_share() : win.share(rank);
    size = static_cast<MPI_Aint>(share.size);
    disp_unit = share.unit;
    *static_cast<void**>(baseptr) = share.base;
}

void win_attach(State&, Window& win, void* base, MPI_Aint size) {
    const std::size_t bytes = plan_of(Flavor::dynamic, size, 1).size;
    win.attach(buffer(base, bytes, predefined(Basic::byte)).address, bytes);
}

void win_detach(State&, Window& win, const void* base) {
    win.detach(const_buffer(base, 1, predefined(Basic::byte)).address);
}

void win_free(State& state, MPI_Win& handle) {
    Window& win = state.window(handle, "win");
    // The window's own handler hears of it, as the entry point cannot know which it is.
    try {
        win.free();
        win.attributes.erase_all(handle);
    } catch (const CodedError&) {
        throw;
    } catch (const MpiError& error) {
        throw CodedError(code_of(error.error_class()), error.what(), &win);
    }
    state.bury(state.windows.remove(handle));
    handle = MPI_WIN_NULL;
}

void win_get_group(State& state, Window& win, MPI_Group& group) {
    group = state.add(Group(win.group()));
}

void win_set_info(State&, Window& win, Info* info) {
    take_window_hints(win, info);
}

void win_get_info(State& state, Window& win, MPI_Info& info) {
    auto used = std::make_unique<Info>();
    for (const auto& [hint, usual] : window_hints) {
        const std::string* const value = win.hints.find(hint);
        used->set(hint, value == nullptr ? usual : std::string_view(*value));
    }
    info = state.infos.add(std::move(used));
}

void win_set_name(State&, Window& win, const char* name) {
    if (name == nullptr) null_argument("win_name");
    win.name = std::string(name).substr(0, MPI_MAX_OBJECT_NAME - 1);
}

void win_get_name(State&, Window& win, char* name, int& resultlen) {
    copy_text(win.name, name, MPI_MAX_OBJECT_NAME, resultlen);
}

// Synchronisation.

void check_assert(int assert, int allowed) {
    if ((assert & ~allowed) != 0)
        throw MpiError(ErrorClass::assert,
                       "assert is " + std::to_string(assert) +
                           ", which has bits that mean nothing to this function");
}

void win_fence(State&, int assert, Window& win) {
    check_assert(assert,
                 MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
    win.fence((assert& MPI_MODE_NOSUCCEED) == 0);
}

void win_start(State&, const Group& group, int assert, Window& win) {
    check_assert(assert, MPI_MODE_NOCHECK);
    win.start(group, assert != 0);
}

void win_complete(State&, Window& win) {
    win.complete();
}

void win_post(State&, const Group& group, int assert, Window& win) {
    check_assert(assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
    win.post(group, (assert& MPI_MODE_NOCHECK) != 0);
}

void win_wait(State&, Window& win) {
    win.wait();
}

void win_test(State& state, Window& win, int& flag) {
    flag = win.test();
    if (flag != 0) return;
    state.process().progress();
    flag = win.test();
    if (flag == 0) state.charge_empty_poll();
}

void win_lock(State&, int lock_type, int rank, int assert, Window& win) {
    check_assert(assert, MPI_MODE_NOCHECK);
    if (lock_type != MPI_LOCK_SHARED && lock_type != MPI_LOCK_EXCLUSIVE)
        throw MpiError(ErrorClass::lock_type,
                       "lock_type is " + std::to_string(lock_type) +
                           "; it must be MPI_LOCK_SHARED or MPI_LOCK_EXCLUSIVE");
    if (rank == no_rank) return;
    win.lock(rank, lock_type == MPI_LOCK_EXCLUSIVE ? LockKind::exclusive : LockKind::shared,
             assert != 0);
}

void win_unlock(State&, int rank, Window& win) {
    if (rank != no_rank) win.unlock(rank);
}

void win_lock_all(State&, int assert, Window& win) {
    check_assert(assert, MPI_MODE_NOCHECK);
    win.lock_all(assert != 0);
}

void win_unlock_all(State&, Window& win) {
    win.unlock_all();
}

void win_flush(State&, int rank, Window& win) {
    if (rank != no_rank) [[likely]]
        win.flush(rank);
}

void win_flush_all(State&, Window& win) {
    win.flush_all();
}

void win_flush_local(State&, int rank, Window& win) {
    if (rank != no_rank) win.flush_local(rank);
}

void win_flush_local_all(State&, Window& win) {
    win.flush_local_all();
}

void win_sync(State& state, Window& win) {
    win.sync();
    // Whoever looks again and again at memory that another rank will change calls this.
    state.charge_empty_poll();
}

}  // namespace

#include <entries/window_synchronisation.inc>
#include <entries/windows.inc>

}  // namespace railyard::mpi::abi
