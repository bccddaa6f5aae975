! Sections of lines: every fourth element is the section, and the others must stay as they were.
! For programs that call each procedure of mpi_f08 with them that f08_sections.f90 does not call.
module lines
    use ring
    implicit none
    integer, parameter :: gap = -7, n = 6, step = 4, longest = 200
    integer, parameter :: last = step * n, end = 3 + step * (n - 1), wide = MPI_COUNT_KIND
    integer :: out(longest), in(longest)
contains
    ! What `from` sends as number i.
    elemental integer function mark(from, i)
        integer, intent(in) :: from, i
        mark = 1000 * (from + 1) + i
    end function
    ! `count` elements to send, and as many to receive.
    subroutine reset(count)
        integer, intent(in) :: count
        integer :: i
        out = gap
        out(1:step*count:step) = [(mark(rank, i), i = 1, count)]
        in = gap
    end subroutine
    subroutine expect(expected, what)
        integer, intent(in) :: expected(:)
        character(len=*), intent(in) :: what
        integer :: whole(longest)
        whole = gap
        whole(3:3+step*(ubound(expected, 1)-1):step) = expected
        call check(all(in == whole), what)
    end subroutine
    ! n elements of the rank before this one.
    subroutine expect_neighbour(what)
        character(len=*), intent(in) :: what
        integer :: i
        call expect([(mark(before, i), i = 1, n)], what)
    end subroutine
    subroutine done(request)
        type(MPI_Request), intent(inout) :: request
        call MPI_Wait(request, MPI_STATUS_IGNORE)
        call MPI_F_sync_reg(in)
    end subroutine
end module
