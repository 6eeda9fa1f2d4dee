#include "lib/formats/sims3/clip/ik.h"

enum {
    TEXT_SIZE = 512,
    TARGET_SIZE = 4 + 2 * TEXT_SIZE,
    CHAIN_LIMIT = 1024,       /* per table, and targets per chain */
    ALL_TARGETS_LIMIT = 4096, /* per table: chains may overlap */
};

#define CHAIN_PADDING 0x7e7e7e7eu

/* ----------------------------------------------------------------------------------------------- reading -- */

static const char *read_field(struct sims3_file *file, struct reader *reader, const char *field)
{
    uint64_t at = reader_offset(reader);
    const char *text = sims3_read_text(file, reader, TEXT_SIZE, field);
    reader_seek(reader, at, field);
    reader_skip(reader, TEXT_SIZE, field);
    sims3_know_name(file, text);
    return text;
}

static bool read_target(struct sims3_file *file, struct reader *reader, struct value_list *targets)
{
    struct value_list target = value_object(file->job->arena);
    uint32_t index = reader_u32le(reader, "index");
    const char *actor = read_field(file, reader, "actor"), *slot = read_field(file, reader, "slot");
    value_put_int(&target, "index", index);
    value_put_string(&target, "actor", actor);
    value_put_string(&target, "slot", slot);
    value_put_list(targets, NULL, &target);
    sims3_used(file, reader);
    return !reader->failed;
}

static bool check_count(struct reader *reader, uint32_t count, const char *what)
{
    if (count > CHAIN_LIMIT)
        return reader_fail(reader, "count_too_large", "%u %s, more than %d", count, what, CHAIN_LIMIT);
    return reader_count(reader, count, 4, what, "count_too_large");
}

static bool read_targets(struct sims3_file *file, struct reader *reader, struct value_list *targets,
                         uint32_t *all_targets)
{
    reader_skip(reader, 4, "padding");
    uint32_t count = reader_u32le(reader, "target_count");
    if (!check_count(reader, count, "targets"))
        return false;
    *all_targets += count;
    if (*all_targets > ALL_TARGETS_LIMIT)
        return reader_fail(reader, "count_too_large", "more than %d targets in total", ALL_TARGETS_LIMIT);
    uint64_t base = reader_offset(reader);
    for (uint32_t i = 0; i < count; i++) {
        reader_enter(reader, "targets", i);
        sims3_go(reader, base + 4 * (uint64_t)i, "offset");
        uint32_t offset = reader_u32le(reader, "offset");
        if (!sims3_go(reader, base + offset, "offset") || !read_target(file, reader, targets))
            return false;
        reader_leave(reader);
    }
    return true;
}

static bool read_chain(struct sims3_file *file, struct reader *reader, struct value_list *chains,
                       uint32_t *all_targets)
{
    struct value_list chain = value_object(file->job->arena), targets = value_array(file->job->arena);
    if (!read_targets(file, reader, &targets, all_targets))
        return false;
    value_put_list(&chain, "targets", &targets);
    value_put_list(chains, NULL, &chain);
    sims3_used(file, reader);
    return true;
}

bool sims3_ik_read(struct sims3_file *file, uint64_t at, struct value_list *extras)
{
    struct reader *reader = &file->reader;
    struct value_list chains = value_array(file->job->arena);
    uint32_t all_targets = 0;
    if (!at) {
        value_put_null(extras, "ik_chains");
        return true;
    }
    sims3_go(reader, at, "ik_table");
    uint32_t count = reader_u32le(reader, "ik_chain_count");
    if (!check_count(reader, count, "chains"))
        return false;
    uint64_t base = reader_offset(reader);
    sims3_used(file, reader);
    for (uint32_t i = 0; i < count; i++) {
        reader_enter(reader, "ik_chains", i);
        sims3_go(reader, base + 4 * (uint64_t)i, "offset");
        uint32_t offset = reader_u32le(reader, "offset");
        if (!sims3_go(reader, base + offset, "offset") || !read_chain(file, reader, &chains, &all_targets))
            return false;
        reader_leave(reader);
    }
    value_put_list(extras, "ik_chains", &chains);
    return true;
}

/* ----------------------------------------------------------------------------------------------- writing -- */

static bool write_field(struct encode_job *job, const struct pose_value *target, const char *key)
{
    const char *text = value_get_string(target, key, "");
    size_t length = strlen(text);
    if (length >= TEXT_SIZE)
        return error_set(job->error, POSE_BAD_ARGUMENT, "text_too_long",
                         "ik_chains: %s of %zu bytes, longer than %d", key, length, TEXT_SIZE - 1);
    uint8_t *to = writer_reserve(job->writer, TEXT_SIZE);
    if (!to)
        return false;
    memset(to, '#', TEXT_SIZE);
    memcpy(to, text, length + 1);
    writer_commit(job->writer, TEXT_SIZE);
    return true;
}

static const struct pose_value *items_of(const struct pose_value *list)
{
    return list && list->kind == POSE_ARRAY ? list->first : NULL;
}

static uint32_t count_of(const struct pose_value *list)
{
    return list && list->kind == POSE_ARRAY ? (uint32_t)value_count(list) : 0;
}

static bool write_targets(struct encode_job *job, const struct pose_value *targets)
{
    uint32_t count = count_of(targets);
    writer_u32le(job->writer, CHAIN_PADDING);
    writer_u32le(job->writer, count);
    for (uint32_t i = 0; i < count; i++)
        writer_u32le(job->writer, 4 * count + i * TARGET_SIZE);
    for (const struct pose_value *target = items_of(targets); target; target = target->next) {
        writer_u32le(job->writer, (uint32_t)value_get_int(target, "index", 0));
        if (!write_field(job, target, "actor") || !write_field(job, target, "slot"))
            return false;
    }
    return true;
}

bool sims3_ik_write(struct encode_job *job, const struct pose_value *chains)
{
    uint32_t count = count_of(chains), offset = 4 * count, all_targets = 0;
    for (const struct pose_value *chain = items_of(chains); chain; chain = chain->next) {
        uint32_t targets = count_of(pose_value_find(chain, "targets"));
        all_targets = targets > ALL_TARGETS_LIMIT ? UINT32_MAX / 2 : all_targets + targets;
        if (count > CHAIN_LIMIT || targets > CHAIN_LIMIT || all_targets > ALL_TARGETS_LIMIT)
            return error_set(job->error, POSE_BAD_ARGUMENT, "too_many_targets",
                             "ik_chains: up to %d chains of %d targets, %d in all", CHAIN_LIMIT, CHAIN_LIMIT,
                             ALL_TARGETS_LIMIT);
    }
    writer_u32le(job->writer, count);
    for (const struct pose_value *chain = items_of(chains); chain; chain = chain->next) {
        writer_u32le(job->writer, offset);
        offset += 8 + count_of(pose_value_find(chain, "targets")) * (4 + TARGET_SIZE);
    }
    for (const struct pose_value *chain = items_of(chains); chain; chain = chain->next) {
        if (!write_targets(job, pose_value_find(chain, "targets")))
            return false;
    }
    return true;
}
