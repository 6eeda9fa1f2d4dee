/* Writing CASP: a decoded file round-trips byte for byte. Facts: sims3-geom.md, 4 and 10. */
#include "lib/formats/sims3/body/casp.h"

#include <string.h>

struct writing {
    struct encode_job *job;
    struct writer *writer;
    const struct pose_value *extras;
};

static bool refuse(struct writing *writing, const char *field, const char *reason)
{
    return error_set(writing->job->error, POSE_BAD_DATA, "bad_value", "extras.%s: %s", field, reason);
}

static void put_unit(struct writer *writer, uint32_t unit, bool is_big)
{
    if (is_big)
        writer_u16be(writer, (uint16_t)unit);
    else
        writer_u16le(writer, (uint16_t)unit);
}

/* Writes text as UTF-16, or only counts its units (writer NULL). */
static uint32_t put_utf16(struct writer *writer, const char *text, bool is_big)
{
    uint32_t units = 0;
    const uint8_t *at = (const uint8_t *)text;
    while (*at) {
        uint32_t more = *at < 0xc0   ? 0
                        : *at < 0xe0 ? 1
                        : *at < 0xf0 ? 2
                                     : 3,
                 c = more ? *at & (0x3fu >> more) : *at;
        for (at++; more && (*at & 0xc0) == 0x80; more--)
            c = c << 6 | (*at++ & 0x3f);
        if (c >= 0x10000) {
            if (writer) {
                put_unit(writer, 0xd800 + ((c - 0x10000) >> 10), is_big);
                put_unit(writer, 0xdc00 + (c & 0x3ff), is_big);
            }
            units += 2;
            continue;
        }
        if (writer)
            put_unit(writer, c, is_big);
        units++;
    }
    return units;
}

static bool write_str7(struct writing *writing, const char *field, const char *text)
{
    enum { MAX_LENGTH = 1 << 21 };
    uint32_t length = 2 * put_utf16(NULL, text, true);
    if (length >= MAX_LENGTH)
        return refuse(writing, field, "too long");
    for (; length >= 0x80; length >>= 7)
        writer_u8(writing->writer, (uint8_t)(length | 0x80));
    writer_u8(writing->writer, (uint8_t)length);
    put_utf16(writing->writer, text, true);
    return true;
}

static uint32_t count_items(const struct pose_value *first)
{
    uint32_t count = 0;
    for (; first; first = first->next)
        count++;
    return count;
}

static uint32_t number_of(const struct pose_value *value)
{
    return value->kind == POSE_INT ? (uint32_t)value->as.integer : 0;
}

static bool write_list(struct writing *writing, const char *name)
{
    const struct pose_value *item = value_items(writing->extras, name);
    uint32_t count = count_items(item);
    if (count > UINT8_MAX)
        return refuse(writing, name, "more than 255");
    writer_u8(writing->writer, (uint8_t)count);
    for (; item; item = item->next)
        writer_u8(writing->writer, (uint8_t)number_of(item));
    return true;
}

static void write_presets(struct writing *writing)
{
    const struct pose_value *item = value_items(writing->extras, "presets");
    writer_u32le(writing->writer, count_items(item));
    for (; item; item = item->next) {
        const char *xml = value_get_string(item, "xml", "");
        writer_u32le(writing->writer, put_utf16(NULL, xml, false));
        put_utf16(writing->writer, xml, false);
        writer_u32le(writing->writer, (uint32_t)value_get_int(item, "number", 0));
    }
}

static bool write_levels(struct writing *writing)
{
    const struct pose_value *item = value_items(writing->extras, "levels");
    uint32_t count = count_items(item);
    if (count > UINT8_MAX)
        return refuse(writing, "levels", "more than 255");
    writer_u8(writing->writer, (uint8_t)count);
    for (; item; item = item->next) {
        const struct pose_value *number = value_items(item, "meshes");
        uint32_t numbers = count_items(number);
        if (numbers % 3 || numbers / 3 > UINT8_MAX)
            return refuse(writing, "levels", "meshes are not three numbers each");
        writer_u8(writing->writer, (uint8_t)value_get_int(item, "level", 0));
        writer_u32le(writing->writer, (uint32_t)value_get_int(item, "texture", 0));
        writer_u8(writing->writer, (uint8_t)(numbers / 3));
        for (; number; number = number->next)
            writer_u32le(writing->writer, number_of(number));
    }
    return true;
}

static bool write_fields(struct writing *writing, const struct pose_character *character)
{
    struct writer *writer = writing->writer;
    const struct pose_value *extras = writing->extras, *parts = pose_value_find(extras, "parts");
    write_presets(writing);
    if (!write_str7(writing, "name", character->name ? character->name : ""))
        return false;
    writer_f32le(writer, value_get_float(extras, "priority", 0));
    writer_u8(writer, (uint8_t)value_get_int(extras, "own_texture_space", 0));
    for (unsigned i = 0; i < CASP_NUMBERS; i++)
        writer_u32le(writer, (uint32_t)value_get_int(extras, casp_number_name(i), 0));
    for (unsigned i = 0; i < CASP_PARTS; i++)
        writer_u8(writer, (uint8_t)value_get_int(parts, casp_part_name(i), UINT8_MAX));
    writer_u32le(writer, (uint32_t)value_get_int(extras, "overlay_priority", 0));
    if (!write_list(writing, "vpxy") || !write_levels(writing))
        return false;
    for (unsigned i = 0; i < CASP_LISTS; i++) {
        if (!write_list(writing, casp_list_name(i)))
            return false;
    }
    return write_str7(writing, "shoe_material", value_get_string(extras, "shoe_material", ""));
}

bool casp_encode(struct encode_job *job)
{
    struct writing writing = {.job = job, .writer = job->writer};
    const struct sims3_resource *keys;
    uint32_t key_count;
    if (!job->content->character_count)
        return error_set(job->error, POSE_BAD_DATA, "no_character", "a CASP holds one part");
    writing.extras = job->content->characters->extras;
    if (!rcol_take_keys(job, writing.extras, &keys, &key_count))
        return false;
    if (key_count > UINT8_MAX)
        return refuse(&writing, "keys", "more than 255");
    writer_u32le(job->writer, (uint32_t)value_get_int(writing.extras, "version", CASP_VERSION));
    size_t field = job->writer->out->size;
    writer_u32le(job->writer, 0);
    if (!write_fields(&writing, job->content->characters))
        return false;
    writer_patch_u32le(job->writer, field, (uint32_t)(job->writer->out->size - field - 4));
    writer_u8(job->writer, (uint8_t)key_count);
    for (uint32_t i = 0; i < key_count; i++)
        sims3_write_key(job->writer, &keys[i], KEY_IGT);
    return true;
}
