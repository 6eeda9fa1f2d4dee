#include "tests/support/gltf_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(struct pose_buffer *buffer, const void *bytes, size_t size)
{
    if (!pose_buffer_append(buffer, bytes, size))
        abort();
}

static void put_text(struct pose_buffer *buffer, const char *text)
{
    put(buffer, text, strlen(text));
}

unsigned gltf_put_bytes(struct gltf_file *file, const void *bytes, size_t size)
{
    char view[120];
    unsigned views = 0;
    for (size_t i = 0; i < file->views.size; i++)
        views += file->views.data[i] == '{';
    snprintf(view, sizeof view, "%s{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", views ? "," : "",
             file->binary.size, size);
    put(&file->binary, bytes, size);
    while (file->binary.size % 4)
        put(&file->binary, "", 1);
    put_text(&file->views, view);
    return views;
}

unsigned gltf_put_accessor(struct gltf_file *file, const char *json)
{
    put_text(&file->accessors, file->count ? "," : "");
    put_text(&file->accessors, json);
    return file->count++;
}

unsigned gltf_put_floats(struct gltf_file *file, unsigned components, unsigned count, const float *values)
{
    static const char *const types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    char accessor[160];
    snprintf(accessor, sizeof accessor,
             "{\"bufferView\":%u,\"componentType\":5126,\"count\":%u,\"type\":\"%s\"}",
             gltf_put_bytes(file, values, sizeof *values * components * count), count, types[components]);
    return gltf_put_accessor(file, accessor);
}

static void put_base64(struct pose_buffer *out, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= i + 1 < size ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= i + 2 < size ? bytes[i + 2] : 0;
        char text[4] = {digits[word >> 18], digits[word >> 12 & 63], digits[word >> 6 & 63],
                        digits[word & 63]};
        text[2] = i + 1 < size ? text[2] : '=';
        text[3] = i + 2 < size ? text[3] : '=';
        put(out, text, 4);
    }
}

static void put_u32(struct pose_buffer *out, uint32_t value)
{
    const uint8_t bytes[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                             (uint8_t)(value >> 24)};
    put(out, bytes, 4);
}

void gltf_wrap(struct pose_buffer *out, const char *json, const struct pose_buffer *binary)
{
    size_t length = (strlen(json) + 3) / 4 * 4, size = binary ? binary->size : 0;
    put_text(out, "glTF");
    put_u32(out, 2);
    put_u32(out, (uint32_t)(20 + length + (binary ? 8 + size : 0)));
    put_u32(out, (uint32_t)length);
    put_text(out, "JSON");
    put_text(out, json);
    for (size_t i = strlen(json); i < length; i++)
        put(out, " ", 1);
    if (!binary)
        return;
    put_u32(out, (uint32_t)size);
    put(out, "BIN", 4);
    put(out, binary->data, size);
}

void gltf_write(struct gltf_file *file, bool binary, const char *members)
{
    struct pose_buffer json = {0};
    char size[60];
    snprintf(size, sizeof size, "\"buffers\":[{\"byteLength\":%zu", file->binary.size);
    put_text(&json, "{\"asset\":{\"version\":\"2.0\"},");
    put_text(&json, size);
    if (!binary) {
        put_text(&json, ",\"uri\":\"data:application/octet-stream;base64,");
        put_base64(&json, file->binary.data, file->binary.size);
        put_text(&json, "\"");
    }
    put_text(&json, "}],\"bufferViews\":[");
    put(&json, file->views.data, file->views.size);
    put_text(&json, "],\"accessors\":[");
    put(&json, file->accessors.data, file->accessors.size);
    put_text(&json, *members ? "]," : "]");
    put_text(&json, members);
    put(&json, "}", 2);
    pose_buffer_free(&file->bytes);
    if (binary)
        gltf_wrap(&file->bytes, (const char *)json.data, &file->binary);
    else
        put(&file->bytes, json.data, json.size - 1);
    pose_buffer_free(&json);
}

void gltf_free(struct gltf_file *file)
{
    pose_buffer_free(&file->binary);
    pose_buffer_free(&file->accessors);
    pose_buffer_free(&file->views);
    pose_buffer_free(&file->bytes);
}
