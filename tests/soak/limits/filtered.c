/* filtered NAME PROGRAM [ARGUMENT...]: runs a program for which a system call does not exist. */

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
    const char* name;
    unsigned number;
} calls[] = {
    {"process_vm_readv", SYS_process_vm_readv},
    {"process_vm_writev", SYS_process_vm_writev},
    {"pidfd_open", SYS_pidfd_open},
    {"memfd_create", SYS_memfd_create},
    {"membarrier", SYS_membarrier},
    {"sched_setaffinity", SYS_sched_setaffinity},
    {"sched_getaffinity", SYS_sched_getaffinity},
    {"signalfd4", SYS_signalfd4},
    {"setsid", SYS_setsid},
    {"socket", SYS_socket},
    {"epoll_create1", SYS_epoll_create1},
    {"eventfd2", SYS_eventfd2},
    {"prlimit64", SYS_prlimit64},
    {"ftruncate", SYS_ftruncate},
    {"getrandom", SYS_getrandom},
    {"waitid", SYS_waitid},
};

int main(int argc, char** argv) {
    for (size_t i = 0; argc > 2 && i < sizeof calls / sizeof *calls; ++i) {
        if (strcmp(argv[1], calls[i].name) != 0) continue;
        struct sock_filter code[] = {
            BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i].number, 0, 1),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
            BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        struct sock_fprog filter = {sizeof code / sizeof *code, code};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
            perror("filtered");
            return 98;
        }
        execvp(argv[2], argv + 2);
        return 99;
    }
    fprintf(stderr, "filtered: no such call\n");
    return 98;
}
