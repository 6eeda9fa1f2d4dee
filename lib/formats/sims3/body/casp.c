/*
 * The Sims 3: a part that a sim wears (CASP, type 0x034AEECB):
 *
 *     u32 version, u32 offset of the table of keys from byte 8
 *     u32 n presets: u32 characters, UTF-16LE, u32     str7 name   f32 priority   u8 own texture space
 *     u32 clothing type, part types, age and sex, categories   u8[6] keys   u32 overlay   list8 VPXY
 *     u8 n levels: u8 level, u32 texture, u8 m, u32[3] each     list8[5]   str7 shoe material
 *     u8 n, 16 bytes each: the table of keys
 *
 * list8 is u8 n and a key number each, str7 a length in bytes of seven bits and UTF-16BE. Facts:
 * sims3-geom.md, 4.
 */
#include "lib/formats/sims3/body/casp.h"
#include "lib/formats/pages.h"

#include <string.h>

#define EXTENSIONS ".casp"

enum { LAST_TYPE = 59, MAX_SPECIES = 6 };

static const char *const number_names[CASP_NUMBERS] = {"clothing_type", "part_types", "age_and_sex",
                                                       "categories"};
static const char *const part_names[CASP_PARTS] = {"naked", "parent", "fat", "fit", "thin", "special"};
static const char *const list_names[CASP_LISTS] = {"diffuse", "specular", "diffuse2", "specular2",
                                                   "bone_deltas"};

const char *casp_number_name(unsigned i)
{
    return number_names[i];
}

const char *casp_part_name(unsigned i)
{
    return part_names[i];
}

const char *casp_list_name(unsigned i)
{
    return list_names[i];
}

struct casp {
    struct decode_job *job;
    struct reader reader;
    struct value_list extras;
    uint64_t table; /* offset of the table of keys */
    uint32_t key_count;
    const struct sims3_resource *keys;
};

/* ------------------------------------------------------------------------------------------------- texts -- */

static size_t put_utf8(char *to, uint32_t c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const uint8_t heads[] = {0, 0xc0, 0xe0, 0xf0};
    to[0] = (char)(heads[more] | c >> 6 * more);
    for (size_t i = 1; i <= more; i++)
        to[i] = (char)(0x80 | (c >> 6 * (more - i) & 0x3f));
    return more + 1;
}

/* UTF-16 as UTF-8; NUL and unpaired surrogates become U+FFFD. */
static const char *read_utf16(struct casp *casp, const uint8_t *bytes, size_t units, bool is_big)
{
    enum { REPLACEMENT = 0xfffd };
    char *text = ARENA_NEW(casp->job->arena, char, 3 * units + 1), *to = text;
    for (size_t i = 0; text && i < units; i++) {
        const uint8_t *p = bytes + 2 * i;
        uint32_t c = is_big ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
        if (c >= 0xd800 && c < 0xdc00 && i + 1 < units) {
            uint32_t low = is_big ? (uint32_t)p[2] << 8 | p[3] : (uint32_t)p[3] << 8 | p[2];
            bool is_pair = low >= 0xdc00 && low < 0xe000;
            c = is_pair ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : REPLACEMENT;
            i += is_pair;
        } else if (!c || (c >= 0xd800 && c < 0xe000)) {
            c = REPLACEMENT;
        }
        to += put_utf8(to, c);
    }
    return text;
}

static const char *read_str7(struct casp *casp, const char *field)
{
    enum { MAX_BYTES = 3 };
    struct reader *reader = &casp->reader;
    uint32_t length = 0, byte = 0x80;
    for (unsigned i = 0; i <= MAX_BYTES && (byte & 0x80) && !reader->failed; i++) {
        byte = reader_u8(reader, field);
        if (i == MAX_BYTES) {
            reader_fail(reader, "bad_string", "a length of more than %d bytes", MAX_BYTES);
            return NULL;
        }
        length |= (byte & 0x7f) << 7 * i;
    }
    if (!reader->failed && length % 2) {
        reader_fail(reader, "bad_string", "%u bytes are not whole characters", length);
        return NULL;
    }
    const uint8_t *bytes = reader_bytes(reader, length, field);
    return bytes ? read_utf16(casp, bytes, length / 2, true) : NULL;
}

/* -------------------------------------------------------------------------------------------------- keys -- */

static bool read_keys(struct casp *casp)
{
    struct reader *reader = &casp->reader, table;
    uint64_t here = reader_offset(reader) + 4, size = casp->job->source->bytes.size;
    uint32_t offset = reader_u32le(reader, "key_table_offset");
    casp->table = here + offset;
    if (reader->failed)
        return false;
    if (casp->table >= size)
        return reader_fail(reader, "bad_offset", "leads to byte %llu of %llu",
                           (unsigned long long)casp->table, (unsigned long long)size);
    if (!reader_part(reader, &table, casp->table, size - casp->table, "keys"))
        return false;
    casp->key_count = reader_u8(&table, "key_count");
    if (!reader_count(&table, casp->key_count, 16, "keys", "truncated"))
        return false;
    struct sims3_resource *keys = ARENA_NEW(casp->job->arena, struct sims3_resource, casp->key_count);
    for (uint32_t i = 0; keys && i < casp->key_count; i++)
        keys[i] = sims3_read_key(&table, KEY_IGT, "key");
    casp->keys = keys;
    if (keys && reader_left(&table))
        warning_add(&casp->job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(&table),
                    "%zu bytes after the end", reader_left(&table));
    return keys && reader_part(reader, &casp->reader, here, casp->table - here, "fields");
}

static void put_index(struct casp *casp, struct value_list *list, const char *name, bool may_miss)
{
    uint32_t index = reader_u8(&casp->reader, name ? name : "key");
    if (index >= casp->key_count && !may_miss)
        warning_add(&casp->job->warnings, POSE_WARNING, "key_index", reader_last_offset(&casp->reader),
                    "%u is not the number of one of the %u keys", index, casp->key_count);
    value_put_int(list, name, index);
}

static bool take_list(struct casp *casp, const char *name)
{
    struct reader *reader = &casp->reader;
    struct value_list list = value_array(casp->job->arena);
    uint32_t count = reader_u8(reader, name);
    if (!reader_count(reader, count, 1, name, "truncated"))
        return false;
    for (uint32_t i = 0; i < count; i++)
        put_index(casp, &list, NULL, false);
    value_put_list(&casp->extras, name, &list);
    return true;
}

/* ------------------------------------------------------------------------------------------------ fields -- */

static bool take_presets(struct casp *casp)
{
    struct reader *reader = &casp->reader;
    struct value_list list = value_array(casp->job->arena);
    uint32_t count = reader_u32le(reader, "preset_count");
    if (!reader_count(reader, count, 8, "presets", "bad_count"))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct value_list preset = value_object(casp->job->arena);
        reader_enter(reader, "presets", i);
        uint32_t length = reader_u32le(reader, "length");
        if (!reader_count(reader, length, 2, "characters", "truncated"))
            return false;
        const uint8_t *bytes = reader_bytes(reader, 2 * (uint64_t)length, "text");
        value_put_string(&preset, "xml", bytes ? read_utf16(casp, bytes, length, false) : NULL);
        value_put_int(&preset, "number", reader_u32le(reader, "number"));
        reader_leave(reader);
        if (reader->failed)
            return false;
        value_put_list(&list, NULL, &preset);
    }
    value_put_list(&casp->extras, "presets", &list);
    return true;
}

static void check_numbers(struct casp *casp, const uint32_t *numbers, uint64_t offset)
{
    uint32_t type = numbers[CASP_CLOTHING], species = numbers[CASP_AGE] >> 8 & 15;
    if (!type || type > LAST_TYPE)
        warning_add(&casp->job->warnings, POSE_WARNING, "clothing_type", offset, "%u is not a known type",
                    type);
    if (species > MAX_SPECIES)
        warning_add(&casp->job->warnings, POSE_WARNING, "species", offset + 8, "%u is not a known species",
                    species);
}

static void take_numbers(struct casp *casp)
{
    struct reader *reader = &casp->reader;
    uint32_t numbers[CASP_NUMBERS];
    uint64_t offset = reader_offset(reader);
    for (int i = 0; i < CASP_NUMBERS; i++) {
        numbers[i] = reader_u32le(reader, number_names[i]);
        value_put_int(&casp->extras, number_names[i], numbers[i]);
    }
    if (!reader->failed)
        check_numbers(casp, numbers, offset);
    struct value_list parts = value_object(casp->job->arena);
    for (int i = 0; i < CASP_PARTS; i++)
        put_index(casp, &parts, part_names[i], true);
    value_put_list(&casp->extras, "parts", &parts);
    value_put_int(&casp->extras, "overlay_priority", reader_u32le(reader, "overlay_priority"));
}

static bool take_levels(struct casp *casp)
{
    struct reader *reader = &casp->reader;
    struct value_list list = value_array(casp->job->arena);
    uint32_t count = reader_u8(reader, "level_count");
    for (uint32_t i = 0; i < count; i++) {
        struct value_list row = value_object(casp->job->arena), meshes = value_array(casp->job->arena);
        reader_enter(reader, "levels", i);
        value_put_int(&row, "level", reader_u8(reader, "level"));
        value_put_int(&row, "texture", reader_u32le(reader, "texture"));
        uint32_t numbers = 3 * (uint32_t)reader_u8(reader, "mesh_count");
        if (!reader_count(reader, numbers, 4, "meshes", "truncated"))
            return false;
        for (uint32_t k = 0; k < numbers; k++)
            value_put_int(&meshes, NULL, reader_u32le(reader, "mesh"));
        reader_leave(reader);
        value_put_list(&row, "meshes", &meshes);
        value_put_list(&list, NULL, &row);
    }
    value_put_list(&casp->extras, "levels", &list);
    return !reader->failed;
}

static bool take_fields(struct casp *casp, const char **name)
{
    struct reader *reader = &casp->reader;
    if (!take_presets(casp) || !(*name = read_str7(casp, "name")))
        return false;
    value_put_float(&casp->extras, "priority", reader_finite_f32le(reader, "priority", "non_finite"));
    value_put_int(&casp->extras, "own_texture_space", reader_u8(reader, "own_texture_space"));
    take_numbers(casp);
    if (!take_list(casp, "vpxy") || !take_levels(casp))
        return false;
    for (int i = 0; i < CASP_LISTS; i++) {
        if (!take_list(casp, list_names[i]))
            return false;
    }
    const char *shoes = read_str7(casp, "shoe_material");
    value_put_string(&casp->extras, "shoe_material", shoes);
    if (!shoes)
        return false;
    return !reader_left(reader) ||
           reader_fail_at(reader, reader_offset(reader), NULL, "bad_offset",
                          "%zu bytes lie between the fields and the table of keys", reader_left(reader));
}

/* ---------------------------------------------------------------------------------------------- the codec -- */

static bool read_casp(struct casp *casp, const char **name)
{
    struct reader *reader = &casp->reader;
    uint32_t version = reader_u32le(reader, "version");
    if (!reader->failed && !version)
        return reader_fail(reader, "bad_version", "invalid version 0");
    if (!reader->failed && version != CASP_VERSION)
        warning_add(&casp->job->warnings, POSE_WARNING, "casp_version", 0, "version %u is read as %d",
                    version, CASP_VERSION);
    value_put_int(&casp->extras, "version", version);
    return read_keys(casp) && take_fields(casp, name);
}

/* The table of keys must be at its offset and end with the file. */
static bool is_casp(struct pose_bytes bytes)
{
    enum { HEAD = 8, MIN_VERSION = 8, MAX_VERSION = 64 };
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    uint32_t version = reader_u32le(&reader, "version"), offset = reader_u32le(&reader, "offset");
    if (reader.failed || version < MIN_VERSION || version > MAX_VERSION ||
        !reader_seek(&reader, HEAD + (uint64_t)offset, "keys"))
        return false;
    uint32_t count = reader_u8(&reader, "count");
    return !reader.failed && count && reader_left(&reader) == 16 * (size_t)count;
}

static enum probe_result probe(const struct pose_source *source)
{
    enum { STRUCTURE = 60 }; /* minimum size of all fields */
    if (source->bytes.size >= STRUCTURE && is_casp(source->bytes)) {
        struct reader reader;
        reader_init(&reader, source->bytes, NULL);
        reader_skip(&reader, 8, "head");
        uint32_t presets = reader_u32le(&reader, "presets");
        if (presets <= reader_left(&reader) / 8)
            return PROBE_SURE;
    }
    return PROBE_BY_NAME;
}

static bool decode(struct decode_job *job)
{
    struct casp casp = {.job = job, .extras = value_object(job->arena)};
    struct pose_character *character = ARENA_NEW(job->arena, struct pose_character, 1);
    const char *name = NULL;
    reader_init(&casp.reader, job->source->bytes, job->error);
    if (!character || !read_casp(&casp, &name))
        return false;
    sims3_put_keys(&casp.extras, "keys", casp.keys, casp.key_count);
    *character = (struct pose_character){
        .name = *name ? name : NULL, .type = "part", .extras = value_done(&casp.extras)};
    job->document->characters = character;
    job->document->character_count = 1;
    return !job->arena->failed;
}

const struct codec codec_sims3_casp = {
    .format = {.id = "sims3-casp",
               .title = "The Sims 3 part of a sim",
               .extensions = EXTENSIONS,
               .media_type = "application/x-sims3-casp",
               .kinds = "character",
               .is_linked = true},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(casp_encode),
};
