#pragma once
/// Windows and files of the C++ bindings; see handles.hpp.

#include "mpi/cxx/communicators.hpp"

namespace MPI {

#define RAILYARD_ORIGIN \
    int n, const Datatype &type, int target, Aint at, int m, const Datatype &there
#define RAILYARD_READ void *buf, int n, const Datatype &type
#define RAILYARD_WRITTEN const void *buf, int n, const Datatype &type
/// A call with a status, and the same without.
#define RAILYARD_WITH_STATUS(name, parameters, function, ...)                     \
    virtual void name(RAILYARD_LIST parameters, Status& status)                   \
        RAILYARD_DOES(function(__VA_ARGS__, status)) virtual void name parameters \
        RAILYARD_DOES(function(__VA_ARGS__, MPI_STATUS_IGNORE))
#define RAILYARD_LIST(...) __VA_ARGS__

// clang-format off
class Win {
    RAILYARD_HANDLE(Win, MPI_Win, MPI_WIN_NULL)
    using Copy_attr_function = int(const Win&, int, void*, void*, void*, bool&);
    using Delete_attr_function = int(Win&, int, void*, void*);
    using Errhandler_function = void(Win&, int*, ...);

    virtual ~Win() {}
    virtual Group Get_group() const RAILYARD_GIVES(Group, MPI_Win_get_group(handle_, v))
    virtual void Fence(int assert) const RAILYARD_DOES(MPI_Win_fence(assert, handle_))
    virtual void Start(const Group& group, int assert) const RAILYARD_DOES(MPI_Win_start(group, assert, handle_))
    virtual void Free() RAILYARD_DOES(MPI_Win_free(&handle_))
    virtual void Put(const void* buf, RAILYARD_ORIGIN) const RAILYARD_DOES(MPI_Put(buf, n, type, target, at, m, there, handle_))
    virtual void Wait() const RAILYARD_DOES(MPI_Win_wait(handle_))
    virtual bool Test() const RAILYARD_TELLS(MPI_Win_test(handle_, &v))
    virtual void Get(void* buf, RAILYARD_ORIGIN) const RAILYARD_DOES(MPI_Get(buf, n, type, target, at, m, there, handle_))
    virtual bool Get_attr(int keyval, void* value) const RAILYARD_TELLS(MPI_Win_get_attr(handle_, keyval, value, &v))
    virtual void Set_attr(int keyval, const void* value) RAILYARD_DOES(MPI_Win_set_attr(handle_, keyval, const_cast<void*>(value)))
    virtual void Complete() const RAILYARD_DOES(MPI_Win_complete(handle_))
    virtual void Set_errhandler(const Errhandler& handler) RAILYARD_DOES(MPI_Win_set_errhandler(handle_, handler))
    virtual void Set_name(const char* name) RAILYARD_DOES(MPI_Win_set_name(handle_, name))
    virtual void Accumulate(const void* buf, RAILYARD_ORIGIN, const Op& op) const RAILYARD_DOES(MPI_Accumulate(buf, n, type, target, at, m, there, op, handle_))
    virtual void Post(const Group& group, int assert) const RAILYARD_DOES(MPI_Win_post(group, assert, handle_))
    virtual void Unlock(int rank) const RAILYARD_DOES(MPI_Win_unlock(rank, handle_))
    virtual void Delete_attr(int keyval) RAILYARD_DOES(MPI_Win_delete_attr(handle_, keyval))
    virtual void Lock(int kind, int rank, int assert) const RAILYARD_DOES(MPI_Win_lock(kind, rank, assert, handle_))
    virtual Errhandler Get_errhandler() const RAILYARD_GIVES(Errhandler, MPI_Win_get_errhandler(handle_, v))
    virtual void Get_name(char* name, int& length) const RAILYARD_DOES(MPI_Win_get_name(handle_, name, &length))
    virtual void Call_errhandler(int code) const;

    static Errhandler Create_errhandler(Errhandler_function* function);
    static int Create_keyval(Copy_attr_function* copy, Delete_attr_function* erase, void* extra_state);
    static int NULL_COPY_FN(const Win&, int, void*, void*, void*, bool& flag) { flag = false; return MPI_SUCCESS; }
    static int NULL_DELETE_FN(Win&, int, void*, void*) { return MPI_SUCCESS; }

  private:
    void check(int code) const { if (code != MPI_SUCCESS) Call_errhandler(code); }
};

class File {
    RAILYARD_HANDLE(File, MPI_File, MPI_FILE_NULL)
    using Errhandler_function = void(File&, int*, ...);

    virtual ~File() {}
    virtual Aint Get_type_extent(const Datatype& type) const RAILYARD_GIVES(Aint, MPI_File_get_type_extent(handle_, type, &v))
    RAILYARD_WITH_STATUS(Read_ordered_end, (void* buf), MPI_File_read_ordered_end, handle_, buf)
    virtual void Seek_shared(Offset offset, int whence) RAILYARD_DOES(MPI_File_seek_shared(handle_, offset, whence))
    RAILYARD_WITH_STATUS(Read_ordered, (RAILYARD_READ), MPI_File_read_ordered, handle_, buf, n, type)
    virtual Request Iread_shared(RAILYARD_READ) RAILYARD_GIVES(Request, MPI_File_iread_shared(handle_, buf, n, type, v))
    virtual Info Get_info() const RAILYARD_GIVES(Info, MPI_File_get_info(handle_, v))
    virtual void Write_ordered_begin(RAILYARD_WRITTEN) RAILYARD_DOES(MPI_File_write_ordered_begin(handle_, buf, n, type))
    virtual void Set_info(const Info& info) RAILYARD_DOES(MPI_File_set_info(handle_, info))
    RAILYARD_WITH_STATUS(Write_ordered, (RAILYARD_WRITTEN), MPI_File_write_ordered, handle_, buf, n, type)
    virtual void Sync() RAILYARD_DOES(MPI_File_sync(handle_))
    RAILYARD_WITH_STATUS(Read, (RAILYARD_READ), MPI_File_read, handle_, buf, n, type)
    RAILYARD_WITH_STATUS(Write_all, (RAILYARD_WRITTEN), MPI_File_write_all, handle_, buf, n, type)
    virtual Offset Get_size() const RAILYARD_GIVES(Offset, MPI_File_get_size(handle_, &v))
    RAILYARD_WITH_STATUS(Write_all_end, (const void* buf), MPI_File_write_all_end, handle_, buf)
    virtual void Read_ordered_begin(RAILYARD_READ) RAILYARD_DOES(MPI_File_read_ordered_begin(handle_, buf, n, type))
    virtual Request Iread_at(Offset at, RAILYARD_READ) RAILYARD_GIVES(Request, MPI_File_iread_at(handle_, at, buf, n, type, v))
    RAILYARD_WITH_STATUS(Write_at_all_end, (const void* buf), MPI_File_write_at_all_end, handle_, buf)
    virtual Offset Get_position_shared() const RAILYARD_GIVES(Offset, MPI_File_get_position_shared(handle_, &v))
    RAILYARD_WITH_STATUS(Write_shared, (RAILYARD_WRITTEN), MPI_File_write_shared, handle_, buf, n, type)
    virtual Request Iwrite_at(Offset at, RAILYARD_WRITTEN) RAILYARD_GIVES(Request, MPI_File_iwrite_at(handle_, at, buf, n, type, v))
    virtual void Get_view(Offset& at, Datatype& etype, Datatype& filetype, char* datarep) const RAILYARD_DOES(MPI_File_get_view(handle_, &at, etype, filetype, datarep))
    virtual void Write_all_begin(RAILYARD_WRITTEN) RAILYARD_DOES(MPI_File_write_all_begin(handle_, buf, n, type))
    RAILYARD_WITH_STATUS(Read_all_end, (void* buf), MPI_File_read_all_end, handle_, buf)
    virtual Offset Get_byte_offset(Offset at) const RAILYARD_GIVES(Offset, MPI_File_get_byte_offset(handle_, at, &v))
    virtual Request Iread(RAILYARD_READ) RAILYARD_GIVES(Request, MPI_File_iread(handle_, buf, n, type, v))
    RAILYARD_WITH_STATUS(Read_at_all_end, (void* buf), MPI_File_read_at_all_end, handle_, buf)
    RAILYARD_WITH_STATUS(Write_at, (Offset at, RAILYARD_WRITTEN), MPI_File_write_at, handle_, at, buf, n, type)
    virtual void Write_at_all_begin(Offset at, RAILYARD_WRITTEN) RAILYARD_DOES(MPI_File_write_at_all_begin(handle_, at, buf, n, type))
    virtual Errhandler Get_errhandler() const RAILYARD_GIVES(Errhandler, MPI_File_get_errhandler(handle_, v))
    virtual int Get_amode() const RAILYARD_GIVES(int, MPI_File_get_amode(handle_, &v))
    virtual void Set_atomicity(bool flag) RAILYARD_DOES(MPI_File_set_atomicity(handle_, flag))
    virtual Group Get_group() const RAILYARD_GIVES(Group, MPI_File_get_group(handle_, v))
    virtual Offset Get_position() const RAILYARD_GIVES(Offset, MPI_File_get_position(handle_, &v))
    virtual void Seek(Offset offset, int whence) RAILYARD_DOES(MPI_File_seek(handle_, offset, whence))
    virtual void Read_all_begin(RAILYARD_READ) RAILYARD_DOES(MPI_File_read_all_begin(handle_, buf, n, type))
    virtual void Read_at_all_begin(Offset at, RAILYARD_READ) RAILYARD_DOES(MPI_File_read_at_all_begin(handle_, at, buf, n, type))
    RAILYARD_WITH_STATUS(Read_all, (RAILYARD_READ), MPI_File_read_all, handle_, buf, n, type)
    virtual void Preallocate(Offset size) RAILYARD_DOES(MPI_File_preallocate(handle_, size))
    RAILYARD_WITH_STATUS(Read_at_all, (Offset at, RAILYARD_READ), MPI_File_read_at_all, handle_, at, buf, n, type)
    RAILYARD_WITH_STATUS(Read_shared, (RAILYARD_READ), MPI_File_read_shared, handle_, buf, n, type)
    virtual Request Iwrite(RAILYARD_WRITTEN) RAILYARD_GIVES(Request, MPI_File_iwrite(handle_, buf, n, type, v))
    virtual Request Iwrite_shared(RAILYARD_WRITTEN) RAILYARD_GIVES(Request, MPI_File_iwrite_shared(handle_, buf, n, type, v))
    virtual void Set_errhandler(const Errhandler& handler) RAILYARD_DOES(MPI_File_set_errhandler(handle_, handler))
    RAILYARD_WITH_STATUS(Write_at_all, (Offset at, RAILYARD_WRITTEN), MPI_File_write_at_all, handle_, at, buf, n, type)
    virtual void Set_size(Offset size) RAILYARD_DOES(MPI_File_set_size(handle_, size))
    virtual void Set_view(Offset at, const Datatype& etype, Datatype filetype, const char* datarep, const Info& info) RAILYARD_DOES(MPI_File_set_view(handle_, at, etype, filetype, datarep, info))
    RAILYARD_WITH_STATUS(Read_at, (Offset at, RAILYARD_READ), MPI_File_read_at, handle_, at, buf, n, type)
    virtual void Close() RAILYARD_DOES(MPI_File_close(&handle_))
    RAILYARD_WITH_STATUS(Write_ordered_end, (const void* buf), MPI_File_write_ordered_end, handle_, buf)
    RAILYARD_WITH_STATUS(Write, (RAILYARD_WRITTEN), MPI_File_write, handle_, buf, n, type)
    virtual bool Get_atomicity() const RAILYARD_TELLS(MPI_File_get_atomicity(handle_, &v))
    virtual void Call_errhandler(int code) const;

    static Errhandler Create_errhandler(Errhandler_function* function);

  private:
    void check(int code) const { if (code != MPI_SUCCESS) Call_errhandler(code); }
};
// clang-format on

}  // namespace MPI
