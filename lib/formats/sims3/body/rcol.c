#include "lib/formats/sims3/body/rcol.h"

#include "lib/core/text.h"

#include <inttypes.h>
#include <string.h>

enum {
    HEADER_SIZE = 20,
    KEY_SIZE = 16,
    INDEX_SIZE = 8,
    VERSION = 3,
    AT_PUBLIC = 4,
    AT_EXTERNAL_COUNT = 12,
    AT_CHUNK_COUNT = 16,
};

/* -------------------------------------------------------------------------------------------------- keys -- */

struct sims3_resource sims3_read_key(struct reader *reader, enum sims3_key_order order, const char *field)
{
    struct sims3_resource key = {0};
    if (order == KEY_TGI) {
        key.type = reader_u32le(reader, field);
        key.group = reader_u32le(reader, field);
        key.instance = reader_u64le(reader, field);
        return key;
    }
    key.instance = reader_u64le(reader, field);
    uint32_t first = reader_u32le(reader, field), second = reader_u32le(reader, field);
    key.type = order == KEY_ITG ? first : second;
    key.group = order == KEY_ITG ? second : first;
    return key;
}

void sims3_write_key(struct writer *writer, const struct sims3_resource *key, enum sims3_key_order order)
{
    if (order != KEY_TGI)
        writer_u64le(writer, key->instance);
    writer_u32le(writer, order == KEY_IGT ? key->group : key->type);
    writer_u32le(writer, order == KEY_IGT ? key->type : key->group);
    if (order == KEY_TGI)
        writer_u64le(writer, key->instance);
}

const char *sims3_key_text(struct arena *arena, const struct sims3_resource *key)
{
    return arena_format(arena, "%08" PRIX32 "-%08" PRIX32 "-%016" PRIX64, key->type, key->group,
                        key->instance);
}

bool sims3_key_from_text(const char *text, struct sims3_resource *key)
{
    struct pose_sims3_key parsed;
    if (!text || strlen(text) != SIMS3_KEY_TEXT - 1 || !pose_sims3_key(text, &parsed))
        return false;
    *key = (struct sims3_resource){parsed.type, parsed.group, parsed.instance};
    return true;
}

void sims3_put_keys(struct value_list *extras, const char *name, const struct sims3_resource *keys,
                    uint32_t count)
{
    struct value_list list = value_array(extras->arena);
    for (uint32_t i = 0; i < count; i++)
        value_put_string(&list, NULL, sims3_key_text(extras->arena, &keys[i]));
    value_put_list(extras, name, &list);
}

/* ------------------------------------------------------------------------------------------------ reading -- */

static uint32_t word_at(struct pose_bytes bytes, size_t at)
{
    const uint8_t *p = bytes.data + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Whether the bytes are a resource whose first chunk has that tag. */
static bool rcol_has_tag(const struct pose_source *source, const char *tag)
{
    struct pose_bytes bytes = source->bytes;
    if (bytes.size < HEADER_SIZE || word_at(bytes, 0) != VERSION)
        return false;
    uint64_t externals = word_at(bytes, AT_EXTERNAL_COUNT), chunks = word_at(bytes, AT_CHUNK_COUNT);
    uint64_t index = HEADER_SIZE + KEY_SIZE * (externals + chunks), end = index + INDEX_SIZE * chunks;
    if (!chunks || end > bytes.size)
        return false;
    uint64_t first = chunks == 1 ? end : word_at(bytes, (size_t)index);
    return first <= bytes.size && bytes.size - first >= RCOL_TAG &&
           !memcmp(bytes.data + first, tag, RCOL_TAG);
}

enum probe_result rcol_probe(const struct pose_source *source, const char *tag, const char *extensions)
{
    if (rcol_has_tag(source, tag))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, extensions) ? PROBE_NAME : PROBE_NO;
}

static bool read_counts(struct rcol *rcol)
{
    struct reader *reader = &rcol->reader;
    rcol->version = reader_u32le(reader, "version");
    rcol->public_count = reader_u32le(reader, "public_chunks");
    rcol->unused = reader_u32le(reader, "unused");
    rcol->external_count = reader_u32le(reader, "external_keys");
    if (!reader->failed && rcol->external_count > RCOL_MAX_KEYS)
        return reader_fail(reader, "bad_count", "%u keys; at most %d", rcol->external_count, RCOL_MAX_KEYS);
    rcol->chunk_count = reader_u32le(reader, "chunks");
    if (!reader->failed && (!rcol->chunk_count || rcol->chunk_count > RCOL_MAX_CHUNKS))
        return reader_fail(reader, "bad_count", "%u chunks; 1 to %d", rcol->chunk_count, RCOL_MAX_CHUNKS);
    uint64_t size =
        (uint64_t)rcol->chunk_count * (KEY_SIZE + INDEX_SIZE) + (uint64_t)rcol->external_count * KEY_SIZE;
    if (!reader->failed && size > reader_left(reader))
        return reader_fail(reader, "truncated", "a table of %llu bytes, %zu bytes left",
                           (unsigned long long)size, reader_left(reader));
    if (!reader->failed && rcol->version != VERSION)
        warning_add(&rcol->job->warnings, POSE_WARNING, "rcol_version", 0,
                    "version %u of the container, not %d", rcol->version, VERSION);
    return !reader->failed;
}

/* A single chunk extends to the end, whatever the table says; with several chunks the table counts. */
static bool read_extents(struct rcol *rcol, struct rcol_chunk *chunks)
{
    struct reader *reader = &rcol->reader;
    uint64_t start = reader_offset(reader) + (uint64_t)rcol->chunk_count * INDEX_SIZE;
    uint64_t file = rcol->job->source->bytes.size;
    for (uint32_t i = 0; i < rcol->chunk_count; i++) {
        struct rcol_chunk *chunk = &chunks[i];
        reader_enter(reader, "chunks", i);
        chunk->offset = reader_u32le(reader, "position");
        chunk->size = reader_u32le(reader, "size");
        if (rcol->chunk_count > 1 &&
            (chunk->offset < start || chunk->offset > file || chunk->size > file - chunk->offset))
            return reader_fail(reader, "bad_offset", "%llu bytes at %llu; chunks lie from %llu to %llu",
                               (unsigned long long)chunk->size, (unsigned long long)chunk->offset,
                               (unsigned long long)start, (unsigned long long)file);
        reader_leave(reader);
    }
    if (rcol->chunk_count > 1)
        return true;
    if (chunks->offset != start || chunks->size != file - start)
        warning_add(&rcol->job->warnings, POSE_WARNING, "rcol_index", start - INDEX_SIZE,
                    "the lone chunk is at %llu with %llu bytes, not at %llu with %llu",
                    (unsigned long long)start, (unsigned long long)(file - start),
                    (unsigned long long)chunks->offset, (unsigned long long)chunks->size);
    chunks->offset = start;
    chunks->size = file - start;
    return true;
}

bool rcol_read(struct rcol *rcol, struct decode_job *job)
{
    *rcol = (struct rcol){.job = job};
    reader_init(&rcol->reader, job->source->bytes, job->error);
    if (!read_counts(rcol))
        return false;
    struct rcol_chunk *chunks = ARENA_NEW(job->arena, struct rcol_chunk, rcol->chunk_count);
    struct sims3_resource *externals = ARENA_NEW(job->arena, struct sims3_resource, rcol->external_count);
    if (!chunks || !externals)
        return false;
    for (uint32_t i = 0; i < rcol->chunk_count; i++)
        chunks[i].key = sims3_read_key(&rcol->reader, KEY_ITG, "chunk_key");
    for (uint32_t i = 0; i < rcol->external_count; i++)
        externals[i] = sims3_read_key(&rcol->reader, KEY_ITG, "external_key");
    rcol->chunks = chunks;
    rcol->externals = externals;
    return read_extents(rcol, chunks) && !rcol->reader.failed;
}

bool rcol_open(struct rcol *rcol, uint32_t chunk, const char *tag, struct reader *part)
{
    const struct rcol_chunk *at = &rcol->chunks[chunk];
    if (!reader_part(&rcol->reader, part, at->offset, at->size, tag))
        return false;
    const uint8_t *found = reader_bytes(part, RCOL_TAG, "tag");
    if (!found)
        return false;
    return !memcmp(found, tag, RCOL_TAG) ||
           reader_fail_at(part, at->offset, "tag", chunk ? "bad_reference" : "bad_magic",
                          "chunk %u is not a %s", chunk, tag);
}

bool rcol_read_keys(struct rcol *rcol, struct reader *part, struct rcol_keys *keys)
{
    *keys = (struct rcol_keys){0};
    uint64_t at = reader_offset(part) + 4;
    uint32_t offset = reader_u32le(part, "key_table_offset");
    uint32_t size = reader_u32le(part, "key_table_size");
    uint64_t end = part->base + (uint64_t)(part->end - part->start);
    if (part->failed || !size)
        return !part->failed;
    at += offset;
    if (at > end || end - at < 4)
        return reader_fail_at(part, at - offset - 4, "key_table_offset", "bad_offset",
                              "leads to byte %llu of %llu", (unsigned long long)at, (unsigned long long)end);
    struct reader table;
    if (!reader_part(part, &table, at, end - at, "keys"))
        return false;
    keys->count = reader_u32le(&table, "key_count");
    if (!table.failed && keys->count > RCOL_MAX_KEYS)
        return reader_fail(&table, "bad_count", "%u keys; at most %d", keys->count, RCOL_MAX_KEYS);
    if (!reader_count(&table, keys->count, KEY_SIZE, "keys", "truncated"))
        return false;
    struct sims3_resource *items = ARENA_NEW(rcol->job->arena, struct sims3_resource, keys->count);
    for (uint32_t i = 0; items && i < keys->count; i++)
        items[i] = sims3_read_key(&table, KEY_TGI, "key");
    if (size != 4 + (uint64_t)KEY_SIZE * keys->count)
        warning_add(&rcol->job->warnings, POSE_WARNING, "key_table_size", at - offset,
                    "%u bytes are said to be %u keys", size, keys->count);
    keys->items = items;
    keys->start = at;
    keys->end = reader_offset(&table);
    return items && !table.failed;
}

void rcol_check_end(struct rcol *rcol, const struct reader *part, const struct rcol_keys *keys)
{
    uint64_t at = reader_offset(part), last = part->base + (uint64_t)(part->end - part->start);
    if (part->failed)
        return;
    if (keys->end && keys->start != at)
        warning_add(&rcol->job->warnings, POSE_WARNING, "key_table_moved", keys->start,
                    "the table of keys is not where the fields end, at %llu", (unsigned long long)at);
    if (keys->end > at)
        at = keys->end;
    if (at < last)
        warning_add(&rcol->job->warnings, POSE_WARNING, "trailing_bytes", at, "%llu bytes after the end",
                    (unsigned long long)(last - at));
}

/* ----------------------------------------------------------------------------------------------- writing -- */

static const struct sims3_resource no_key;

void rcol_put_extras(const struct rcol *rcol, struct value_list *extras, uint32_t usual_public)
{
    bool has_key = memcmp(&rcol->chunks->key, &no_key, sizeof no_key) != 0;
    if (rcol->version == VERSION && rcol->public_count == usual_public && !rcol->unused &&
        !rcol->external_count && !has_key)
        return;
    struct value_list header = value_object(extras->arena);
    value_put_int(&header, "version", rcol->version);
    value_put_int(&header, "public_chunks", rcol->public_count);
    value_put_int(&header, "unused", rcol->unused);
    value_put_string(&header, "key", sims3_key_text(extras->arena, &rcol->chunks->key));
    if (rcol->external_count)
        sims3_put_keys(&header, "external_keys", rcol->externals, rcol->external_count);
    value_put_list(extras, "rcol", &header);
}

static void write_key_text(struct writer *writer, const char *text)
{
    struct sims3_resource key = no_key;
    sims3_key_from_text(text, &key);
    sims3_write_key(writer, &key, KEY_ITG);
}

size_t rcol_begin(struct writer *writer, const struct pose_value *extras, const char *tag,
                  uint32_t usual_public)
{
    const struct pose_value *header = pose_value_find(extras, "rcol");
    const struct pose_value *externals = pose_value_find(header, "external_keys");
    bool is_list = externals && externals->kind == POSE_ARRAY;
    writer_u32le(writer, (uint32_t)value_get_int(header, "version", VERSION));
    writer_u32le(writer, (uint32_t)value_get_int(header, "public_chunks", usual_public));
    writer_u32le(writer, (uint32_t)value_get_int(header, "unused", 0));
    writer_u32le(writer, is_list ? (uint32_t)value_count(externals) : 0);
    writer_u32le(writer, 1);
    write_key_text(writer, value_get_string(header, "key", ""));
    for (const struct pose_value *item = is_list ? externals->first : NULL; item; item = item->next)
        write_key_text(writer, item->kind == POSE_STRING ? item->as.string : "");
    size_t chunk = writer->out->size + INDEX_SIZE;
    writer_u32le(writer, (uint32_t)chunk);
    writer_u32le(writer, 0);
    writer_text(writer, tag);
    return chunk;
}

void rcol_end(struct writer *writer, size_t chunk, size_t table_field, const struct sims3_resource *keys,
              uint32_t key_count)
{
    if (table_field) {
        writer_patch_u32le(writer, table_field, (uint32_t)(writer->out->size - table_field - 4));
        writer_patch_u32le(writer, table_field + 4, 4 + KEY_SIZE * key_count);
        writer_u32le(writer, key_count);
    }
    for (uint32_t i = 0; i < key_count; i++)
        sims3_write_key(writer, &keys[i], KEY_TGI);
    writer_patch_u32le(writer, chunk - 4, (uint32_t)(writer->out->size - chunk));
}

bool rcol_take_keys(struct encode_job *job, const struct pose_value *extras,
                    const struct sims3_resource **keys, uint32_t *count)
{
    const struct pose_value *list = pose_value_find(extras, "keys");
    *count = list && list->kind == POSE_ARRAY ? (uint32_t)value_count(list) : 0;
    struct sims3_resource *items = ARENA_NEW(job->arena, struct sims3_resource, *count);
    uint32_t i = 0;
    for (const struct pose_value *item = items && *count ? list->first : NULL; item; item = item->next, i++) {
        if (item->kind != POSE_STRING || !sims3_key_from_text(item->as.string, &items[i]))
            return error_set(job->error, POSE_BAD_DATA, "bad_key", "extras.keys[%u]: not a key", i);
    }
    *keys = items;
    return items && (*count <= RCOL_MAX_KEYS ||
                     error_limit(job->error, "keys", "%u keys; at most %d", *count, RCOL_MAX_KEYS));
}
