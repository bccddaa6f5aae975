! What all programs of this folder report with: what failed, and a last line if nothing did.
module checks
    implicit none
    integer, private :: failures = 0
contains
    subroutine check(holds, what)
        logical, intent(in) :: holds
        character(len=*), intent(in) :: what
        if (holds) return
        failures = failures + 1
        print '(2a)', 'WRONG: ', what
    end subroutine
    ! `rank` 0 says that all is well, if it is: others have ended the job otherwise.
    subroutine finish(name, rank, size)
        character(len=*), intent(in) :: name
        integer, intent(in) :: rank, size
        if (failures > 0) error stop 1
        if (rank == 0) print '(2a,i0,a)', name, ': ', size, ' ranks'
    end subroutine
end module
