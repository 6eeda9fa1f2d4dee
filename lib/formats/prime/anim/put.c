#include "lib/formats/prime/anim/put.h"

#include "lib/core/setting.h"
#include "lib/core/value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 32, TYPE_LENGTH = 4 };

bool prime_put_refuse(struct prime_put *put, const char *key, const char *what)
{
    struct pose_error *error = put->job->error;
    if (!put->failed && error && !error_is_set(error)) {
        error_set(error, POSE_BAD_DATA, "bad_value", "%s: %s", key, what);
        snprintf(error->field, sizeof error->field, "%s", key);
    }
    put->failed = true;
    return false;
}

static void write_int(struct prime_put *put, int64_t value, unsigned size, const char *key)
{
    int64_t end = INT64_C(1) << 8 * size;
    if (value < -end / 2 || value >= end)
        prime_put_refuse(put, key, "the number does not fit into its field");
    else if (size == 1)
        writer_u8(put->writer, (uint8_t)value);
    else if (size == 2)
        writer_u16be(put->writer, (uint16_t)value);
    else
        writer_u32be(put->writer, (uint32_t)value);
}

void prime_put_int(struct prime_put *put, const struct pose_value *object, const char *key, unsigned size,
                   int64_t fallback)
{
    write_int(put, value_get_int(object, key, fallback), size, key);
}

void prime_put_float(struct prime_put *put, const struct pose_value *object, const char *key, float fallback)
{
    float value = value_get_float(object, key, fallback);
    if (!isfinite(value))
        prime_put_refuse(put, key, "not a finite number");
    else
        writer_f32be(put->writer, value);
}

void prime_put_text(struct prime_put *put, const struct pose_value *object, const char *key)
{
    const char *text = value_get_string(object, key, "");
    writer_bytes(put->writer, text, strlen(text) + 1);
}

void prime_put_type(struct prime_put *put, const struct pose_value *object, const char *key)
{
    const char *text = value_get_string(object, key, NULL);
    uint8_t bytes[TYPE_LENGTH] = {0};
    if (text && strlen(text) == TYPE_LENGTH)
        memcpy(bytes, text, TYPE_LENGTH);
    else if (text && value_get_hex(object, key, bytes, TYPE_LENGTH) != TYPE_LENGTH)
        prime_put_refuse(put, key, "not 4 characters or 8 hex digits");
    writer_bytes(put->writer, bytes, TYPE_LENGTH);
}

void prime_put_floats(struct prime_put *put, const struct pose_value *object, const char *key, unsigned count)
{
    const struct pose_value *array = pose_value_find(object, key);
    const struct pose_value *item = array && array->kind == POSE_ARRAY ? array->first : NULL;
    for (unsigned i = 0; i < count; i++) {
        float value = 0;
        value_number(item, &value);
        if (!isfinite(value))
            prime_put_refuse(put, key, "not a finite number");
        writer_f32be(put->writer, value);
        item = item ? item->next : NULL;
    }
}

void prime_put_quaternion(struct prime_put *put, const struct pose_value *object, const char *key)
{
    float q[4];
    if (value_get_floats(object, key, q, 4) != 4) {
        q[0] = q[1] = q[2] = 0;
        q[3] = 1;
    }
    for (int i = 0; i < 4; i++) {
        float value = q[(i + 3) % 4];
        if (!isfinite(value))
            prime_put_refuse(put, key, "not a finite number");
        writer_f32be(put->writer, value);
    }
}

void prime_put_time(struct prime_put *put, const struct pose_value *object, const char *key,
                    const char *kind_key)
{
    prime_put_float(put, object, key, 0);
    prime_put_int(put, object, kind_key, 4, 0);
}

void prime_put_hex(struct prime_put *put, const struct pose_value *object, const char *key)
{
    const char *text = value_get_string(object, key, "");
    size_t size = strlen(text) / 2;
    uint8_t *bytes = arena_alloc(put->job->arena, size, 1);
    if (bytes && *text && value_get_hex(object, key, bytes, size) != (int64_t)size)
        prime_put_refuse(put, key, "not pairs of hex digits");
    writer_u32be(put->writer, (uint32_t)size);
    if (bytes)
        writer_bytes(put->writer, bytes, size);
}

const struct pose_value *prime_put_count(struct prime_put *put, const struct pose_value *object,
                                         const char *key)
{
    const struct pose_value *list = pose_value_find(object, key);
    if (list && list->kind != POSE_ARRAY && list->kind != POSE_NULL)
        prime_put_refuse(put, key, "not a list");
    bool is_list = list && list->kind == POSE_ARRAY;
    writer_u32be(put->writer, (uint32_t)value_count(is_list ? list : NULL));
    return is_list ? list->first : NULL;
}

void prime_put_ints(struct prime_put *put, const struct pose_value *object, const char *key, unsigned size)
{
    for (const struct pose_value *item = prime_put_count(put, object, key); item; item = item->next) {
        float number;
        if (item->kind == POSE_INT)
            write_int(put, item->as.integer, size, key);
        else if (value_number(item, &number) && number == floorf(number) && fabsf(number) < 1e10f)
            write_int(put, (int64_t)number, size, key);
        else
            prime_put_refuse(put, key, "not a list of whole numbers");
    }
}

bool prime_put_init(struct prime_put *put, struct encode_job *job, const struct pose_value *extras)
{
    *put = (struct prime_put){.job = job, .writer = job->writer};
    int own = prime_word_find(prime_games, PRIME_MP2 + 1, value_get_string(extras, "game", NULL));
    unsigned game = own < 0 ? PRIME_MP1 : (unsigned)own;
    if (!setting_word(job->settings, "game", prime_games, PRIME_MP2 + 1, &game, job->error))
        return false;
    put->game = (enum prime_game)game;
    return true;
}

void prime_put_padding(struct writer *writer)
{
    while (!writer->failed && writer->out->size % ALIGNMENT)
        writer_u8(writer, 0xff);
}
