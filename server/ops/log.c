/*
 * Lines are appended to one of two buffers; the writer thread swaps the buffers and writes the full one. The first
 * line after a pause is written at once; while more follow, the thread checks every few milliseconds.
 */
#include "server/ops/log.h"

#include "server/ops/clock.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUFFER_CAPACITY = 1 << 20,
    NAP_NS = 2 * 1000 * 1000,
    PATIENCE_MS = 2000, /* after so long without a reader, lines are dropped */
};

static struct {
    enum log_format format;
    int fd;
    bool in_lines;          /* written in pieces small enough for atomic pipe writes */
    pthread_mutex_t output; /* held while writing; locked before lock */
    pthread_mutex_t lock;   /* guards the following members */
    pthread_cond_t filled;
    char *filling, *writing; /* NULL: lines are written immediately */
    size_t filled_size;
    uint64_t lost;    /* number of lines */
    size_t wake_size; /* the thread waits until the buffer has this size; SIZE_MAX: it is busy */
    bool ending;
    bool running;
    pthread_t thread;
} logger = {
    .fd = STDERR_FILENO,
    .wake_size = SIZE_MAX,
    .output = PTHREAD_MUTEX_INITIALIZER,
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
};

/* --------------------------------------------------------------------------------------------------- writing -- */

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t count = 0;
    for (const char *end = text + size; (text = memchr(text, '\n', (size_t)(end - text))); text++)
        count++;
    return count;
}

/* The largest number of whole lines that a write accepts without blocking after poll. */
static size_t piece_of(const char *text, size_t size)
{
    if (!logger.in_lines || size <= PIPE_BUF)
        return size;
    const char *last = memrchr(text, '\n', PIPE_BUF);
    return last ? (size_t)(last - text) + 1 : PIPE_BUF;
}

/* Returns how many lines were not written, because of an error or because nobody reads. */
static uint64_t write_lines(const char *text, size_t size)
{
    while (size) {
        struct pollfd ready = {.fd = logger.fd, .events = POLLOUT};
        ssize_t written = -1;
        int polled = poll(&ready, 1, PATIENCE_MS);
        if (polled > 0)
            written = write(logger.fd, text, piece_of(text, size));
        if (polled == 0 || (written < 0 && errno != EINTR && errno != EAGAIN))
            break;
        if (written > 0) {
            text += written;
            size -= (size_t)written;
        }
    }
    return count_lines(text, size);
}

static void write_loss(uint64_t lost)
{
    char message[80];
    struct timespec now = clock_wall();
    struct log_line line;
    snprintf(message, sizeof message, "%llu log lines were dropped: the reader is too slow",
             (unsigned long long)lost);
    log_line_message(&line, logger.format, &now, LOG_WARNING, message);
    write_lines(line.text, line.length);
}

/* Writes everything in the buffers. */
static void drain(void)
{
    pthread_mutex_lock(&logger.output);
    pthread_mutex_lock(&logger.lock);
    char *full = logger.filling;
    size_t size = logger.filled_size;
    uint64_t lost = logger.lost;
    logger.filling = logger.writing;
    logger.writing = full;
    logger.filled_size = 0;
    logger.lost = 0;
    pthread_mutex_unlock(&logger.lock);
    uint64_t unwritten = write_lines(full, size);
    if (lost)
        write_loss(lost);
    if (unwritten) {
        pthread_mutex_lock(&logger.lock);
        logger.lost += unwritten;
        pthread_mutex_unlock(&logger.lock);
    }
    pthread_mutex_unlock(&logger.output);
}

/* ---------------------------------------------------------------------------------------------------- thread -- */

/* Called with the lock held. */
static void wait_for_line(void)
{
    logger.wake_size = 1;
    while (!logger.filled_size && !logger.ending)
        pthread_cond_wait(&logger.filled, &logger.lock);
    logger.wake_size = SIZE_MAX;
}

/* Ended early by a half-full buffer. Called with the lock held. */
static void nap(void)
{
    struct timespec until = clock_wall();
    clock_add_ns(&until, NAP_NS);
    logger.wake_size = BUFFER_CAPACITY / 2;
    while (logger.filled_size < logger.wake_size && !logger.ending) {
        if (pthread_cond_timedwait(&logger.filled, &logger.lock, &until) == ETIMEDOUT)
            break;
    }
    logger.wake_size = SIZE_MAX;
}

static void *write_while_running(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&logger.lock);
    while (!logger.ending) {
        wait_for_line();
        pthread_mutex_unlock(&logger.lock);
        drain();
        pthread_mutex_lock(&logger.lock);
        nap();
    }
    pthread_mutex_unlock(&logger.lock);
    return NULL;
}

void log_init(enum log_format format, int fd)
{
    struct stat status;
    logger.format = format;
    logger.fd = fd;
    logger.in_lines = !fstat(fd, &status) && (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
    logger.filling = malloc(BUFFER_CAPACITY);
    logger.writing = malloc(BUFFER_CAPACITY);
    logger.running =
        logger.filling && logger.writing && !pthread_create(&logger.thread, NULL, write_while_running, NULL);
    if (!logger.running) {
        free(logger.filling);
        free(logger.writing);
        logger.filling = logger.writing = NULL;
    }
}

void log_close(void)
{
    if (!logger.running)
        return;
    pthread_mutex_lock(&logger.lock);
    logger.ending = true;
    pthread_cond_signal(&logger.filled);
    pthread_mutex_unlock(&logger.lock);
    pthread_join(logger.thread, NULL);
    drain();
    free(logger.filling);
    free(logger.writing);
    logger.filling = logger.writing = NULL;
    logger.running = logger.ending = false;
}

/* ------------------------------------------------------------------------------------------------------ lines -- */

/* Called with the lock held. */
static bool append(const struct log_line *line)
{
    if (line->length > BUFFER_CAPACITY - logger.filled_size)
        return false;
    memcpy(logger.filling + logger.filled_size, line->text, line->length);
    logger.filled_size += line->length;
    return true;
}

static void write_at_once(const struct log_line *line)
{
    pthread_mutex_lock(&logger.output);
    write_lines(line->text, line->length);
    pthread_mutex_unlock(&logger.output);
}

void log_request(const struct log_request *request)
{
    struct log_line line;
    struct timespec now = clock_wall();
    log_line_request(&line, logger.format, &now, request);
    if (!logger.running) {
        write_at_once(&line);
        return;
    }
    pthread_mutex_lock(&logger.lock);
    if (!append(&line))
        logger.lost++;
    if (logger.filled_size >= logger.wake_size)
        pthread_cond_signal(&logger.filled);
    pthread_mutex_unlock(&logger.lock);
}

void log_message(enum log_level level, const char *format, ...)
{
    char message[LOG_LINE_CAPACITY];
    struct log_line line;
    struct timespec now;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    now = clock_wall();
    log_line_message(&line, logger.format, &now, level, message);
    if (logger.running)
        drain();
    write_at_once(&line);
}
