#include "lib/formats/prime/set.h"

uint32_t prime_take_u8(struct prime_set *set, struct value_list *list, const char *key)
{
    uint8_t value = reader_u8(&set->reader, key);
    if (list)
        value_put_int(list, key, value);
    return value;
}

uint32_t prime_take_u32(struct prime_set *set, struct value_list *list, const char *key)
{
    uint32_t value = reader_u32be(&set->reader, key);
    if (list)
        value_put_int(list, key, value);
    return value;
}

void prime_take_float(struct prime_set *set, struct value_list *list, const char *key)
{
    value_put_float(list, key, reader_finite_f32be(&set->reader, key, "not_finite"));
}

void prime_take_floats(struct prime_set *set, struct value_list *list, const char *key, unsigned count)
{
    struct value_list floats = value_array(list->arena);
    for (unsigned i = 0; i < count; i++)
        value_put_float(&floats, NULL, reader_finite_f32be(&set->reader, key, "not_finite"));
    value_put_list(list, key, &floats);
}

const char *prime_take_text(struct prime_set *set, struct value_list *list, const char *key)
{
    struct prime_text text = prime_read_text(&set->reader, key);
    const char *copy = prime_keep_text(set->job, &text);
    if (list)
        value_put_string(list, key, copy);
    return copy;
}

void prime_take_time(struct prime_set *set, struct value_list *list, const char *key, const char *kind_key)
{
    prime_take_float(set, list, key);
    prime_take_u32(set, list, kind_key);
}

void prime_take_ids(struct prime_set *set, struct value_list *list, const char *key)
{
    struct value_list ids = value_array(list->arena);
    uint32_t count = reader_u32be(&set->reader, key);
    if (!reader_count(&set->reader, count, 4, "ids", "count_too_large"))
        return;
    for (uint32_t i = 0; i < count && !set->job->arena->failed; i++)
        value_put_int(&ids, NULL, reader_u32be(&set->reader, key));
    value_put_list(list, key, &ids);
}

bool prime_take_list(struct prime_set *set, struct value_list *list, const char *key, uint64_t least_size,
                     prime_take *take)
{
    struct value_list items = value_array(list->arena);
    uint32_t count = reader_u32be(&set->reader, key);
    if (!reader_count(&set->reader, count, least_size, key, "count_too_large"))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        struct value_list item = value_object(list->arena);
        reader_enter(&set->reader, key, i);
        take(set, &item);
        if (set->reader.failed || set->job->arena->failed)
            return false;
        reader_leave(&set->reader);
        value_put_list(&items, NULL, &item);
    }
    value_put_list(list, key, &items);
    return true;
}
