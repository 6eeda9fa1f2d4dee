/*
 * posed-damage [--shard K/N] PATH...: what becomes of damaged files, those of folders too. For each one: every
 * truncation, four patches of every byte, and every one of libpose's own allocations refused; then all that can be done with what still decodes.
 * Prints a line a file; exit status 1 when a promise of pose.h was broken.
 *
 * The first kilobyte, where headers and counts are, is damaged byte by byte; beyond it a longer file is sampled, so
 * that no file costs more than some thousand runs.
 */
#include "tests/support/companions.h"
#include "tests/support/exercise/exercise.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DENSE = 1024, SPARSE_OFFSETS = 400, SPARSE_ALLOCATIONS = 400, COMPLAINTS_SHOWN = 10 };

struct run {
    const struct test_file *file;
    const char *name;
    struct companions companions;
    struct exercise exercise;
    struct watched_memory memory;
    uint64_t runs, read, complaints;
    double slowest_ms;
    char variant[64]; /* what is being tried */
};

/* The variant under way, for the moment of a crash. */
static const struct run *current;

static void name_variant(void)
{
    if (current)
        fprintf(stderr, "%s: %s\n", current->name, current->variant);
}

/* There when a sanitizer is. */
void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void complain(void *user, const char *message)
{
    struct run *run = user;
    if (run->complaints++ < COMPLAINTS_SHOWN)
        fprintf(stderr, "%s: %s: %s\n", run->name, run->variant, message);
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void try_bytes(struct run *run, const uint8_t *data, size_t size)
{
    double start = cpu_ms();
    run->runs++;
    run->read += exercise_bytes(&run->exercise, (struct pose_bytes){data, size}) == EXERCISE_READ;
    double took = cpu_ms() - start;
    if (took > run->slowest_ms)
        run->slowest_ms = took;
}

/* The offset to damage after this one. */
static size_t next_offset(size_t offset, size_t size)
{
    size_t stride = size > DENSE ? (size - DENSE) / SPARSE_OFFSETS : 0;
    return offset + (offset < DENSE || stride == 0 ? 1 : stride);
}

static void truncate_everywhere(struct run *run)
{
    size_t size = run->file->size;
    for (size_t offset = 0; offset < size; offset = next_offset(offset, size)) {
        snprintf(run->variant, sizeof run->variant, "cut to %zu bytes", offset);
        try_bytes(run, run->file->data, offset);
    }
}

static void patch_everywhere(struct run *run)
{
    size_t size = run->file->size;
    uint8_t *data = malloc(size);
    if (!data)
        abort();
    memcpy(data, run->file->data, size);
    for (size_t offset = 0; offset < size; offset = next_offset(offset, size)) {
        uint8_t was = data[offset];
        const uint8_t patches[] = {0x00, 0xff, was ^ 0x80, (uint8_t)(was + 1)};
        for (int i = 0; i < 4; i++) {
            if (patches[i] == was)
                continue;
            data[offset] = patches[i];
            snprintf(run->variant, sizeof run->variant, "byte %zu patched to 0x%02x", offset, patches[i]);
            try_bytes(run, data, size);
        }
        data[offset] = was;
    }
    free(data);
}

static void refuse_every_allocation(struct run *run)
{
    watched_memory_rewind(&run->memory, 0);
    try_bytes(run, run->file->data, run->file->size);
    uint64_t count = run->memory.count, stride = 1 + count / SPARSE_ALLOCATIONS;
    for (uint64_t refuse = 1; refuse <= count; refuse += stride) {
        snprintf(run->variant, sizeof run->variant, "allocation %" PRIu64 " refused", refuse);
        watched_memory_rewind(&run->memory, refuse);
        try_bytes(run, run->file->data, run->file->size);
    }
    watched_memory_rewind(&run->memory, 0);
}

/* Damaged bytes go to the codec that knew the intact ones, or nothing behind the first magic number is reached. */
static const char *known_format(struct run *run)
{
    struct pose_source source = {.name = run->name,
                                 .bytes = {run->file->data, run->file->size},
                                 .find = companions_find,
                                 .user = &run->companions};
    return exact_format(&source);
}

static bool damage(const struct test_file *file)
{
    struct run run = {.file = file, .name = test_base_name(file->path), .companions.path = file->path};
    current = &run;
    watched_memory_init(&run.memory);
    run.exercise = (struct exercise){.name = run.name,
                                     .format = known_format(&run),
                                     .find = companions_find,
                                     .find_user = &run.companions,
                                     .memory = &run.memory,
                                     .complain = complain,
                                     .user = &run};
    exercise_open(&run.exercise);
    snprintf(run.variant, sizeof run.variant, "intact");
    try_bytes(&run, file->data, file->size);
    if (run.exercise.format && run.read != 1)
        complain(&run, "the intact file is refused");
    run.companions.frozen = true; /* a damaged name finds nothing */
    truncate_everywhere(&run);
    patch_everywhere(&run);
    refuse_every_allocation(&run);
    exercise_close(&run.exercise);
    printf("%s: %s: %" PRIu64 " runs, %" PRIu64 " read, slowest %.1f ms, %" PRIu64 " broken promises\n",
           run.name, run.exercise.format ? run.exercise.format : "unknown", run.runs, run.read,
           run.slowest_ms, run.complaints);
    companions_free(&run.companions);
    current = NULL;
    return run.complaints == 0;
}

/* "2/4": of all files every fourth, from the second on. */
struct shard {
    unsigned index, count;
};

static bool parse_shard(const char *text, struct shard *shard)
{
    return sscanf(text, "%u/%u", &shard->index, &shard->count) == 2 && shard->index >= 1 &&
           shard->index <= shard->count;
}

static bool damage_path(const char *path)
{
    struct test_file file;
    bool sound = test_file_read(path, &file) && damage(&file);
    test_file_free(&file);
    return sound;
}

int main(int argc, char **argv)
{
    struct shard shard = {1, 1};
    bool sharded = argc > 2 && !strcmp(argv[1], "--shard");
    int first = sharded ? 3 : 1;
    if (argc <= first || (sharded && !parse_shard(argv[2], &shard))) {
        fprintf(stderr, "usage: posed-damage [--shard K/N] PATH...\n");
        return 2;
    }
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(name_variant);
    bool sound = true;
    size_t number = 0;
    for (int i = first; i < argc; i++) {
        struct test_paths paths;
        sound &= test_paths_walk(argv[i], &paths);
        for (size_t k = 0; k < paths.count; k++) {
            if (number++ % shard.count == shard.index - 1)
                sound &= damage_path(paths.items[k]);
        }
        test_paths_free(&paths);
    }
    return sound ? EXIT_SUCCESS : EXIT_FAILURE;
}
