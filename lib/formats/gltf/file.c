/*
 * The container of glTF (sections 4 and 5.1), members of its objects, and buffers (sections 3.6.1, 5.10).
 *
 *   GLB: u32 "glTF", u32 version 2, u32 length, chunks: u32 size, u32 type ("JSON", "BIN\0"), bytes, padded to 4
 */
#include "lib/formats/gltf/read.h"

#include "lib/core/bytes/base64.h"
#include "lib/core/text.h"

#include <stdio.h>
#include <string.h>

enum { MAX_COMPANIONS = 64 };

/* ---------------------------------------------------------------------------------------------- refusals -- */

bool gltf_at(struct gltf *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(g->at, sizeof g->at, format, arguments);
    va_end(arguments);
    return true;
}

bool gltf_refuse(struct gltf *g, const char *code, const char *member, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_vrefuse(g->job->error, POSE_BAD_DATA, code, g->at, member, format, arguments);
    va_end(arguments);
    return false;
}

bool gltf_refuse_kind(struct gltf *g, const char *code, const char *member, const char *reason)
{
    return json_refuse(g->job->error, POSE_UNSUPPORTED, code, g->at, member, "%s", reason);
}

bool gltf_count_keys(struct gltf *g, uint64_t count)
{
    uint64_t limit = g->job->limits->keys;
    if (count > limit || g->keys > limit - count) {
        error_limit(g->job->error, "keys", "%s: more than %llu keys", g->at, (unsigned long long)limit);
        snprintf(g->job->error->field, sizeof g->job->error->field, "%s", g->at);
        return false;
    }
    g->keys += count;
    return true;
}

/* ----------------------------------------------------------------------------------------------- members -- */

/* "/name" as a JSON pointer to a member. */
static const char *point(char *text, size_t size, const char *member)
{
    snprintf(text, size, "/%s", member);
    return text;
}

const struct pose_value *gltf_object(struct gltf *g, const char *name, const struct json_list *list,
                                     uint32_t index)
{
    gltf_at(g, "%s/%u", name, index);
    if (list->items[index]->kind == POSE_OBJECT)
        return list->items[index];
    gltf_refuse(g, "bad_member", "", "must be an object");
    return NULL;
}

bool gltf_size(struct gltf *g, const struct pose_value *object, const char *member, uint64_t fallback,
               uint64_t *size)
{
    const struct pose_value *value = pose_value_find(object, member);
    char pointer[40];
    *size = fallback;
    if (!value)
        return true;
    if (value->kind != POSE_INT || value->as.integer < 0)
        return gltf_refuse(g, "bad_number", point(pointer, sizeof pointer, member),
                           "must be a whole number from 0 to 2^53");
    *size = (uint64_t)value->as.integer;
    return true;
}

bool gltf_index(struct gltf *g, const struct pose_value *object, const char *member, uint32_t count,
                bool needed, uint32_t *index)
{
    uint64_t number;
    char pointer[40];
    *index = GLTF_NONE;
    if (!gltf_size(g, object, member, UINT64_MAX, &number))
        return false;
    if (number == UINT64_MAX)
        return !needed || gltf_refuse(g, "missing_member", "", "\"%s\" is missing", member);
    if (number >= count)
        return gltf_refuse(g, "bad_index", point(pointer, sizeof pointer, member), "index %llu of %u",
                           (unsigned long long)number, count);
    *index = (uint32_t)number;
    return true;
}

bool gltf_numbers(struct gltf *g, const struct pose_value *object, const char *member, unsigned count,
                  float *numbers, bool *found)
{
    const struct pose_value *array = pose_value_find(object, member);
    char pointer[40];
    *found = array;
    if (!array)
        return true;
    if (value_count(array) != count || array->kind != POSE_ARRAY ||
        value_get_floats(object, member, numbers, count) != count)
        return gltf_refuse(g, "bad_number", point(pointer, sizeof pointer, member), "must be %u numbers",
                           count);
    return true;
}

bool gltf_list(struct gltf *g, const struct pose_value *object, const char *member, struct json_list *list)
{
    char pointer[40];
    return json_list(&g->json, pose_value_find(object, member), list) || g->json.arena.failed ||
           gltf_refuse(g, "bad_member", point(pointer, sizeof pointer, member), "must be an array");
}

const char *gltf_text(struct gltf *g, const struct pose_value *object, const char *member)
{
    const char *text = value_get_string(object, member, NULL);
    return text && *text ? arena_copy_text(g->job->arena, text) : NULL;
}

/* ----------------------------------------------------------------------------------------------- buffers -- */

/* "data:[type];base64,DIGITS" */
static bool decode_data_uri(struct gltf *g, const char *uri, struct pose_bytes *to)
{
    const char *comma = strchr(uri, ',');
    if (!comma || comma - uri < 7 || memcmp(comma - 7, ";base64", 7) != 0)
        return gltf_refuse_kind(g, "data_uri", "/uri", "only base64 data URIs are supported");
    size_t length = strlen(comma + 1), bad = 0;
    uint8_t *bytes = json_alloc(&g->json, base64_room(length), 1);
    if (!bytes)
        return false;
    size_t size = base64_decode(comma + 1, length, bytes, &bad);
    if (size == SIZE_MAX)
        return gltf_refuse(g, "bad_base64", "/uri", "character %zu of %zu is not base64", bad, length);
    *to = (struct pose_bytes){bytes, size};
    return true;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                  : -1;
}

/* "my%20walk.bin" (RFC 3986, 2.1); a "%" that does not begin an escape is kept, as some exporters write it. "./"
 * is removed. */
char *gltf_path(struct gltf *g, const char *uri)
{
    while (uri[0] == '.' && uri[1] == '/')
        uri += 2;
    char *name = arena_copy_text(g->job->arena, uri), *to = name;
    for (const char *from = name; name && *from; from++) {
        int high = *from == '%' ? hex_digit(from[1]) : -1, low = high < 0 ? -1 : hex_digit(from[2]);
        *to++ = low < 0 ? *from : (char)(high << 4 | low);
        from += low < 0 ? 0 : 2;
    }
    if (name)
        *to = 0;
    return name;
}

/* Whether the path stays in the file's folder or below, on any system: no drive, scheme or root, no part "." or
 * "..", nothing hidden. */
static bool is_below(const char *name)
{
    if (!*name || strchr(name, '\\') || strchr(name, ':') || strchr(name, '\n'))
        return false;
    for (const char *part = name; part; part = strchr(part, '/')) {
        part += part != name;
        if (*part == '.' || *part == '/' || !*part)
            return false;
    }
    return true;
}

/* Records the names of external buffers, which the clips depend on. */
static bool list_companion(struct gltf *g, const char *name)
{
    if (++g->companion_count > MAX_COMPANIONS)
        return gltf_refuse_kind(g, "external_uri", "/uri", "more than 64 external files are not supported");
    g->companion = g->companion ? arena_format(g->job->arena, "%s\n%s", g->companion, name) : name;
    return g->companion;
}

/* A file beside this one or in a folder below. The name is checked after unescaping, so that escapes cannot hide
 * where it leads. */
static bool find_companion(struct gltf *g, const char *uri, struct pose_bytes *bytes)
{
    const struct pose_source *source = g->job->source;
    const char *name = gltf_path(g, uri);
    if (!name)
        return false;
    if (!is_below(name) || strchr(uri, ':'))
        return gltf_refuse_kind(g, "external_uri", "/uri", "external files are not read; embed it");
    if (!source->find || !source->find(source->user, name, bytes))
        return gltf_refuse_kind(g, "external_uri", "/uri", "the file is missing; add or embed it");
    return list_companion(g, name);
}

bool gltf_resource(struct gltf *g, const char *uri, struct pose_bytes *bytes)
{
    return strncmp(uri, "data:", 5) ? find_companion(g, uri, bytes) : decode_data_uri(g, uri, bytes);
}

static bool load_buffer(struct gltf *g, uint32_t index)
{
    struct gltf_buffer *buffer = &g->buffer[index];
    if (buffer->is_ready)
        return true;
    const struct pose_value *object = gltf_object(g, "/buffers", &g->buffers, index);
    uint64_t size;
    if (!object || !gltf_size(g, object, "byteLength", UINT64_MAX, &size))
        return false;
    if (size == UINT64_MAX)
        return gltf_refuse(g, "missing_member", "", "\"byteLength\" is missing");
    const char *uri = value_get_string(object, "uri", NULL);
    if (!uri && index == 0 && g->has_binary)
        buffer->bytes = g->binary;
    else if (!uri)
        return gltf_refuse(g, "no_buffer", "", "neither a \"uri\" nor a BIN chunk");
    else if (!gltf_resource(g, uri, &buffer->bytes))
        return false;
    if (size > buffer->bytes.size)
        return gltf_refuse(g, "truncated", "/byteLength", "%llu bytes promised, %zu are there",
                           (unsigned long long)size, buffer->bytes.size);
    buffer->bytes.size = (size_t)size;
    buffer->is_ready = true;
    return true;
}

bool gltf_part(struct gltf *g, const struct pose_value *object, struct pose_bytes *bytes, uint64_t *stride)
{
    char place[sizeof g->at];
    uint32_t buffer;
    uint64_t offset, size;
    strcpy(place, g->at);
    if (!gltf_index(g, object, "buffer", g->buffers.count, true, &buffer) ||
        !gltf_size(g, object, "byteOffset", 0, &offset) ||
        !gltf_size(g, object, "byteLength", UINT64_MAX, &size) ||
        !gltf_size(g, object, "byteStride", 0, stride) || !load_buffer(g, buffer))
        return false;
    gltf_at(g, "%s", place);
    const struct pose_bytes *whole = &g->buffer[buffer].bytes;
    if (offset > whole->size)
        return gltf_refuse(g, "outside_buffer", "/byteOffset", "offset %llu of a buffer of %zu bytes",
                           (unsigned long long)offset, whole->size);
    if (size > whole->size - offset)
        return gltf_refuse(g, "outside_buffer", "/byteLength", "%llu bytes at %llu of a buffer of %zu",
                           (unsigned long long)size, (unsigned long long)offset, whole->size);
    *bytes = (struct pose_bytes){whole->data + offset, (size_t)size};
    return true;
}

bool gltf_view(struct gltf *g, uint32_t view, struct pose_bytes *bytes, uint64_t *stride)
{
    const struct pose_value *object = gltf_object(g, "/bufferViews", &g->views, view);
    bool is_packed;
    if (!object || !gltf_unpack(g, view, object, bytes, stride, &is_packed))
        return false;
    return is_packed || gltf_part(g, object, bytes, stride);
}

/* ------------------------------------------------------------------------------------------------ opening -- */

enum { GLB_MAGIC = 0x46546c67, GLB_JSON = 0x4e4f534a, GLB_BINARY = 0x004e4942 };

/* The chunks: JSON comes first, BIN second; others are skipped. */
static bool read_chunks(struct gltf *g, struct reader *reader, struct pose_bytes *text, uint64_t *offset)
{
    for (uint32_t i = 0; reader_left(reader) && !reader->failed; i++) {
        reader_enter(reader, "chunks", i);
        uint32_t size = reader_u32le(reader, "length"), type = reader_u32le(reader, "type");
        if (i == 0 && type != GLB_JSON)
            return reader_fail(reader, "no_json_chunk", "the first chunk is of type 0x%08x, not JSON", type);
        uint64_t begin = reader_offset(reader);
        const uint8_t *data = reader_bytes(reader, size, "data");
        reader_leave(reader);
        if (!data)
            return false;
        if (i == 0) {
            *text = (struct pose_bytes){data, size};
            *offset = begin;
        } else if (type == GLB_BINARY && !g->has_binary) {
            g->binary = (struct pose_bytes){data, size};
            g->has_binary = true;
        }
    }
    return !reader->failed && (text->data || reader_fail(reader, "no_json_chunk", "no JSON chunk"));
}

static bool read_binary(struct gltf *g, struct pose_bytes *text, uint64_t *offset)
{
    struct reader reader, whole;
    reader_init(&whole, g->job->source->bytes, g->job->error);
    reader_u32le(&whole, "magic");
    uint32_t version = reader_u32le(&whole, "version");
    if (!whole.failed && version != 2)
        return error_set(g->job->error, POSE_UNSUPPORTED, "gltf_version",
                         "GLB version %u is not supported, only 2", version);
    uint32_t length = reader_u32le(&whole, "length");
    if (whole.failed)
        return false;
    if (length < 12 || length - 12 > reader_left(&whole))
        return reader_fail(&whole, "truncated", "a file of %u bytes promised, %zu are there", length,
                           g->job->source->bytes.size);
    if (length - 12 < reader_left(&whole))
        warning_add(&g->job->warnings, POSE_WARNING, "trailing_bytes", length,
                    "%zu bytes follow the end of the GLB", reader_left(&whole) - (length - 12));
    return reader_part(&whole, &reader, 12, length - 12, NULL) && read_chunks(g, &reader, text, offset);
}

static bool is_glb(struct pose_bytes bytes)
{
    return bytes.size >= 4 && !memcmp(bytes.data, "glTF", 4);
}

/* A file named .glb may hold the text of a .gltf if it begins like one: with a brace, white space or the UTF-8
 * byte order mark. */
static bool check_magic(struct gltf *g)
{
    static const char beginnings[] = "{ \t\r\n\xef";
    const struct pose_source *source = g->job->source;
    struct reader reader;
    reader_init(&reader, source->bytes, g->job->error);
    bool is_text = source->bytes.size && memchr(beginnings, source->bytes.data[0], sizeof beginnings - 1);
    return is_text || !source->name || !text_has_extension(source->name, ".glb") ||
           reader_fail_at(&reader, 0, "magic", "bad_magic", "a GLB begins with glTF");
}

static bool check_version(struct gltf *g)
{
    const struct pose_value *asset = pose_value_find(g->json.root, "asset");
    const char *version = value_get_string(asset, "version", NULL);
    if (!version)
        return gltf_refuse(g, "missing_member", "/asset", "\"asset\" with its \"version\" is missing");
    /* A reader of 2.0 may read a later 2.x unless minVersion forbids it (section 3.2). */
    const char *least = value_get_string(asset, "minVersion", NULL);
    if (strncmp(version, "2.", 2) != 0)
        return gltf_refuse_kind(g, "gltf_version", "/asset/version", "only glTF 2.0 is supported");
    if (least && strcmp(least, "2.0") > 0)
        return gltf_refuse_kind(g, "gltf_version", "/asset/minVersion",
                                "only glTF 2.0 is supported; the file requires a later version");
    return true;
}

/* Extensions that do not affect the motion of nodes, or that are read where they do. What they add otherwise is
 * left out with a warning. */
static bool is_harmless(const char *extension)
{
    static const char *const beginnings[] = {"KHR_materials_",   "KHR_texture_", "EXT_texture_",
                                             "KHR_lights_",      "EXT_lights_",  "MSFT_texture_",
                                             "AGI_articulations"};
    static const char *const names[] = {"KHR_mesh_quantization",
                                        "KHR_draco_mesh_compression",
                                        "KHR_meshopt_compression", /* read where keys need it */
                                        "EXT_meshopt_compression",
                                        "KHR_animation_pointer", /* read at nodes */
                                        "KHR_xmp_json_ld",
                                        "EXT_mesh_gpu_instancing",
                                        "VRM",
                                        "VRMC_vrm",
                                        "VRMC_vrm_animation",
                                        "KHR_techniques_webgl"};
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        if (!strncmp(extension, beginnings[i], strlen(beginnings[i])))
            return true;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(extension, names[i]))
            return true;
    }
    return false;
}

static bool check_extensions(struct gltf *g)
{
    struct json_list required;
    if (!gltf_list(g, g->json.root, "extensionsRequired", &required))
        return false;
    for (uint32_t i = 0; i < required.count; i++) {
        const char *name = required.items[i]->kind == POSE_STRING ? required.items[i]->as.string : "";
        char member[40];
        snprintf(member, sizeof member, "/extensionsRequired/%u", i);
        if (!is_harmless(name))
            return json_refuse(g->job->error, POSE_UNSUPPORTED, "extension", g->at, member,
                               "the required extension %.80s is not supported", name);
    }
    return true;
}

bool gltf_open(struct gltf *g)
{
    struct pose_bytes text = g->job->source->bytes;
    uint64_t offset = 0;
    if (is_glb(text) && !(text = (struct pose_bytes){0}, read_binary(g, &text, &offset)))
        return false;
    if (!offset && !check_magic(g))
        return false;
    if (!json_open(&g->json, text, offset, g->job->arena, g->job->error))
        return false;
    const struct pose_value *root = g->json.root;
    if (root->kind != POSE_OBJECT)
        return gltf_refuse(g, "bad_member", "", "must be an object");
    if (!check_version(g) || !check_extensions(g) || !gltf_list(g, root, "nodes", &g->nodes) ||
        !gltf_list(g, root, "accessors", &g->accessors) || !gltf_list(g, root, "bufferViews", &g->views) ||
        !gltf_list(g, root, "buffers", &g->buffers) || !gltf_list(g, root, "animations", &g->animations) ||
        !gltf_list(g, root, "skins", &g->skins) || !gltf_list(g, root, "meshes", &g->meshes) ||
        !gltf_list(g, root, "materials", &g->materials) || !gltf_list(g, root, "textures", &g->textures) ||
        !gltf_list(g, root, "images", &g->images))
        return false;
    g->buffer = json_alloc(&g->json, g->buffers.count, sizeof *g->buffer);
    g->inputs = json_alloc(&g->json, g->accessors.count, sizeof *g->inputs);
    g->unpacked = json_alloc(&g->json, g->views.count, sizeof *g->unpacked);
    return g->buffer && g->inputs && g->unpacked;
}
