/*
 * A folder of 100,000 clips beside one of 10: starts (cold; warm, with --data), and what lists, a search and a pose
 * take. The cold start stands beside sha256sum of the same files.
 */
#include "tests/bench/bench.h"
#include "tests/bench/load.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FEW = 10, MANY = 100000, KEYS = 10 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* A clip of Second Life of one joint, each of another duration. */
static size_t make_clip(unsigned number, unsigned char *out)
{
    const unsigned short version[2] = {1, 0};
    const int priority = 2, loop = 1, zero = 0, keys = KEYS, joint_priority = 2;
    const unsigned hand = 1, joints = 1;
    const float duration = 1 + (float)number / 4096, ease = 0.3f, begin = 0;
    unsigned char *at = out;
#define PUT(value) (memcpy(at, &(value), sizeof(value)), at += sizeof(value))
    PUT(version), PUT(priority), PUT(duration);
    *at++ = 0; /* emote */
    PUT(begin), PUT(duration), PUT(loop), PUT(ease), PUT(ease), PUT(hand), PUT(joints);
    memcpy(at, "mTorso", 7);
    at += 7;
    PUT(joint_priority), PUT(keys);
    for (unsigned short k = 0; k < KEYS; k++) {
        const unsigned short key[4] = {(unsigned short)(k * 6000), (unsigned short)(30000 + k), 20000, 10000};
        PUT(key);
    }
    PUT(zero), PUT(zero);
#undef PUT
    return (size_t)(at - out);
}

static void fill(const char *folder, unsigned count)
{
    mkdir(folder, 0700);
    for (unsigned i = 0; i < count; i++) {
        unsigned char bytes[512];
        char path[128];
        size_t size = make_clip(i, bytes);
        snprintf(path, sizeof path, "%s/c%05u.anim", folder, i);
        int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
        if (fd < 0 || write(fd, bytes, size) != (ssize_t)size)
            fprintf(stderr, "bench: %s cannot be written\n", path);
        close(fd);
    }
}

static double time_command(const char *format, const char *folder)
{
    char command[256];
    snprintf(command, sizeof command, format, folder);
    double begin = now();
    if (system(command))
        fprintf(stderr, "bench: %s failed\n", command);
    return now() - begin;
}

/* Seconds until it listens. */
static double start(const char *folder, const char *data, pid_t *child, int *port)
{
    int ends[2];
    char line[256] = "";
    double begin = now();
    if (pipe(ends))
        exit(EXIT_FAILURE);
    *child = fork();
    if (!*child) {
        dup2(ends[1], STDOUT_FILENO);
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
        execl(POSED_PROGRAM, POSED_PROGRAM, "serve", "--listen", "127.0.0.1:0", folder,
              data ? "--data" : NULL, data, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    for (size_t used = 0; used + 1 < sizeof line && read(ends[0], line + used, 1) == 1 && line[used] != '\n';)
        used++;
    close(ends[0]);
    const char *colon = strrchr(line, ':');
    *port = colon ? atoi(colon + 1) : 0;
    return now() - begin;
}

static void stop(pid_t child)
{
    int status;
    kill(child, SIGTERM);
    waitpid(child, &status, 0);
}

static double latency(int port, const char *target)
{
    struct load load = {
        .port = port, .targets = &target, .target_count = 1, .connections = 1, .seconds = 0.5};
    struct load_result result = {0};
    if (!load_run(&load, &result) || result.errors)
        fprintf(stderr, "bench: %s failed\n", target);
    return result.p50_us;
}

struct figures {
    double cold, warm, list, page, search, pose;
};

static struct figures measure(const char *top, unsigned count)
{
    char folder[96], data[96];
    struct figures found;
    pid_t child;
    int port;
    snprintf(folder, sizeof folder, "%s/%u", top, count);
    snprintf(data, sizeof data, "%s/data%u", top, count);
    fill(folder, count);
    found.cold = start(folder, NULL, &child, &port);
    stop(child);
    start(folder, data, &child, &port);
    stop(child);
    found.warm = start(folder, data, &child, &port);
    sleep(2); /* the second look */
    char last[64], name[96];
    snprintf(last, sizeof last, "/v1/clips?limit=10&offset=%u", count - 10);
    snprintf(name, sizeof name, "/v1/named/%u/c00005/pose?t=0.5", count);
    found.list = latency(port, "/v1/clips?limit=10");
    found.page = latency(port, last);
    found.search = latency(port, "/v1/clips?limit=10&q=c00005");
    found.pose = latency(port, name);
    stop(child);
    return found;
}

static void row(const char *title, double few, double many)
{
    printf("  %-38s %12.0f us %12.0f us  ratio %.2f\n", title, few, many, many / few);
}

static void run(void)
{
    char top[] = "/tmp/posed-bench-XXXXXX", folder[64];
    if (!mkdtemp(top))
        return;
    struct figures few = measure(top, FEW), many = measure(top, MANY);
    snprintf(folder, sizeof folder, "%s/%u", top, MANY);
    double sum = time_command("find %s -type f -print0 | xargs -0 sha256sum > /dev/null", folder);
    printf("%d clips in a folder beside %d\n", MANY, FEW);
    printf("  sha256sum of the files %36.2f s\n", sum);
    printf("  cold start %48.2f s  ratio %.2f  (goal 2)\n", many.cold, many.cold / sum);
    printf("  warm start, with --data %35.2f s  ratio %.2f  (goal 2 s)\n", many.warm, many.warm / sum);
    row("first page of the list", few.list, many.list);
    row("last page of the list", few.page, many.page);
    row("search for a part of a name", few.search, many.search);
    row("a pose by names", few.pose, many.pose);
    time_command("rm -rf %s", top);
}

const struct bench_part bench_many = {"many", run};
