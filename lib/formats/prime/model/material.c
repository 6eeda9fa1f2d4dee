/*
 * Material sets of a CMDL: u32 and ids of textures, u32 count, u32 each: ends of the materials, the materials.
 * Facts: prime-cmdl.md, 2.
 */
#include "lib/formats/prime/model/model.h"

#include <string.h>

enum { MAX_STAGES = 16, MAX_KONST = 4, MAX_CHANNELS = 4, MAX_UV_ANIMATIONS = 10, MAX_BLEND = 7 };

/* ---------------------------------------------------------------------------------------------- one material -- */

/* A material being read, and its extras. */
struct material_reader {
    struct cmdl *model;
    struct reader *part;
    const uint32_t *textures; /* of the set */
    uint32_t texture_count;
    struct cmdl_pipeline pipeline;
    struct value_list extras;
    unsigned blend_destination, blend_source;
    bool is_lit;
};

/* A count that must not exceed most. */
static uint32_t read_count(struct material_reader *from, uint32_t most, uint64_t size, const char *field)
{
    uint32_t count = reader_u32be(from->part, field);
    if (!from->part->failed && count > most)
        reader_fail(from->part, "bad_count", "%u; there are at most %u", count, most);
    reader_count(from->part, from->part->failed ? 0 : count, size, field, "truncated");
    return from->part->failed ? 0 : count;
}

static void read_textures(struct material_reader *from)
{
    struct value_list ids = value_array(from->extras.arena);
    from->pipeline.texture_count = read_count(from, CMDL_MAX_TEXTURES, 4, "texture_count");
    for (uint32_t i = 0; i < from->pipeline.texture_count; i++) {
        uint32_t index = reader_u32be(from->part, "texture");
        if (!from->part->failed && index >= from->texture_count)
            reader_fail(from->part, "bad_index", "texture %u of %u", index, from->texture_count);
        if (from->part->failed)
            return;
        from->pipeline.textures[i] = from->textures[index];
        value_put_int(&ids, NULL, from->textures[index]);
    }
    value_put_list(&from->extras, "textures", &ids);
}

/* The vertex attributes and their formats. */
static void read_attributes(struct material_reader *from)
{
    uint32_t attributes = from->pipeline.attributes = reader_u32be(from->part, "attributes");
    if (from->part->failed)
        return;
    for (unsigned i = 0; i < CMDL_ATTRIBUTES; i++) {
        if ((attributes >> 2 * i & 3) == 1) {
            reader_fail(from->part, "bad_vertex_format", "attribute %u is stored directly in the vertex", i);
            return;
        }
    }
    if (!(attributes & 3))
        reader_fail(from->part, "bad_vertex_format", "vertices without a position");
    else if (attributes >> 2 * CMDL_ATTRIBUTES & 3)
        reader_fail(from->part, "bad_vertex_format", "TEX7, which the game does not read");
    else if (attributes >> CMDL_FIRST_MATRIX && !from->model->is_mp2)
        reader_fail(from->part, "bad_vertex_format", "matrix indices, which only the second game has");
}

static void read_konst(struct material_reader *from)
{
    struct value_list list = value_array(from->extras.arena);
    from->pipeline.konst_count = read_count(from, MAX_KONST, 4, "konst_count");
    for (uint32_t i = 0; i < from->pipeline.konst_count; i++) {
        const uint8_t *color = reader_bytes(from->part, 4, "konst");
        struct value_list item = value_array(from->extras.arena);
        if (!color)
            return;
        memcpy(from->pipeline.konst[i], color, 4);
        for (int k = 0; k < 4; k++)
            value_put_int(&item, NULL, color[k]);
        value_put_list(&list, NULL, &item);
    }
    value_put_list(&from->extras, "konst", &list);
}

static unsigned read_blend(struct material_reader *from, const char *field)
{
    unsigned factor = reader_u16be(from->part, field);
    if (!from->part->failed && factor > MAX_BLEND)
        reader_fail(from->part, "bad_value", "blend factor %u; the last is %d", factor, MAX_BLEND);
    return factor;
}

static void read_channels(struct material_reader *from)
{
    uint32_t count = read_count(from, MAX_CHANNELS, 4, "channel_count");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t flags = reader_u32be(from->part, "channel");
        if (i == 0)
            from->is_lit = flags & 1;
    }
}

/* All blocks of 20 bytes, then all of 4. */
static void read_stages(struct material_reader *from)
{
    struct cmdl_pipeline *pipeline = &from->pipeline;
    pipeline->stage_count = read_count(from, MAX_STAGES, 24, "stage_count");
    for (uint32_t i = 0; i < pipeline->stage_count; i++) {
        struct cmdl_stage *stage = &pipeline->stages[i];
        stage->color_inputs = reader_u32be(from->part, "color_inputs");
        stage->alpha_inputs = reader_u32be(from->part, "alpha_inputs");
        stage->color_op = reader_u32be(from->part, "color_op");
        reader_u32be(from->part, "alpha_op");
        reader_u8(from->part, "padding");
        stage->alpha_konst = reader_u8(from->part, "alpha_konst");
        stage->color_konst = reader_u8(from->part, "color_konst");
        reader_u8(from->part, "raster_color");
    }
    for (uint32_t i = 0; i < pipeline->stage_count; i++) {
        struct cmdl_stage *stage = &pipeline->stages[i];
        reader_u16be(from->part, "padding");
        stage->slot = reader_u8(from->part, "slot");
        stage->coordinate = reader_u8(from->part, "coordinate");
    }
}

static void read_coordinates(struct material_reader *from)
{
    from->pipeline.coordinate_count = read_count(from, CMDL_MAX_TEXTURES, 4, "coordinate_count");
    for (uint32_t i = 0; i < from->pipeline.coordinate_count; i++)
        from->pipeline.coordinates[i] = reader_u32be(from->part, "coordinate");
}

/* Invalid slots and coordinates are treated as none. */
static void check_stages(struct material_reader *from, uint64_t offset)
{
    struct cmdl_pipeline *pipeline = &from->pipeline;
    for (uint32_t i = 0; i < pipeline->stage_count; i++) {
        struct cmdl_stage *stage = &pipeline->stages[i];
        bool no_slot = stage->slot != 0xff && stage->slot >= pipeline->texture_count;
        bool no_coordinate = stage->coordinate != 0xff && stage->coordinate >= pipeline->coordinate_count;
        if (no_slot || no_coordinate)
            warning_add(&from->model->job->warnings, POSE_WARNING, "stage_without", offset,
                        "stage %u uses %s %u, which does not exist", i, no_slot ? "texture" : "coordinate",
                        no_slot ? stage->slot : stage->coordinate);
        if (no_slot)
            stage->slot = 0xff;
        if (no_coordinate)
            stage->coordinate = 0xff;
    }
}

/* The size in 4-byte numbers by type; those of type 8 begin with an integer. */
static int animation_size(uint32_t type)
{
    static const int sizes[] = {0, 0, 4, 2, 4, 4, 0, 2, 9};
    return type < sizeof sizes / sizeof *sizes ? sizes[type] : -1;
}

static bool read_animation(struct material_reader *from, struct value_list *list)
{
    uint32_t type = reader_u32be(from->part, "uv_type");
    int size = animation_size(type);
    struct value_list item = value_object(from->extras.arena), values = value_array(from->extras.arena);
    if (!from->part->failed && size < 0) {
        warning_add(&from->model->job->warnings, POSE_WARNING, "unknown_uv_animation",
                    reader_last_offset(from->part), "a UV animation of type %u; the rest is skipped", type);
        return false;
    }
    value_put_int(&item, "type", type);
    for (int i = 0; i < size; i++) {
        if (type == 8 && i == 0)
            value_put_int(&values, NULL, reader_u32be(from->part, "uv_value"));
        else
            value_put_float(&values, NULL, reader_finite_f32be(from->part, "uv_value", "not_finite"));
    }
    value_put_list(&item, "values", &values);
    value_put_list(list, NULL, &item);
    return !from->part->failed;
}

/* The size includes the count. */
static void read_animations(struct material_reader *from)
{
    uint32_t size = reader_u32be(from->part, "uv_bytes");
    if (!from->part->failed && (size < 4 || size > reader_left(from->part)))
        reader_fail(from->part, "bad_count", "%u bytes of UV animations, %zu left", size,
                    reader_left(from->part));
    const uint8_t *end = from->part->at + size;
    uint32_t count = reader_u32be(from->part, "uv_count");
    if (!from->part->failed && count > MAX_UV_ANIMATIONS)
        reader_fail(from->part, "bad_count", "%u UV animations; there are at most %d", count,
                    MAX_UV_ANIMATIONS);
    struct value_list list = value_array(from->extras.arena);
    for (uint32_t i = 0; i < count && !from->part->failed; i++) {
        if (!read_animation(from, &list))
            break;
    }
    if (from->part->failed)
        return;
    if (from->part->at > end)
        reader_fail(from->part, "bad_count", "the UV animations are longer than their %u bytes", size);
    else
        from->part->at = end;
    if (count)
        value_put_list(&from->extras, "uv_animations", &list);
}

static void read_fields(struct material_reader *from)
{
    struct cmdl_pipeline *pipeline = &from->pipeline;
    pipeline->flags = reader_u32be(from->part, "flags");
    value_put_int(&from->extras, "flags", pipeline->flags);
    read_textures(from);
    read_attributes(from);
    if (from->model->is_mp2) {
        reader_u32be(from->part, "unknown");
        reader_u32be(from->part, "unknown");
    }
    reader_u32be(from->part, "group");
    if (pipeline->flags & CMDL_KONST)
        read_konst(from);
    from->blend_destination = read_blend(from, "blend_destination");
    from->blend_source = read_blend(from, "blend_source");
    if (pipeline->flags & CMDL_INDIRECT) {
        uint32_t slot = reader_u32be(from->part, "indirect");
        if (!from->part->failed && slot >= pipeline->texture_count)
            reader_fail(from->part, "bad_index", "texture slot %u of %u", slot, pipeline->texture_count);
    }
    read_channels(from);
    read_stages(from);
    uint64_t offset = reader_last_offset(from->part);
    read_coordinates(from);
    check_stages(from, offset);
    read_animations(from);
}

static void describe(struct material_reader *from, struct cmdl_material *material)
{
    bool is_plain = from->blend_source == 1 && from->blend_destination == 0;
    value_put_bool(&from->extras, "lit", from->is_lit);
    value_put_int(&from->extras, "blend_source", from->blend_source);
    value_put_int(&from->extras, "blend_destination", from->blend_destination);
    if (!is_plain && from->blend_destination == 1)
        value_put_bool(&from->extras, "additive", true);
    material->view.alpha = from->pipeline.flags & CMDL_MASKED ? POSE_MASK
                           : is_plain                         ? POSE_OPAQUE
                                                              : POSE_BLEND;
    material->view.cutoff = from->pipeline.flags & CMDL_MASKED ? 64.0f / 255 : 0;
    if (material->view.alpha != POSE_BLEND)
        material->view.base_color[3] = 1;
    material->view.extras = value_done(&from->extras);
}

/* Reads one material completely; part must end with it (tev.c finds the images). */
static bool cmdl_read_material(struct cmdl *model, struct reader *part, const uint32_t *textures,
                               uint32_t texture_count, struct cmdl_material *material)
{
    struct material_reader from = {.model = model,
                                   .part = part,
                                   .textures = textures,
                                   .texture_count = texture_count,
                                   .extras = value_object(model->job->arena)};
    read_fields(&from);
    if (part->failed)
        return false;
    *material = (struct cmdl_material){.flags = from.pipeline.flags, .attributes = from.pipeline.attributes};
    cmdl_interpret(&from.pipeline, model->job->arena, material);
    describe(&from, material);
    if (reader_left(part) && model->job)
        warning_add(&model->job->warnings, POSE_WARNING, "material_slack", reader_offset(part),
                    "%zu bytes after the material's last field", reader_left(part));
    return !model->job->arena->failed;
}

/* ---------------------------------------------------------------------------------------------------- sets -- */

struct set_reader {
    uint32_t texture_count, count;
    uint32_t *textures;
    uint32_t *ends; /* [count] relative to the first material */
};

/* Checks all ends before reading a material: equal ends would let thousands of materials share their bytes. */
static bool read_ends(struct cmdl *model, struct reader *part, struct set_reader *set)
{
    set->count = reader_u32be(part, "material_count");
    if (!part->failed && set->count > CMDL_MAX_MATERIALS)
        return reader_fail(part, "bad_count", "%u materials; there are at most %d", set->count,
                           CMDL_MAX_MATERIALS);
    if (!reader_count(part, set->count, 4, "material ends", "bad_count"))
        return false;
    set->ends = ARENA_NEW(&model->scratch, uint32_t, set->count);
    uint64_t left = reader_left(part) - 4 * (uint64_t)set->count;
    for (uint32_t i = 0; set->ends && i < set->count; i++) {
        reader_enter(part, "materials", i);
        set->ends[i] = reader_u32be(part, "end");
        if (set->ends[i] <= (i ? set->ends[i - 1] : 0) || set->ends[i] > left)
            return reader_fail(part, "bad_offset",
                               "the material ends at %u, the one before at %u, all at %llu", set->ends[i],
                               i ? set->ends[i - 1] : 0, (unsigned long long)left);
        reader_leave(part);
    }
    return set->ends != NULL;
}

static bool read_set(struct cmdl *model, struct reader *part, struct set_reader *set)
{
    set->texture_count = reader_u32be(part, "texture_count");
    if (!reader_count(part, set->texture_count, 4, "textures", "bad_count"))
        return false;
    set->textures = ARENA_NEW(&model->scratch, uint32_t, set->texture_count);
    for (uint32_t i = 0; set->textures && i < set->texture_count; i++)
        set->textures[i] = reader_u32be(part, "texture");
    return set->textures && read_ends(model, part, set);
}

/* Reads a material of a set: keeps the first set's, compares those of the others. */
static bool take_material(struct cmdl *model, uint32_t set_number, uint32_t index, struct reader *part,
                          const struct set_reader *set, struct value_list *pictures)
{
    struct cmdl_material other, *material = set_number ? &other : &model->materials[index];
    if (!cmdl_read_material(model, part, set->textures, set->texture_count, material))
        return false;
    value_put_string(pictures, NULL, material->view.image);
    if (set_number && index < model->material_count &&
        material->attributes != model->materials[index].attributes)
        return reader_fail_at(part, part->base, "attributes", "bad_vertex_format",
                              "vertices of 0x%08x, in the first set of 0x%08x", material->attributes,
                              model->materials[index].attributes);
    return true;
}

static bool read_materials(struct cmdl *model, uint32_t number, struct reader *part,
                           const struct set_reader *set, struct value_list *pictures)
{
    uint64_t start = reader_offset(part);
    for (uint32_t i = 0; i < set->count; i++) {
        struct reader one;
        uint32_t begin = i ? set->ends[i - 1] : 0;
        reader_enter(part, "materials", i);
        if (!reader_part(part, &one, start + begin, set->ends[i] - begin, NULL) ||
            !take_material(model, number, i, &one, set, pictures))
            return false;
        reader_leave(part);
    }
    return true;
}

bool cmdl_read_sets(struct cmdl *model, struct value_list *extras)
{
    struct value_list sets = value_array(model->job->arena);
    for (uint32_t i = 0; i < model->set_count; i++) {
        struct reader part;
        struct set_reader set = {0};
        struct value_list pictures = value_array(model->job->arena);
        if (!cmdl_section(model, i, &part, "sets", i) || !read_set(model, &part, &set))
            return false;
        if (i == 0) {
            model->material_count = set.count;
            model->materials = ARENA_NEW(model->job->arena, struct cmdl_material, set.count);
            if (!model->materials)
                return false;
        } else if (set.count != model->material_count) {
            warning_add(&model->job->warnings, POSE_WARNING, "sets_differ", model->sections[i],
                        "%u materials, the first set has %u", set.count, model->material_count);
        }
        if (!read_materials(model, i, &part, &set, &pictures))
            return false;
        value_put_list(&sets, NULL, &pictures);
    }
    if (model->set_count > 1)
        value_put_list(extras, "material_sets", &sets);
    return true;
}
