#include "lib/formats/sims/records.h"

struct sims_place sims_place_of(const struct sims_stream *s)
{
    return (struct sims_place){.offset = reader_offset(&s->reader),
                               .line = s->encoding->is_text ? s->lines.number + 1 : 0};
}

void sims_visit_prop(struct sims_stream *s, struct sims_prop *prop)
{
    if (!sims_count(s, "pair_count", &prop->count, 2, 2))
        return;
    prop->pairs = sims_items(s, prop->pairs, prop->count, sizeof *prop->pairs);
    for (uint32_t i = 0; sims_more(s, i, prop->count); i++) {
        struct sims_pair scratch = {0}, *pair = prop->pairs ? &prop->pairs[i] : &scratch;
        sims_enter(s, "pairs", i);
        sims_text(s, "key", &pair->key);
        sims_text(s, "value", &pair->value);
        sims_leave(s);
    }
}

void sims_visit_props(struct sims_stream *s, const char *field, struct sims_props *props)
{
    if (!sims_count(s, "prop_count", &props->count, 4, 1))
        return;
    props->items = sims_items(s, props->items, props->count, sizeof *props->items);
    for (uint32_t i = 0; sims_more(s, i, props->count); i++) {
        struct sims_prop scratch = {0}, *prop = props->items ? &props->items[i] : &scratch;
        sims_enter(s, field, i);
        sims_visit_prop(s, prop);
        sims_leave(s);
    }
}

void sims_visit_single_props(struct sims_stream *s, const char *field, struct sims_props **lists,
                             uint32_t *count)
{
    if (!sims_count(s, "props_list_count", count, 4, 1))
        return;
    *lists = sims_items(s, *lists, *count, sizeof **lists);
    for (uint32_t i = 0; sims_more(s, i, *count); i++) {
        struct sims_props scratch = {0}, *props = *lists ? &(*lists)[i] : &scratch;
        struct sims_prop single = {0};
        props->count = 1;
        props->items = sims_items(s, props->items, 1, sizeof *props->items);
        sims_enter(s, field, i);
        sims_visit_prop(s, props->items ? props->items : &single);
        sims_leave(s);
    }
}

void sims_visit_bone_rest(struct sims_stream *s, struct sims_bone *bone)
{
    sims_vector(s, "translation", bone->translation, 3);
    sims_vector(s, "rotation", bone->rotation, 4);
    sims_unsigned(s, "can_translate", &bone->can_translate);
    sims_unsigned(s, "can_rotate", &bone->can_rotate);
    sims_unsigned(s, "can_blend", &bone->can_blend);
    sims_number(s, "wiggle_value", &bone->wiggle_value);
    sims_number(s, "wiggle_power", &bone->wiggle_power);
}
