#include "lib/formats/sims3/file.h"

#include "lib/core/hash.h"
#include "lib/core/text.h"

#include <stdlib.h>
#include <string.h>

void sims3_file_init(struct sims3_file *file, struct decode_job *job)
{
    *file = (struct sims3_file){.job = job};
    reader_init(&file->reader, job->source->bytes, job->error);
    /* Actors are named by a letter, usually x and y. */
    for (char letter = 'a'; letter <= 'z'; letter++)
        sims3_know_name(file, arena_text(job->arena, &letter, 1));
}

uint64_t sims3_follow(struct reader *reader, const char *field)
{
    uint64_t address = reader_offset(reader);
    uint32_t value = reader_u32le(reader, field);
    return value ? address + value : 0;
}

bool sims3_go(struct reader *reader, uint64_t offset, const char *field)
{
    uint64_t end = reader->base + (uint64_t)(reader->end - reader->start);
    if (reader->failed)
        return false;
    if (offset < reader->base || offset > end)
        return reader_fail_at(reader, reader_last_offset(reader), field, "bad_offset",
                              "leads to byte %llu, outside of %llu to %llu", (unsigned long long)offset,
                              (unsigned long long)reader->base, (unsigned long long)end);
    return reader_seek(reader, offset, field);
}

void sims3_used(struct sims3_file *file, const struct reader *reader)
{
    if (!reader->failed && reader_offset(reader) > file->end)
        file->end = reader_offset(reader);
}

const char *sims3_read_text(struct sims3_file *file, struct reader *reader, size_t capacity,
                            const char *field)
{
    if (reader->failed)
        return NULL;
    uint64_t at = reader_offset(reader);
    const char *text = (const char *)reader->at;
    size_t left = reader_left(reader), room = left < capacity ? left : capacity;
    size_t length = room ? strnlen(text, room) : 0;
    bool is_utf8;
    if (length == room) {
        reader_fail_at(reader, at, field, "unterminated_string", "no NUL within %zu bytes", room);
        return NULL;
    }
    reader_skip(reader, length + 1, field);
    const char *copy = text_from_bytes(file->job->arena, text, length, &is_utf8);
    if (copy && !is_utf8)
        warning_add(&file->job->warnings, POSE_WARNING, "name_not_utf8", at,
                    "%s \"%.40s\" is not UTF-8; it was read as Windows-1252", field, copy);
    return copy;
}

void sims3_know_name(struct sims3_file *file, const char *name)
{
    struct sims3_key *names = arena_grow(file->job->arena, file->names, file->name_count,
                                         &file->name_capacity, sizeof *file->names);
    if (!names || !name)
        return;
    file->names = names;
    names[file->name_count++] = (struct sims3_key){hash_fnv32(name, strlen(name)), name};
}

static int compare_keys(const void *a, const void *b)
{
    const struct sims3_key *x = a, *y = b;
    int order = x->key < y->key ? -1 : x->key > y->key;
    return order ? order : strcmp(x->name, y->name);
}

void sims3_sort_names(struct sims3_file *file)
{
    if (file->name_count)
        qsort(file->names, file->name_count, sizeof *file->names, compare_keys);
}

const char *sims3_name_hash(const struct sims3_file *file, uint32_t hash)
{
    const char *bone = sims3_bone_name(hash);
    uint32_t low = 0, high = file->name_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (file->names[middle].key < hash)
            low = middle + 1;
        else
            high = middle;
    }
    if (!bone && low < file->name_count && file->names[low].key == hash)
        return file->names[low].name;
    return bone;
}
