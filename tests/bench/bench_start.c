/*
 * How long the daemon takes from exec to its first answer, and what it weighs then; beside `posed --version`, which
 * loads the same libraries and does nothing.
 */
#include "tests/bench/bench.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 9 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Starts the program with its standard output in a pipe. */
static pid_t start(const char *first, const char *second, const char *third, int *output)
{
    int ends[2];
    if (pipe(ends))
        exit(EXIT_FAILURE);
    pid_t child = fork();
    if (!child) {
        dup2(ends[1], STDOUT_FILENO);
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDERR_FILENO);
        execl(POSED_PROGRAM, POSED_PROGRAM, first, second, third, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    *output = ends[0];
    return child;
}

static size_t read_line(int fd, char *line, size_t size)
{
    size_t used = 0;
    while (used + 1 < size && read(fd, line + used, 1) == 1 && line[used] != '\n')
        used++;
    line[used] = 0;
    return used;
}

static double time_version(void)
{
    char line[256];
    int output, status;
    double begin = now();
    pid_t child = start("--version", NULL, NULL, &output);
    read_line(output, line, sizeof line);
    double seconds = now() - begin;
    waitpid(child, &status, 0);
    close(output);
    return seconds;
}

static bool ask(int port)
{
    static const char request[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    char byte;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    bool answered = !connect(fd, (struct sockaddr *)&address, sizeof address) &&
                    send(fd, request, sizeof request - 1, 0) > 0 && recv(fd, &byte, 1, 0) == 1;
    close(fd);
    return answered;
}

/* A figure of /proc/PID/status in kB. */
static long status_kb(pid_t process, const char *name)
{
    char path[64], line[256];
    long value = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)process);
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        if (!strncmp(line, name, strlen(name)))
            value = atol(line + strlen(name) + 1);
    }
    if (file)
        fclose(file);
    return value;
}

static double time_serve(long *resident, long *private)
{
    char line[256];
    int output, status;
    double begin = now();
    pid_t child = start("serve", "--listen", "127.0.0.1:0", &output);
    read_line(output, line, sizeof line);
    const char *colon = strrchr(line, ':');
    if (!colon || !ask(atoi(colon + 1)))
        fprintf(stderr, "bench: the daemon did not answer\n");
    double seconds = now() - begin;
    *resident = status_kb(child, "VmRSS:");
    *private = status_kb(child, "RssAnon:");
    kill(child, SIGTERM);
    waitpid(child, &status, 0);
    close(output);
    return seconds;
}

static void run(void)
{
    double version = 1e9, serve = 1e9;
    long resident = 0, private = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double seconds = time_version();
        version = seconds < version ? seconds : version;
        seconds = time_serve(&resident, &private);
        serve = seconds < serve ? seconds : serve;
    }
    printf("start of the daemon\n");
    printf("  posed --version %38.2f ms\n", version * 1e3);
    printf("  exec to the first byte of an answer %18.2f ms  ratio %.2f  (goal 15 ms)\n", serve * 1e3,
           serve / version);
    printf("  memory when idle %37.1f MB, of which private %.1f MB  (goals 16 and 4)\n",
           (double)resident / 1024, (double)private / 1024);
}

const struct bench_part bench_start = {"start", run};
