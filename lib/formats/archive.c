/* Shared by the archive types: limits, names, unreadable entries. */
#include "lib/formats/archive.h"

#include "lib/core/hash.h"
#include "lib/core/setting.h"
#include "lib/core/text.h"
#include "lib/core/warn.h"

#include <stdlib.h>
#include <string.h>

/* Entries that unpack to no more than this are exempt from the ratio limit. */
enum { FREE_OF_RATIO = 64 * 1024 };

void read_warn(const struct read_job *job, const char *code, uint64_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(job->warn, job->user, POSE_WARNING, code, offset, format, arguments);
    va_end(arguments);
}

uint8_t *read_reserve(const struct read_job *job, size_t size)
{
    const struct pose_allocator *allocator = job->out->allocator;
    size_t capacity = size ? size : 1;
    uint8_t *data = allocator->alloc(allocator->user, capacity);
    if (!data) {
        error_no_memory(job->error);
        return NULL;
    }
    job->out->data = data;
    job->out->size = size;
    job->out->capacity = capacity;
    return data;
}

bool read_plain(const struct read_job *job, uint64_t offset, size_t size)
{
    job->out->data = (uint8_t *)job->archive->bytes.data + offset;
    job->out->size = size;
    job->out->capacity = 0;
    return true;
}

void archive_reject(struct pose_archive *archive, uint32_t index, const struct pose_error *error)
{
    struct pose_error *copy = ARENA_NEW(&archive->arena, struct pose_error, 1);
    if (!copy)
        return;
    *copy = *error;
    archive->entries[index].error = copy;
}

void archive_warn_error(struct pose_archive *archive, const struct pose_error *error)
{
    const char *code = arena_copy_text(&archive->arena, error->code);
    if (code)
        warning_add(&archive->warnings, POSE_WARNING, code, error->offset, "%s", error->detail);
}

bool archive_check_entry(const struct pose_archive *archive, uint32_t index, struct pose_error *error)
{
    const struct pose_entry *entry = &archive->entries[index];
    if (entry->error) {
        *error = *entry->error;
        return false;
    }
    if (entry->skipped)
        return error_set(error, POSE_UNSUPPORTED, entry->skipped, "the entry is skipped: %s", entry->skipped);
    if (entry->size > archive->limits.unpacked)
        return error_limit(error, "max-unpacked",
                           "the entry unpacks to %llu bytes, more than the limit of %llu",
                           (unsigned long long)entry->size, (unsigned long long)archive->limits.unpacked);
    return true;
}

bool archive_check_size(const struct pose_archive *archive, uint64_t unpacked, uint64_t packed,
                        struct pose_error *error)
{
    const struct pose_limits *limits = &archive->limits;
    if (unpacked > limits->unpacked)
        return error_limit(error, "max-unpacked", "%llu bytes unpacked, more than the limit of %llu",
                           (unsigned long long)unpacked, (unsigned long long)limits->unpacked);
    if (unpacked > FREE_OF_RATIO && unpacked / limits->ratio > packed)
        return error_limit(error, "max-ratio", "%llu bytes unpack to %llu, more than %u times as many",
                           (unsigned long long)packed, (unsigned long long)unpacked, limits->ratio);
    return true;
}

bool archive_check_count(const struct pose_archive *archive, uint64_t count, struct pose_error *error)
{
    if (count > archive->limits.entries)
        return error_limit(error, "max-entries", "%llu entries, more than the limit of %u",
                           (unsigned long long)count, archive->limits.entries);
    return true;
}

bool pack_compression(const struct pack_job *job, const char *const *names, unsigned *choice)
{
    const struct pose_value *value = pose_value_find(job->settings, "compress");
    const char *name = names[0];
    if (value && value->kind == POSE_BOOL)
        name = value->as.boolean ? name : "none";
    else if (value)
        name = value->kind == POSE_STRING ? value->as.string : "";
    for (*choice = 0; names[*choice]; ++*choice) {
        if (!strcmp(names[*choice], name))
            return true;
    }
    return setting_refuse(job->error, "compress", "\"%s\" or \"none\", not \"%.60s\"", names[0], name);
}

/* ------------------------------------------------------------------------------------------------ names -- */

struct hashed_name {
    uint64_t hash;
    uint32_t index;
};

static int compare_hashes(const void *a, const void *b)
{
    const struct hashed_name *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static int compare_indices(const void *a, const void *b)
{
    const struct hashed_name *x = a, *y = b;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Moves names that repeat an earlier one to the front, in entry order; returns how many there are. */
static uint32_t keep_repeated(const struct pose_archive *archive, struct hashed_name *names, uint32_t count)
{
    uint32_t kept = 0, first = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (names[i].hash != names[first].hash ||
            !text_equal_nocase(archive->entries[names[i].index].name,
                               archive->entries[names[first].index].name))
            first = i;
        else
            names[kept++] = names[i]; /* writes at most over names[first], which has the same name */
    }
    qsort(names, kept, sizeof *names, compare_indices);
    return kept;
}

void archive_warn_duplicates(struct pose_archive *archive)
{
    uint32_t count = archive->entry_count;
    struct hashed_name *names = ARENA_NEW(&archive->arena, struct hashed_name, count);
    if (!names)
        return;
    for (uint32_t i = 0; i < count; i++)
        names[i] = (struct hashed_name){
            hash_fnv1a(archive->entries[i].name, strlen(archive->entries[i].name), true), i};
    qsort(names, count, sizeof *names, compare_hashes);
    count = keep_repeated(archive, names, count);
    for (uint32_t i = 0; i < count && i <= WARNINGS_PER_CODE; i++)
        warning_add(&archive->warnings, POSE_WARNING, "duplicate_name", POSE_NO_OFFSET,
                    "entries[%u] has the name of an earlier one: %s", names[i].index,
                    archive->entries[names[i].index].name);
}

static char *turn_slashes(char *name)
{
    for (char *p = name; p && *p; p++)
        *p = *p == '\\' ? '/' : *p;
    return name;
}

char *archive_name_windows1252(struct arena *arena, const uint8_t *bytes, size_t length)
{
    return turn_slashes(text_from_windows1252(arena, bytes, length));
}

char *archive_name(struct arena *arena, const uint8_t *bytes, size_t length)
{
    const uint8_t *nul = length ? memchr(bytes, 0, length) : NULL;
    length = nul ? (size_t)(nul - bytes) : length;
    if (!text_is_utf8((const char *)bytes, length))
        return archive_name_windows1252(arena, bytes, length);
    return turn_slashes(arena_text(arena, (const char *)bytes, length));
}
