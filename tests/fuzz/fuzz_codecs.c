/*
 * libFuzzer's target for every codec and archive type: the first line is the id of a format (or anything else, for
 * detection), the rest is the file, whose last byte chooses what its clips are converted to. A broken promise of pose.h
 * ends it as a crash does.
 *
 *     cmake --preset fuzz && cmake --build build/fuzz
 *     build/fuzz/tests/fuzz/fuzz_codecs -max_len=65536 -dict=tests/fuzz/codecs.dict FOLDER
 *
 * Without POSED_FUZZ the same code is a program that replays files: what the fuzzer found stays found.
 */
#include "tests/support/exercise/exercise.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_up(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "broken promise: %s\n", message);
    abort();
}

/* NULL: none of that name. */
static const struct pose_format *find_format(const uint8_t *id, size_t length)
{
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        if (strlen(format->id) == length && !memcmp(format->id, id, length))
            return format;
    }
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct watched_memory memory;
    static struct exercise exercise;
    if (!exercise.memory) {
        watched_memory_init(&memory);
        exercise = (struct exercise){.name = "fuzz", .memory = &memory, .complain = give_up};
        exercise_open(&exercise); /* the stand-ins stay for the life of the process */
    }
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    if (!end)
        return 0;
    const struct pose_format *format = find_format(data, (size_t)(end - data));
    if (format && !format->can_read)
        return 0;
    exercise.format = format ? format->id : NULL;
    exercise.turn = data[size - 1]; /* not what came before: an input does the same every time */
    watched_memory_rewind(&memory, 0);
    exercise_bytes(&exercise, (struct pose_bytes){end + 1, (size_t)(data + size - end - 1)});
    return 0;
}
