! What MPICH 4.0 lacks of mpi_f08: MPI-4.1's buffers and statuses, and operations of large counts.
module large_function
    use mpi_f08
    use, intrinsic :: iso_c_binding
    implicit none
contains
    subroutine largest(invec, inoutvec, len, datatype)
        type(c_ptr), value :: invec, inoutvec
        integer(MPI_COUNT_KIND) :: len
        type(MPI_Datatype) :: datatype
        integer, pointer :: x(:), y(:)
        call c_f_pointer(invec, x, [len])
        call c_f_pointer(inoutvec, y, [len])
        y = max(x, y)
    end subroutine
end module

program later
    use mpi_f08
    use large_function
    use checks
    implicit none
    integer :: rank, size, got, bytes, tag, index
    type(MPI_Op) :: op
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: status
    type(MPI_File) :: file
    type(MPI_Info) :: info
    type(c_ptr) :: buffer
    logical :: flag

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)
    call MPI_Op_create_c(largest, .true., op)
    call MPI_Allreduce(rank, got, 1_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
    call check(got == size - 1, 'an operation of large counts')
    call MPI_Op_free(op)

    call MPI_Comm_attach_buffer(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0)
    call MPI_Bsend(rank, 1, MPI_INTEGER, mod(rank + 1, size), 4, MPI_COMM_WORLD)
    requests(1) = MPI_REQUEST_NULL
    call MPI_Irecv(got, 1, MPI_INTEGER, mod(rank + size - 1, size), 4, MPI_COMM_WORLD, requests(2))
    flag = .false.
    do while (.not. flag)
        call MPI_Request_get_status_any(2, requests, index, flag, status)
    end do
    call check(index == 2, 'which is complete')
    call MPI_Status_get_tag(status, tag)
    call check(tag == 4, 'a tag')
    call MPI_Wait(requests(2), MPI_STATUS_IGNORE)
    call MPI_F_sync_reg(got)
    call check(got == mod(rank + size - 1, size), 'a buffered message')
    call MPI_Comm_flush_buffer(MPI_COMM_WORLD)
    call MPI_Comm_detach_buffer(MPI_COMM_WORLD, buffer, bytes)

    call MPI_Info_create_env(info)
    call MPI_Info_free(info)
    file = MPI_FILE_NULL
    call MPI_File_open(MPI_COMM_SELF, '/no such folder/file', MPI_MODE_RDONLY, MPI_INFO_NULL, file, got)
    call check(got /= MPI_SUCCESS .and. file == MPI_FILE_NULL, 'no file')
    call MPI_Finalize()
    call finish('later', rank, size)
end program
