/* Writing FAR archives: header, data, table at the end (far.md). */
#include "lib/formats/sims/far.h"

#include "lib/core/text.h"
#include "lib/packing/refpack.h"

#include <string.h>

enum {
    ID_TEXT = 8,
    MAX_COMPRESSED = 0xffffff, /* largest size that fits the 24 bits */
};

/* An item's row in the table. */
struct row {
    uint32_t stored, offset;
    bool packed;
    uint32_t type, file;
    uint16_t name_length;
    uint8_t *name;
};

struct far_writer {
    struct pack_job *job;
    struct writer *writer;
    struct refpack_encoder *encoder; /* NULL: nothing is compressed */
    struct row *rows;
};

static bool parse_id(const char *text, uint32_t *id)
{
    *id = 0;
    for (int i = 0; i < ID_TEXT; i++) {
        char c = text_lower(text[i]);
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        *id = *id << 4 | (uint32_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

/* "TTTTTTTT-FFFFFFFF": the name of an unnamed entry. */
static bool is_id_pair(const char *name, struct row *row)
{
    return strlen(name) == 2 * ID_TEXT + 1 && name[ID_TEXT] == '-' && parse_id(name, &row->type) &&
           parse_id(name + ID_TEXT + 1, &row->file);
}

/* Type by extension, file id from "name.FFFFFFFFTTTTTTTT.anim". */
static void find_ids(const char *name, uint32_t number, struct row *row)
{
    row->file = number;
    for (const struct far_type *type = far_types; type->extension; type++) {
        if (text_has_extension(name, type->extension))
            row->type = type->id;
    }
    const char *base = text_base_name(name);
    size_t stem = text_stem_length(base);
    uint32_t file, type;
    if (stem > 2 * ID_TEXT && base[stem - 2 * ID_TEXT - 1] == '.' &&
        parse_id(base + stem - 2 * ID_TEXT, &file) && parse_id(base + stem - ID_TEXT, &type) &&
        type == row->type)
        row->file = file;
}

/* Encodes the name in Windows-1252, as the games do. */
static bool set_name(struct far_writer *far, uint32_t index)
{
    struct pack_job *job = far->job;
    struct row *row = &far->rows[index];
    const char *name = job->items[index].name;
    bool version3 = !strcmp(job->format, "far3");
    if (version3 && is_id_pair(name, row))
        return true;
    find_ids(name, index + 1, row);
    row->name = ARENA_NEW(job->arena, uint8_t, strlen(name) + 1);
    if (!row->name)
        return false;
    int64_t length = text_to_windows1252(name, row->name, strlen(name));
    if (length <= 0 || length > FAR_LONGEST_NAME || row->name[0] < 0x20)
        return error_set(job->error, POSE_BAD_ARGUMENT, "bad_name",
                         "items[%u]: a FAR name is 1 to %d bytes of Windows-1252, not \"%.100s\"", index,
                         FAR_LONGEST_NAME, name);
    row->name_length = (uint16_t)length;
    for (int64_t i = 0; i < length; i++)
        row->name[i] = row->name[i] == '/' ? '\\' : row->name[i];
    return true;
}

/* Appends the compressed body; false, appending nothing, if that saves nothing. */
static bool write_packed(struct far_writer *far, struct pose_bytes bytes, struct row *row)
{
    struct writer *writer = far->writer;
    size_t start = writer->out->size;
    uint32_t size = (uint32_t)bytes.size;
    writer_u8(writer, 1);
    writer_u32le(writer, size);
    writer_u32le(writer, 0);
    writer_u32le(writer, 0);
    writer_u8(writer, 0x10);
    writer_u8(writer, 0xfb);
    writer_u8(writer, (uint8_t)(size >> 16));
    writer_u16be(writer, (uint16_t)size);
    refpack_encode(far->encoder, bytes, writer);
    if (writer->failed || writer->out->size - start >= size) {
        writer->out->size = writer->failed ? writer->out->size : start;
        return false;
    }
    row->stored = (uint32_t)(writer->out->size - start);
    row->packed = true;
    writer_patch_u32le(writer, start + 5, row->stored - 9);
    writer_patch_u32le(writer, start + 9, row->stored - 9);
    return true;
}

static bool write_data(struct far_writer *far, uint32_t index)
{
    struct pose_bytes bytes = far->job->items[index].bytes;
    struct row *row = &far->rows[index];
    if (far->writer->out->size > UINT32_MAX || bytes.size > UINT32_MAX - far->writer->out->size)
        return error_set(far->job->error, POSE_BAD_ARGUMENT, "too_large",
                         "a FAR archive holds at most 4 GiB");
    row->offset = (uint32_t)far->writer->out->size;
    row->stored = (uint32_t)bytes.size;
    if (far->encoder && bytes.size <= MAX_COMPRESSED && write_packed(far, bytes, row))
        return true;
    writer_bytes(far->writer, bytes.data, bytes.size);
    return true;
}

static void write_row(struct far_writer *far, uint32_t index)
{
    struct writer *writer = far->writer;
    const struct row *row = &far->rows[index];
    const char *format = far->job->format;
    writer_u32le(writer, (uint32_t)far->job->items[index].bytes.size);
    if (!strcmp(format, "far3")) {
        writer_u32le(writer, (row->stored & 0xffffff) | (row->packed ? 0x80000000u : 0));
        writer_u32le(writer, row->offset);
        writer_u8(writer, row->packed);
        writer_u8(writer, 0);
        writer_u16le(writer, row->name_length);
        writer_u32le(writer, row->type);
        writer_u32le(writer, row->file);
    } else {
        writer_u32le(writer, row->stored);
        writer_u32le(writer, row->offset);
        if (!strcmp(format, "far1a"))
            writer_u32le(writer, row->name_length);
        else
            writer_u16le(writer, row->name_length);
    }
    writer_bytes(writer, row->name, row->name_length);
}

bool far_pack(struct pack_job *job)
{
    struct writer *writer = job->writer;
    static const char *const methods[] = {"refpack", "none", NULL};
    unsigned method;
    bool version3 = !strcmp(job->format, "far3");
    struct far_writer far = {.job = job, .writer = writer};
    far.rows = ARENA_NEW(job->arena, struct row, job->count);
    if (!pack_compression(job, version3 ? methods : methods + 1, &method))
        return false;
    if (version3 && method == 0)
        far.encoder = refpack_encoder_new(job->arena);
    if (job->arena->failed)
        return false;
    writer_bytes(writer, FAR_MAGIC, 8);
    writer_u32le(writer, version3 ? 3 : 1);
    writer_u32le(writer, 0);
    for (uint32_t i = 0; i < job->count; i++) {
        if (!set_name(&far, i) || !write_data(&far, i))
            return false;
    }
    if (writer->out->size > UINT32_MAX)
        return error_set(job->error, POSE_BAD_ARGUMENT, "too_large", "a FAR archive holds at most 4 GiB");
    writer_patch_u32le(writer, 12, (uint32_t)writer->out->size);
    writer_u32le(writer, job->count);
    for (uint32_t i = 0; i < job->count; i++)
        write_row(&far, i);
    return !writer->failed;
}
