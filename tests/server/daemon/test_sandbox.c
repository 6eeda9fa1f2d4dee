/* The system-call filter bites, in every thread, and lets through what the daemon lives on. Each case in a process of
 * its own, since there is no way out of a filter. */
#include "server/daemon/sandbox.h"
#include "tests/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

static void enter(void)
{
    char error[256] = "";
    if (!sandbox_refuse_io_uring(error, sizeof error) || !sandbox_enter(error, sizeof error)) {
        fprintf(stderr, "%s\n", error);
        _exit(100);
    }
}

/* What the body says in a child that is confined: 0 is well, _exit(line) names the line that is not. */
static void run_confined(void (*body)(void))
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        enter();
        body();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "line %d, or signal %d", WEXITSTATUS(status),
                  WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

#define NEED(condition)                                                                                      \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            _exit(__LINE__ & 127 ? __LINE__ & 127 : 1);                                                      \
    } while (0)
#define FORBIDDEN(call)                                                                                      \
    do {                                                                                                     \
        errno = 0;                                                                                           \
        NEED((call) < 0 && errno == EPERM);                                                                  \
    } while (0)

static void forbidden(void)
{
    char program[] = "/bin/true", *arguments[] = {program, NULL};
    FORBIDDEN(execv(program, arguments));
    FORBIDDEN(ptrace(PTRACE_TRACEME, 0, NULL, NULL));
    FORBIDDEN(mount("none", "/tmp", "tmpfs", 0, NULL));
    FORBIDDEN(umount("/tmp"));
    FORBIDDEN(socket(AF_INET, SOCK_STREAM, 0));
    FORBIDDEN(socket(AF_INET6, SOCK_DGRAM, 0));
    FORBIDDEN(setuid(0));
    FORBIDDEN(chroot("/"));
    FORBIDDEN(kill(1, 0));
    FORBIDDEN(mknod("/tmp/posed-device", S_IFCHR, 0));
    FORBIDDEN(symlink("/etc/passwd", "/tmp/posed-link"));
    NEED(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) < 0); /* not even asked */
}

TEST(what_is_forbidden)
{
    run_confined(forbidden);
}

static void *say_yes(void *argument)
{
    *(int *)argument = 1;
    return NULL;
}

static void allowed(void)
{
    char path[] = "/tmp/posed-sandbox-XXXXXX";
    pthread_t thread;
    int said = 0;
    int file = mkstemp(path);
    NEED(file >= 0 && write(file, "x", 1) == 1 && !fsync(file) && !unlink(path));
    NEED(!pthread_create(&thread, NULL, say_yes, &said) && !pthread_join(thread, NULL) && said);
    NEED(socket(AF_UNIX, SOCK_DGRAM, 0) >= 0);
    NEED(inotify_init1(0) >= 0);
    NEED(!prctl(PR_SET_NAME, "posed", 0, 0, 0));
    void *memory = malloc(1 << 24);
    NEED(memory);
    free(memory);
}

TEST(what_is_allowed)
{
    run_confined(allowed);
}

static void on_timer(uv_timer_t *timer)
{
    *(int *)timer->data = 1;
}

/* A loop that was made before the filter turns after it, and has no ring that would go past it. */
static void loop_of_before(void)
{
    char error[256], parameters[256] = "";
    uv_loop_t loop;
    uv_timer_t timer;
    int rung = 0;
    NEED(sandbox_refuse_io_uring(error, sizeof error));
    errno = 0;
    NEED(syscall(SYS_io_uring_setup, 8, parameters) < 0 && errno == ENOSYS);
    NEED(!uv_loop_init(&loop) && !uv_timer_init(&loop, &timer));
    timer.data = &rung;
    NEED(sandbox_enter(error, sizeof error));
    NEED(!uv_timer_start(&timer, on_timer, 1, 0));
    uv_run(&loop, UV_RUN_DEFAULT);
    NEED(rung);
}

TEST(loops_have_no_ring)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        loop_of_before();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_msg(WIFEXITED(status) && !WEXITSTATUS(status), "line %d, or signal %d", WEXITSTATUS(status),
                  WIFSIGNALED(status) ? WTERMSIG(status) : 0);
}

static pthread_barrier_t gate;

static void *try_to_exec(void *unused)
{
    char program[] = "/bin/true", *arguments[] = {program, NULL};
    (void)unused;
    pthread_barrier_wait(&gate);
    pthread_barrier_wait(&gate); /* the filter is there now */
    FORBIDDEN(execv(program, arguments));
    return NULL;
}

TEST(threads_that_were_there_before)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        pthread_t thread;
        pthread_barrier_init(&gate, NULL, 2);
        NEED(!pthread_create(&thread, NULL, try_to_exec, NULL));
        pthread_barrier_wait(&gate);
        enter();
        pthread_barrier_wait(&gate);
        pthread_join(thread, NULL);
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status));
    ck_assert_int_eq(WEXITSTATUS(status), 0);
}
