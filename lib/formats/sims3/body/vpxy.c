/*
 * The Sims 3: the meshes of a part by level of detail, or an object's model and rig (VPXY, type 0x736884F1), a
 * single chunk:
 *
 *     "VPXY"  u32 4   u32 offset, size of the table of keys   u8 entries
 *         u8 0, u8 level, u8 n, u32 key each: meshes   |   u8 1, u32 key: another part
 *     u8 2   f32[6] bounds   u8[4]   u8 modular   [modular: i32 footprint, a key]   the table of keys
 *
 * Facts: sims3-geom.md, 3.
 */
#include "lib/formats/sims3/body/rcol.h"
#include "lib/formats/pages.h"

#define EXTENSIONS ".vpxy"

enum { VERSION = 4, KIND_MESHES = 0, KIND_PART = 1, MARK = 2, USUAL_PUBLIC = 1 };

struct vpxy {
    struct decode_job *job;
    struct rcol rcol;
    struct reader reader;
    struct rcol_keys keys;
    struct value_list extras;
};

/* A key by its number; null, with a warning, if there is none. */
static void put_key(struct vpxy *vpxy, struct value_list *list, const char *name, uint32_t index)
{
    if (index >= vpxy->keys.count) {
        warning_add(&vpxy->job->warnings, POSE_WARNING, "key_index", reader_last_offset(&vpxy->reader),
                    "%u is not the number of one of the %u keys", index, vpxy->keys.count);
        value_put_int(list, name, index);
        return;
    }
    value_put_string(list, name, sims3_key_text(list->arena, &vpxy->keys.items[index]));
}

static bool read_meshes(struct vpxy *vpxy, struct value_list *row)
{
    struct reader *reader = &vpxy->reader;
    value_put_int(row, "level", reader_u8(reader, "level"));
    uint32_t count = reader_u8(reader, "mesh_count");
    struct value_list meshes = value_array(vpxy->job->arena);
    if (!reader_count(reader, count, 4, "meshes", "truncated"))
        return false;
    for (uint32_t i = 0; i < count; i++)
        put_key(vpxy, &meshes, NULL, reader_u32le(reader, "mesh"));
    value_put_list(row, "meshes", &meshes);
    return true;
}

static bool read_entries(struct vpxy *vpxy)
{
    struct reader *reader = &vpxy->reader;
    struct value_list list = value_array(vpxy->job->arena);
    uint32_t count = reader_u8(reader, "entry_count");
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        struct value_list row = value_object(vpxy->job->arena);
        reader_enter(reader, "entries", i);
        uint32_t kind = reader_u8(reader, "kind");
        if (!reader->failed && kind > KIND_PART)
            return reader_fail(reader, "bad_kind", "%u is neither %d nor %d", kind, KIND_MESHES, KIND_PART);
        if (kind == KIND_PART)
            put_key(vpxy, &row, "part", reader_u32le(reader, "part"));
        else if (!read_meshes(vpxy, &row))
            return false;
        reader_leave(reader);
        value_put_list(&list, NULL, &row);
    }
    value_put_list(&vpxy->extras, "entries", &list);
    return !reader->failed;
}

static bool read_tail(struct vpxy *vpxy)
{
    struct reader *reader = &vpxy->reader;
    float bounds[6];
    uint32_t mark = reader_u8(reader, "mark");
    if (!reader->failed && mark != MARK)
        return reader_fail(reader, "bad_kind", "%u, not %d, after the entries", mark, MARK);
    for (int i = 0; i < 6; i++)
        bounds[i] = reader_finite_f32le(reader, "bounds", "non_finite");
    value_put_floats(&vpxy->extras, "bounds", bounds, 6);
    uint32_t unused = reader_u32le(reader, "unused");
    uint32_t modular = reader_u8(reader, "modular");
    if (unused)
        value_put_int(&vpxy->extras, "unused", unused);
    value_put_int(&vpxy->extras, "modular", modular);
    if (modular)
        put_key(vpxy, &vpxy->extras, "footprint", reader_u32le(reader, "footprint"));
    return !reader->failed;
}

static bool read_chunk(struct vpxy *vpxy)
{
    struct reader *reader = &vpxy->reader;
    if (!rcol_open(&vpxy->rcol, 0, "VPXY", reader))
        return false;
    uint32_t version = reader_u32le(reader, "version");
    if (!reader->failed && version != VERSION)
        return reader_fail(reader, "bad_version", "%u, not %d", version, VERSION);
    if (!rcol_read_keys(&vpxy->rcol, reader, &vpxy->keys) || !read_entries(vpxy) || !read_tail(vpxy))
        return false;
    rcol_check_end(&vpxy->rcol, reader, &vpxy->keys);
    return true;
}

static enum probe_result probe(const struct pose_source *source)
{
    return rcol_probe(source, "VPXY", EXTENSIONS);
}

static bool decode(struct decode_job *job)
{
    struct vpxy vpxy = {.job = job, .extras = value_object(job->arena)};
    struct pose_character *character = ARENA_NEW(job->arena, struct pose_character, 1);
    if (!character || !rcol_read(&vpxy.rcol, job) || !read_chunk(&vpxy))
        return false;
    sims3_put_keys(&vpxy.extras, "keys", vpxy.keys.items, vpxy.keys.count);
    rcol_put_extras(&vpxy.rcol, &vpxy.extras, USUAL_PUBLIC);
    *character = (struct pose_character){.type = "parts", .extras = value_done(&vpxy.extras)};
    job->document->characters = character;
    job->document->character_count = 1;
    return !job->arena->failed;
}

/* ----------------------------------------------------------------------------------------------- writing -- */

struct writing {
    struct encode_job *job;
    struct writer *writer;
    const struct sims3_resource *keys;
    uint32_t key_count;
};

/* A number as given, or that of a key. False, with an error, if it is neither. */
static bool write_key(struct writing *writing, const struct pose_value *value, const char *what)
{
    struct sims3_resource key;
    if (value && value->kind == POSE_INT) {
        writer_u32le(writing->writer, (uint32_t)value->as.integer);
        return true;
    }
    bool is_key = value && value->kind == POSE_STRING && sims3_key_from_text(value->as.string, &key);
    for (uint32_t i = 0; is_key && i < writing->key_count; i++) {
        const struct sims3_resource *one = &writing->keys[i];
        if (one->type == key.type && one->group == key.group && one->instance == key.instance) {
            writer_u32le(writing->writer, i);
            return true;
        }
    }
    return error_set(writing->job->error, POSE_BAD_DATA, "bad_key", "extras.%s: not among extras.keys", what);
}

static bool write_entry(struct writing *writing, const struct pose_value *entry)
{
    const struct pose_value *part = pose_value_find(entry, "part"),
                            *meshes = pose_value_find(entry, "meshes");
    if (part) {
        writer_u8(writing->writer, KIND_PART);
        return write_key(writing, part, "entries.part");
    }
    size_t count = meshes ? value_count(meshes) : 0;
    if (count > UINT8_MAX)
        return error_set(writing->job->error, POSE_BAD_DATA, "bad_count", "extras.entries: %zu meshes",
                         count);
    writer_u8(writing->writer, KIND_MESHES);
    writer_u8(writing->writer, (uint8_t)value_get_int(entry, "level", 0));
    writer_u8(writing->writer, (uint8_t)count);
    for (const struct pose_value *item = count ? meshes->first : NULL; item; item = item->next) {
        if (!write_key(writing, item, "entries.meshes"))
            return false;
    }
    return true;
}

static bool write_entries(struct writing *writing, const struct pose_value *extras)
{
    const struct pose_value *list = pose_value_find(extras, "entries");
    size_t count = list && list->kind == POSE_ARRAY ? value_count(list) : 0;
    if (count > UINT8_MAX)
        return error_set(writing->job->error, POSE_BAD_DATA, "bad_count",
                         "extras.entries: %zu, more than 255", count);
    writer_u8(writing->writer, (uint8_t)count);
    for (const struct pose_value *item = count ? list->first : NULL; item; item = item->next) {
        if (!write_entry(writing, item))
            return false;
    }
    return true;
}

static bool encode(struct encode_job *job)
{
    struct writing writing = {.job = job, .writer = job->writer};
    if (!job->content->character_count)
        return error_set(job->error, POSE_BAD_DATA, "no_character", "a VPXY holds one list of parts");
    const struct pose_value *extras = job->content->characters->extras;
    float bounds[6] = {0};
    if (!rcol_take_keys(job, extras, &writing.keys, &writing.key_count))
        return false;
    size_t chunk = rcol_begin(job->writer, extras, "VPXY", USUAL_PUBLIC);
    writer_u32le(job->writer, VERSION);
    size_t field = job->writer->out->size;
    writer_zeros(job->writer, 8);
    if (!write_entries(&writing, extras))
        return false;
    writer_u8(job->writer, MARK);
    value_get_floats(extras, "bounds", bounds, 6);
    for (int i = 0; i < 6; i++)
        writer_f32le(job->writer, bounds[i]);
    uint8_t modular = (uint8_t)value_get_int(extras, "modular", 0);
    writer_u32le(job->writer, (uint32_t)value_get_int(extras, "unused", 0));
    writer_u8(job->writer, modular);
    if (modular && !write_key(&writing, pose_value_find(extras, "footprint"), "footprint"))
        return false;
    rcol_end(job->writer, chunk, field, writing.keys, writing.key_count);
    return true;
}

const struct codec codec_sims3_vpxy = {
    .format = {.id = "sims3-vpxy",
               .title = "The Sims 3 list of meshes",
               .extensions = EXTENSIONS,
               .media_type = "application/x-sims3-vpxy",
               .kinds = "character",
               .is_linked = true},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(encode),
    .named_after_file = true,
};
