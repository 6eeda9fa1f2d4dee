#include "server/daemon/sandbox.h"

#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>

/* Grouped by purpose. Names that the processor does not have are skipped. */
static const char *const allowed[] = {
    /* files and folders, including the store's (SQLite as root: fchown) */
    "read",
    "write",
    "readv",
    "writev",
    "pread64",
    "pwrite64",
    "preadv",
    "pwritev",
    "preadv2",
    "pwritev2",
    "lseek",
    "_llseek",
    "open",
    "openat",
    "openat2",
    "close",
    "close_range",
    "fstat",
    "fstat64",
    "stat",
    "stat64",
    "lstat",
    "lstat64",
    "newfstatat",
    "fstatat64",
    "statx",
    "statfs",
    "fstatfs",
    "statfs64",
    "fstatfs64",
    "access",
    "faccessat",
    "faccessat2",
    "readlink",
    "readlinkat",
    "getdents",
    "getdents64",
    "getcwd",
    "fcntl",
    "fcntl64",
    "flock",
    "fsync",
    "fdatasync",
    "sync_file_range",
    "ftruncate",
    "ftruncate64",
    "fallocate",
    "fadvise64",
    "readahead",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "mkdir",
    "mkdirat",
    "rmdir",
    "link",
    "linkat",
    "fchmod",
    "fchmodat",
    "fchown",
    "umask",
    "utimensat",
    "dup",
    "dup2",
    "dup3",
    "pipe",
    "pipe2",
    "ioctl",
    "copy_file_range",
    "sendfile",
    "sendfile64",
    "memfd_create",
    "inotify_init1",
    "inotify_add_watch",
    "inotify_rm_watch",
    /* memory */
    "mmap",
    "mmap2",
    "munmap",
    "mprotect",
    "mremap",
    "madvise",
    "mincore",
    "msync",
    "brk",
    "membarrier",
    /* threads and time */
    "clone",
    "clone3",
    "set_robust_list",
    "get_robust_list",
    "rseq",
    "futex",
    "set_tid_address",
    "exit",
    "exit_group",
    "gettid",
    "getpid",
    "getppid",
    "tgkill",
    "sched_yield",
    "sched_getaffinity",
    "sched_setaffinity",
    "sched_getparam",
    "sched_getscheduler",
    "getpriority",
    "setpriority",
    "restart_syscall",
    "rt_sigaction",
    "rt_sigprocmask",
    "rt_sigreturn",
    "rt_sigtimedwait",
    "rt_sigpending",
    "sigaltstack",
    "nanosleep",
    "clock_nanosleep",
    "clock_gettime",
    "clock_getres",
    "gettimeofday",
    "time",
    "arch_prctl",
    /* incoming connections, and waiting for them */
    "accept",
    "accept4",
    "getsockname",
    "getpeername",
    "setsockopt",
    "getsockopt",
    "recv",
    "recvfrom",
    "recvmsg",
    "send",
    "sendto",
    "sendmsg",
    "sendmmsg",
    "shutdown",
    "connect",
    "epoll_create1",
    "epoll_ctl",
    "epoll_wait",
    "epoll_pwait",
    "epoll_pwait2",
    "eventfd2",
    "poll",
    "ppoll",
    "select",
    "pselect6",
    "timerfd_create",
    "timerfd_settime",
    /* information about process and machine */
    "getrandom",
    "uname",
    "sysinfo",
    "getuid",
    "geteuid",
    "getgid",
    "getegid",
    "getresuid",
    "getresgid",
    "getrusage",
    "getrlimit",
    "prlimit64",
    "times",
    "getcpu",
    "get_mempolicy",
};

static int allow(scmp_filter_ctx filter, const char *name)
{
    int number = seccomp_syscall_resolve_name(name);
    return number == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
}

/* Only Unix sockets (for systemd notifications), and only the thread-name call of prctl. */
static int allow_in_part(scmp_filter_ctx filter)
{
    int status =
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1, SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
    if (!status)
        status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1,
                                  SCMP_A0(SCMP_CMP_EQ, PR_SET_NAME, 0));
    return status;
}

/* New connections, names of machines, and the pair of sockets that wakes a thread of libcurl. */
static int allow_connecting(scmp_filter_ctx filter)
{
    static const int families[] = {AF_INET, AF_INET6};
    int status =
        seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 1, SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
    for (size_t i = 0; !status && i < sizeof families / sizeof *families; i++)
        status = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
                                  SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)families[i], 0));
    return status;
}

/* Loads a filter for all threads (the log's already runs); 0 or -errno. */
static int load(scmp_filter_ctx filter)
{
    int status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 1);
    if (!status)
        status = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    if (!status)
        status = seccomp_load(filter);
    return status;
}

static bool finish(scmp_filter_ctx filter, int status, char *error, size_t error_size)
{
    if (status)
        snprintf(error, error_size, "cannot install the seccomp filter: %s; --no-sandbox runs without it",
                 strerror(-status));
    if (filter)
        seccomp_release(filter);
    return !status;
}

bool sandbox_refuse_io_uring(char *error, size_t error_size)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
    int number = seccomp_syscall_resolve_name("io_uring_setup");
    int status = filter ? 0 : -ENOMEM;
    if (!status && number != __NR_SCMP_ERROR)
        status = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), number, 0);
    if (!status)
        status = load(filter);
    return finish(filter, status, error, error_size);
}

static bool enter(bool connects, char *error, size_t error_size)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
    int status = filter ? 0 : -ENOMEM;
    for (size_t i = 0; !status && i < sizeof allowed / sizeof *allowed; i++)
        status = allow(filter, allowed[i]);
    if (!status)
        status = allow_in_part(filter);
    if (!status && connects)
        status = allow_connecting(filter);
    if (!status)
        status = load(filter);
    return finish(filter, status, error, error_size);
}

bool sandbox_enter(char *error, size_t error_size)
{
    return enter(false, error, error_size);
}

bool sandbox_enter_connecting(char *error, size_t error_size)
{
    return enter(true, error, error_size);
}
