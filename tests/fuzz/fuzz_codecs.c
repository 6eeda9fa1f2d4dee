/*
 * libFuzzer's target for every codec and archive type: the first byte chooses a row of pose_formats (or detection), the
 * rest is the file. A broken promise of pose.h ends it as a crash does.
 *
 *     cmake --preset fuzz && cmake --build build/fuzz
 *     build/fuzz/tests/fuzz/fuzz_codecs -max_len=65536 FOLDER
 *
 * Without POSED_FUZZ the same code is a program that replays files: what the fuzzer found stays found.
 */
#include "tests/support/exercise.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_up(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "broken promise: %s\n", message);
    abort();
}

static size_t count_formats(void)
{
    size_t count = 0;
    while (pose_formats()[count].id)
        count++;
    return count;
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
    if (!size)
        return 0;
    size_t row = data[0] % (count_formats() + 1);
    const struct pose_format *format = &pose_formats()[row];
    if (format->id && !format->can_read)
        return 0;
    exercise.format = format->id; /* NULL behind the last row: detection */
    watched_memory_rewind(&memory, 0);
    exercise_bytes(&exercise, (struct pose_bytes){data + 1, size - 1});
    return 0;
}
