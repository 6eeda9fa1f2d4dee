#include "tests/support/tso_files.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

static void put(struct tso_file *file, const char *name, const void *bytes, size_t size)
{
    ck_assert(file->size + size <= TSO_FILE_SIZE && file->mark_count < TSO_FILE_MARKS);
    if (name) {
        snprintf(file->marks[file->mark_count].name, sizeof file->marks->name, "%s%s", file->prefix, name);
        file->marks[file->mark_count++].offset = file->size;
    }
    memcpy(file->data + file->size, bytes, size);
    file->size += size;
}

void tso_put_u8(struct tso_file *file, const char *name, uint8_t value)
{
    put(file, name, &value, 1);
}

void tso_put_u16(struct tso_file *file, const char *name, uint16_t value)
{
    uint8_t bytes[] = {(uint8_t)(value >> 8), (uint8_t)value};
    put(file, name, bytes, sizeof bytes);
}

void tso_put_u32(struct tso_file *file, const char *name, uint32_t value)
{
    uint8_t bytes[] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    put(file, name, bytes, sizeof bytes);
}

void tso_put_f32(struct tso_file *file, const char *name, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint8_t bytes[] = {(uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
    put(file, name, bytes, sizeof bytes);
}

void tso_put_text(struct tso_file *file, const char *name, const char *text)
{
    tso_put_u8(file, name, (uint8_t)strlen(text));
    put(file, NULL, text, strlen(text));
}

void tso_put_floats(struct tso_file *file, const char *name, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        tso_put_f32(file, i ? NULL : name, values[i]);
}

size_t tso_at(const struct tso_file *file, const char *name)
{
    for (size_t i = 0; i < file->mark_count; i++) {
        if (!strcmp(file->marks[i].name, name))
            return file->marks[i].offset;
    }
    ck_abort_msg("no field %s", name);
}

/* Writes a field again, over the old bytes. */
static void set(struct tso_file *file, const char *name, const struct tso_file *field)
{
    memcpy(file->data + tso_at(file, name), field->data, field->size);
}

void tso_set_u8(struct tso_file *file, const char *name, uint8_t value)
{
    file->data[tso_at(file, name)] = value;
}

void tso_set_u32(struct tso_file *file, const char *name, uint32_t value)
{
    struct tso_file field = {.size = 0};
    tso_put_u32(&field, NULL, value);
    set(file, name, &field);
}

void tso_set_f32(struct tso_file *file, const char *name, float value)
{
    struct tso_file field = {.size = 0};
    tso_put_f32(&field, NULL, value);
    set(file, name, &field);
}

static void put_pair(struct tso_file *file, const char *key, const char *value)
{
    tso_put_text(file, "key", key);
    tso_put_text(file, "value", value);
}

static void begin_motion(struct tso_file *file, const char *bone, uint8_t has_translation,
                         uint32_t first_translation, uint32_t first_rotation)
{
    tso_put_u32(file, "unknown", 1);
    tso_put_text(file, "bone", bone);
    tso_put_u32(file, "frame_count", 3);
    tso_put_f32(file, "duration", 1000);
    tso_put_u8(file, "has_translation", has_translation);
    tso_put_u8(file, "has_rotation", 1);
    tso_put_u32(file, "first_translation", first_translation);
    tso_put_u32(file, "first_rotation", first_rotation);
}

/* A moment of props with a pair each. */
static void put_moment(struct tso_file *file, uint32_t id, uint32_t props)
{
    tso_put_u32(file, "id", id);
    tso_put_u32(file, "moment_prop_count", props);
}

static void put_prop(struct tso_file *file, const char *key, const char *value)
{
    tso_put_u32(file, "moment_pair_count", 1);
    put_pair(file, key, value);
}

static void put_root(struct tso_file *file)
{
    begin_motion(file, "ROOT", 1, 0, 0);
    tso_put_u8(file, "has_props", 1);
    tso_put_u32(file, "props_list_count", 1);
    tso_put_u32(file, "prop_count", 1);
    tso_put_u32(file, "pair_count", 1);
    put_pair(file, "name", "adult");
    tso_put_u8(file, "has_time_props", 1);
    tso_put_u32(file, "time_props_list_count", 1);
    tso_put_u32(file, "time_prop_count", 2);
    put_moment(file, 100, 1);
    put_prop(file, "footstep", "1");
    put_moment(file, 500, 2);
    put_prop(file, "xevt", "7");
    put_prop(file, "sound", "door");
}

static void put_head(struct tso_file *file)
{
    begin_motion(file, "HEAD", 0, UINT32_MAX, 3);
    tso_put_u8(file, "has_props", 0);
    tso_put_u8(file, "has_time_props", 1);
    tso_put_u32(file, "time_props_list_count", 1);
    tso_put_u32(file, "time_prop_count", 1);
    put_moment(file, 100, 1);
    put_prop(file, "footstep", "2");
}

void tso_make_anim(struct tso_file *file)
{
    static const float still[] = {0, 0, 0, 1}, turned[] = {0, 0.6f, 0, 0.8f};
    *file = (struct tso_file){.size = 0};
    tso_put_u32(file, "version", 2);
    tso_put_u16(file, "name_length", 8);
    put(file, "name", "a2o-test", 8);
    tso_put_f32(file, "duration", 1000);
    tso_put_f32(file, "distance", 2.5f);
    tso_put_u8(file, "is_moving", 1);
    tso_put_u32(file, "translation_count", 3);
    for (int k = 0; k < 3; k++)
        tso_put_floats(file, k ? NULL : "translations", (const float[]){(float)k, 10, 20}, 3);
    tso_put_u32(file, "rotation_count", 6);
    for (int k = 0; k < 6; k++)
        tso_put_floats(file, k ? NULL : "rotations", k < 3 ? still : turned, 4);
    tso_put_u32(file, "motion_count", 2);
    strcpy(file->prefix, "motions[0].");
    put_root(file);
    strcpy(file->prefix, "motions[1].");
    put_head(file);
    file->prefix[0] = 0;
}

static void put_bone(struct tso_file *file, const char *name, const char *parent, float height)
{
    tso_put_u32(file, "unknown", 1);
    tso_put_text(file, "name", name);
    tso_put_text(file, "parent", parent);
    tso_put_u8(file, "has_props", 0);
    tso_put_floats(file, "translation", (const float[]){0, height, 0}, 3);
    tso_put_floats(file, "rotation", (const float[]){0, 0.6f, 0, 0.8f}, 4);
    tso_put_u32(file, "can_translate", 0);
    tso_put_u32(file, "can_rotate", 1);
    tso_put_u32(file, "can_blend", 1);
    tso_put_f32(file, "wiggle_value", 700000);
    tso_put_f32(file, "wiggle_power", 0.05f);
}

void tso_make_skel(struct tso_file *file)
{
    *file = (struct tso_file){.size = 0};
    tso_put_u32(file, "version", 1);
    tso_put_text(file, "name", "figure");
    tso_put_u16(file, "bone_count", 3);
    strcpy(file->prefix, "bones[0].");
    put_bone(file, "HEAD", "HIP", 2);
    strcpy(file->prefix, "bones[1].");
    put_bone(file, "ROOT", "NULL", 3);
    strcpy(file->prefix, "bones[2].");
    put_bone(file, "HIP", "ROOT", 1);
    file->prefix[0] = 0;
}
