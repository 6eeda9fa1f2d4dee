#include "lib/formats/sims/props.h"

static void put_pair(struct value_list *list, const struct sims_pair *pair)
{
    struct value_list object = value_object(list->arena);
    value_put_string(&object, pair->key, pair->value);
    value_put_list(list, NULL, &object);
}

/* One pair per object: keys may repeat, and not every JSON parser keeps their order. */
static void put_prop(struct value_list *list, const struct sims_prop *prop)
{
    if (prop->count == 1) {
        put_pair(list, prop->pairs);
        return;
    }
    struct value_list pairs = value_array(list->arena);
    for (uint32_t i = 0; i < prop->count; i++)
        put_pair(&pairs, &prop->pairs[i]);
    value_put_list(list, NULL, &pairs);
}

void sims_put_props(struct value_list *list, const char *key, const struct sims_props *props)
{
    struct value_list array = value_array(list->arena);
    for (uint32_t i = 0; i < props->count; i++)
        put_prop(&array, &props->items[i]);
    value_put_list(list, key, &array);
}

void sims_put_props_lists(struct value_list *object, const char *key, const struct sims_props *lists,
                          uint32_t count)
{
    struct value_list array = value_array(object->arena);
    for (uint32_t i = 0; i < count; i++)
        sims_put_props(&array, NULL, &lists[i]);
    value_put_list(object, key, &array);
}

static void put_moments(struct value_list *array, const struct sims_moments *moments)
{
    struct value_list list = value_array(array->arena);
    for (uint32_t i = 0; i < moments->count; i++) {
        struct value_list object = value_object(array->arena);
        value_put_int(&object, "time_ms", moments->items[i].time_ms);
        sims_put_props(&object, "props", &moments->items[i].props);
        value_put_list(&list, NULL, &object);
    }
    value_put_list(array, NULL, &list);
}

void sims_put_moments_lists(struct value_list *object, const char *key, const struct sims_moments *lists,
                            uint32_t count)
{
    struct value_list array = value_array(object->arena);
    for (uint32_t i = 0; i < count; i++)
        put_moments(&array, &lists[i]);
    value_put_list(object, key, &array);
}

const char *sims_text_of(struct arena *arena, const struct pose_value *value)
{
    char text[POSE_FLOAT_TEXT];
    const char *made = NULL;
    if (value && value->kind == POSE_STRING)
        return value->as.string;
    if (value && value->kind == POSE_INT)
        made = arena_format(arena, "%lld", (long long)value->as.integer);
    else if (value && value->kind == POSE_FLOAT)
        made = arena_text(arena, text, pose_float_text(value->as.number, text));
    return made ? made : "";
}

static bool is_array(const struct pose_value *value)
{
    return value && value->kind == POSE_ARRAY;
}

static void get_pairs(struct arena *arena, const struct pose_value *object, struct sims_prop *prop)
{
    for (const struct pose_value *member = object->kind == POSE_OBJECT ? object->first : NULL; member;
         member = member->next) {
        struct sims_pair *pair = &prop->pairs[prop->count++];
        pair->key = member->key ? member->key : "";
        pair->value = sims_text_of(arena, member);
    }
}

static struct sims_prop get_prop(struct arena *arena, const struct pose_value *value)
{
    struct sims_prop prop = {0};
    size_t count = value->kind == POSE_OBJECT ? value_count(value) : 0;
    for (const struct pose_value *item = is_array(value) ? value->first : NULL; item; item = item->next)
        count += value_count(item);
    prop.pairs = ARENA_NEW(arena, struct sims_pair, count);
    if (!prop.pairs)
        return prop;
    get_pairs(arena, value, &prop);
    for (const struct pose_value *item = is_array(value) ? value->first : NULL; item; item = item->next)
        get_pairs(arena, item, &prop);
    return prop;
}

struct sims_props sims_get_props(struct arena *arena, const struct pose_value *array)
{
    struct sims_props props = {0};
    if (!is_array(array))
        return props;
    props.items = ARENA_NEW(arena, struct sims_prop, value_count(array));
    for (const struct pose_value *item = array->first; item && props.items; item = item->next)
        props.items[props.count++] = get_prop(arena, item);
    return props;
}

struct sims_props *sims_get_props_lists(struct arena *arena, const struct pose_value *array, uint32_t *count)
{
    *count = 0;
    if (!is_array(array))
        return NULL;
    struct sims_props *lists = ARENA_NEW(arena, struct sims_props, value_count(array));
    for (const struct pose_value *item = array->first; item && lists; item = item->next)
        lists[(*count)++] = sims_get_props(arena, item);
    return lists;
}

static struct sims_moments get_moments(struct arena *arena, const struct pose_value *array)
{
    struct sims_moments moments = {0};
    if (!is_array(array))
        return moments;
    moments.items = ARENA_NEW(arena, struct sims_moment, value_count(array));
    for (const struct pose_value *item = array->first; item && moments.items; item = item->next) {
        struct sims_moment *moment = &moments.items[moments.count++];
        moment->time_ms = value_get_int(item, "time_ms", 0);
        moment->props = sims_get_props(arena, pose_value_find(item, "props"));
    }
    return moments;
}

struct sims_moments *sims_get_moments_lists(struct arena *arena, const struct pose_value *array,
                                            uint32_t *count)
{
    *count = 0;
    if (!is_array(array))
        return NULL;
    struct sims_moments *lists = ARENA_NEW(arena, struct sims_moments, value_count(array));
    for (const struct pose_value *item = array->first; item && lists; item = item->next)
        lists[(*count)++] = get_moments(arena, item);
    return lists;
}
