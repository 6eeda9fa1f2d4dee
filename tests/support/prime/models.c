#include "tests/support/prime/models.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- fields -- */

struct maker {
    struct prime_made *made;
    const struct made_change *changes;
    bool used[16];
};

static uint32_t changed(struct maker *maker, const char *field, uint32_t value)
{
    for (unsigned i = 0; maker->changes && maker->changes[i].field; i++) {
        if (maker->used[i] || strcmp(maker->changes[i].field, field))
            continue;
        maker->used[i] = true;
        return maker->changes[i].value;
    }
    return value;
}

static void put_u32(struct maker *maker, const char *field, uint32_t value)
{
    made_put_u32(maker->made, changed(maker, field, value));
}

static void put_u16(struct maker *maker, const char *field, unsigned value)
{
    made_put_u16(maker->made, changed(maker, field, value));
}

static void put_u8(struct maker *maker, const char *field, unsigned value)
{
    made_put_u8(maker->made, changed(maker, field, value));
}

static void put_f32(struct maker *maker, const char *field, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(maker, field, bits);
}

static void align(struct prime_made *made, size_t start)
{
    while ((made->bytes.size - start) % 32)
        made_put_u8(made, 0);
}

/* ---------------------------------------------------------------------------------------------- materials -- */

static uint32_t pack_inputs(const unsigned inputs[4])
{
    return inputs[0] | inputs[1] << 5 | inputs[2] << 10 | inputs[3] << 15;
}

static void put_stages(struct maker *maker, const struct made_material *material)
{
    put_u32(maker, "stage_count", material->stage_count);
    for (uint32_t i = 0; i < material->stage_count; i++) {
        const struct made_stage *stage = &material->stages[i];
        put_u32(maker, "color_inputs", pack_inputs(stage->color));
        put_u32(maker, "alpha_inputs", pack_inputs(stage->alpha));
        put_u32(maker, "color_op", 0x100 | stage->output << 9);
        put_u32(maker, "alpha_op", 0x100);
        put_u8(maker, "padding", 0);
        put_u8(maker, "alpha_konst", stage->alpha_konst);
        put_u8(maker, "color_konst", stage->color_konst);
        put_u8(maker, "raster", 4);
    }
    for (uint32_t i = 0; i < material->stage_count; i++) {
        put_u16(maker, "padding", 0);
        put_u8(maker, "slot", material->stages[i].slot);
        put_u8(maker, "stage_coordinate", material->stages[i].coordinate);
    }
}

static void put_material(struct maker *maker, const struct made_model *model,
                         const struct made_material *material)
{
    put_u32(maker, "material_flags", material->flags);
    put_u32(maker, "material_texture_count", material->texture_count);
    for (uint32_t i = 0; i < material->texture_count; i++)
        put_u32(maker, "material_texture", material->textures[i]);
    put_u32(maker, "attributes", material->attributes);
    if (model->version >= 3) {
        put_u32(maker, "unknown", 0);
        put_u32(maker, "unknown", 0);
    }
    put_u32(maker, "group", 0);
    if (material->flags & 8) {
        put_u32(maker, "konst_count", 1);
        put_u32(maker, "konst", material->konst);
    }
    put_u16(maker, "blend_destination", material->blend_destination);
    put_u16(maker, "blend_source", material->blend_source);
    if (material->flags & 0x400)
        put_u32(maker, "indirect", 0);
    put_u32(maker, "channel_count", 1);
    put_u32(maker, "channel", 0x3001);
    put_stages(maker, material);
    put_u32(maker, "coordinate_count", material->coordinate_count);
    for (uint32_t i = 0; i < material->coordinate_count; i++)
        put_u32(maker, "coordinate", material->coordinates[i]);
    put_u32(maker, "uv_size", 4 + 20 * material->animation_count);
    put_u32(maker, "uv_count", material->animation_count);
    for (uint32_t i = 0; i < material->animation_count; i++) {
        put_u32(maker, "uv_type", 2);
        for (int k = 0; k < 4; k++)
            put_f32(maker, "uv_value", 0.25f * (float)k);
    }
}

/* Materials are made aside first, for their ends come before them. */
static void put_set(struct maker *maker, const struct made_model *model, uint32_t set)
{
    struct prime_made aside = {0}, *made = maker->made;
    uint32_t ends[16];
    maker->made = &aside;
    for (uint32_t i = 0; i < model->material_count; i++) {
        put_material(maker, model, &model->materials[i]);
        ends[i] = (uint32_t)aside.bytes.size;
    }
    maker->made = made;
    put_u32(maker, "texture_count", model->texture_count);
    for (uint32_t i = 0; i < model->texture_count; i++)
        put_u32(maker, "texture", model->textures[set * model->texture_count + i]);
    put_u32(maker, "material_count", model->material_count);
    for (uint32_t i = 0; i < model->material_count; i++)
        put_u32(maker, "material_end", ends[i]);
    made_put(made, aside.bytes.data, aside.bytes.size);
    pose_buffer_free(&aside.bytes);
}

/* ------------------------------------------------------------------------------------------------- arrays -- */

static void put_normals(struct maker *maker, const struct made_model *model)
{
    for (uint32_t i = 0; i < model->position_count; i++) {
        for (int k = 0; k < 3; k++) {
            if (model->flags & 2)
                put_u16(maker, "normal", (uint16_t)(int16_t)lrintf(model->normals[i][k] * 16384));
            else
                put_f32(maker, "normal", model->normals[i][k]);
        }
    }
}

static void put_array(struct maker *maker, const struct made_model *model, int array)
{
    for (uint32_t i = 0; array == 0 && i < model->position_count; i++) {
        for (int k = 0; k < 3; k++)
            put_f32(maker, "position", model->positions[i][k]);
    }
    if (array == 1)
        put_normals(maker, model);
    if (array == 2 && model->color_count)
        made_put(maker->made, model->colors, model->color_count * sizeof *model->colors);
    for (uint32_t i = 0; array == 3 && i < model->uv_count; i++) {
        put_f32(maker, "uv", model->uvs[i][0]);
        put_f32(maker, "uv", model->uvs[i][1]);
    }
    for (uint32_t i = 0; array == 4 && i < model->short_uv_count; i++) {
        put_u16(maker, "short_uv", model->short_uvs[i][0]);
        put_u16(maker, "short_uv", model->short_uvs[i][1]);
    }
}

/* ------------------------------------------------------------------------------------------------ surfaces -- */

static void put_index(struct maker *maker, const char *field, unsigned kind, unsigned value)
{
    if (kind == 3)
        put_u16(maker, field, value);
    else if (kind)
        put_u8(maker, field, value);
}

static void put_corner(struct maker *maker, uint32_t attributes, const struct made_corner *corner)
{
    for (unsigned i = 24; i < 32; i++) {
        if (attributes >> i & 1)
            put_u8(maker, "matrix", corner->matrix);
    }
    put_index(maker, "corner_position", attributes & 3, corner->position);
    put_index(maker, "corner_normal", attributes >> 2 & 3, corner->normal);
    put_index(maker, "corner_color", attributes >> 4 & 3, corner->position);
    put_index(maker, "corner_color", attributes >> 6 & 3, corner->position);
    put_index(maker, "corner_uv", attributes >> 8 & 3, corner->uv);
    for (unsigned set = 1; set < 8; set++)
        put_index(maker, "corner_uv", attributes >> (8 + 2 * set) & 3, corner->second_uv);
}

static void put_surface(struct maker *maker, const struct made_model *model,
                        const struct made_surface *surface)
{
    struct prime_made list = {0}, *made = maker->made;
    uint32_t attributes = model->materials[surface->material].attributes;
    size_t start = made->bytes.size;
    maker->made = &list;
    for (unsigned i = 0; i < surface->primitive_count; i++) {
        const struct made_primitive *primitive = &surface->primitives[i];
        put_u8(maker, "opcode", primitive->opcode);
        put_u16(maker, "corner_count", primitive->count);
        for (unsigned k = 0; k < primitive->count; k++)
            put_corner(maker, attributes, &primitive->corners[k]);
    }
    align(&list, 0);
    maker->made = made;
    for (int i = 0; i < 3; i++)
        put_f32(maker, "center", 0);
    put_u32(maker, "surface_material", surface->material);
    put_u32(maker, "list_size", 0x80000000u | (uint32_t)list.bytes.size);
    put_u32(maker, "pointer", 0);
    put_u32(maker, "pointer", 0);
    put_u32(maker, "extra_size", 0);
    for (int i = 0; i < 3; i++)
        put_f32(maker, "surface_normal", i == 2);
    if (model->version >= 3) {
        put_u16(maker, "bank", (uint16_t)surface->bank);
        put_u16(maker, "surface_group", 0);
    }
    align(made, start);
    made_put(made, list.bytes.data, list.bytes.size);
    pose_buffer_free(&list.bytes);
}

static void put_table(struct maker *maker, const struct made_model *model, const uint32_t *sizes)
{
    uint32_t end = 0;
    put_u32(maker, "surface_count", model->surface_count);
    for (uint32_t i = 0; i < model->surface_count; i++) {
        end += sizes[i];
        put_u32(maker, "surface_offset", end);
    }
}

/* -------------------------------------------------------------------------------------------------- model -- */

enum { MAX_SECTIONS = 64 };

/* Section k, by itself; surface sizes are known when the table before them is made. */
static void put_section(struct maker *maker, const struct made_model *model, uint32_t k,
                        const uint32_t *surface_sizes)
{
    uint32_t arrays = 4 + !!(model->flags & 4), table = model->set_count + arrays;
    if (k < model->set_count)
        put_set(maker, model, k);
    else if (k < table)
        put_array(maker, model, (int)(k - model->set_count));
    else if (k == table)
        put_table(maker, model, surface_sizes);
    else
        put_surface(maker, model, &model->surfaces[k - table - 1]);
}

void made_put_model(struct prime_made *made, const struct made_model *model,
                    const struct made_change *changes)
{
    struct maker maker = {.made = made, .changes = changes};
    struct prime_made sections[MAX_SECTIONS] = {0};
    uint32_t table = model->set_count + 4 + !!(model->flags & 4), count = table + 1 + model->surface_count;
    uint32_t surface_sizes[MAX_SECTIONS];
    put_u32(&maker, "magic", 0xdeadbabe);
    put_u32(&maker, "version", model->version);
    put_u32(&maker, "flags", model->flags);
    for (int i = 0; i < 6; i++)
        put_f32(&maker, "box", i < 3 ? -1 : 1);
    put_u32(&maker, "section_count", count);
    if (model->version > 1)
        put_u32(&maker, "set_count", model->set_count);
    /* Surfaces before their table; changes meet fields in that order. */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = i < table ? i : i + 1 < count ? i + 1 : table;
        maker.made = &sections[k];
        put_section(&maker, model, k, surface_sizes);
        align(&sections[k], 0);
        if (k > table)
            surface_sizes[k - table - 1] = (uint32_t)sections[k].bytes.size;
    }
    maker.made = made;
    for (uint32_t i = 0; i < count; i++)
        put_u32(&maker, "section_size", (uint32_t)sections[i].bytes.size);
    align(made, 0);
    for (uint32_t i = 0; i < count; i++) {
        made_put(made, sections[i].bytes.data, sections[i].bytes.size);
        pose_buffer_free(&sections[i].bytes);
    }
}

/* --------------------------------------------------------------------------------------------- a small one -- */

void prime_make_model(struct prime_made *made, uint32_t version, const struct made_change *changes)
{
    static const float positions[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    static const float normals[4][3] = {{0, -1, 0}, {0, -1, 0}, {0, -0.6f, 0.8f}, {0, -1, 0}};
    static const float uvs[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    static const struct made_corner corners[4] = {
        {0, 0, 0, 3, 0}, {1, 1, 1, 2, 3}, {2, 2, 2, 1, 3}, {3, 3, 3, 0, 0}};
    static const struct made_primitive first[] = {{0x98, 4, corners}}, second[] = {{0x90, 3, corners + 1}};
    static const struct made_surface surfaces[] = {{0, 0, 1, first}, {1, -1, 1, second}};
    static const uint32_t textures[] = {0x0000aa01, 0x0000aa02, 0x0000bb01, 0x0000bb02};
    uint32_t matrix = version >= 3 ? 0x01000000u : 0;
    const struct made_material materials[] = {
        {.flags = 0x1003,
         .texture_count = 2,
         .textures = {0, 1},
         .attributes = matrix | 0xf0f, /* POS, NRM, TEX0, TEX1 */
         .blend_source = 1,
         .stage_count = 2,
         .stages = {{{15, 10, 8, 15}, {7, 7, 7, 5}, 0, 0, 0, 0, 0},
                    {{15, 8, 12, 0}, {7, 7, 7, 0}, 0, 0, 0, 1, 1}},
         .coordinate_count = 2,
         .coordinates = {1 | 4 << 4 | 30 << 9, 1 | 5 << 4 | 30 << 9},
         .animation_count = 1},
        {.flags = 0x1003 | 8 | 0x400,
         .texture_count = 1,
         .textures = {1},
         .attributes = matrix | 0x30f,
         .blend_destination = 5,
         .blend_source = 4,
         .konst = 0x3366cc80,
         .stage_count = 1,
         .stages = {{{15, 14, 12, 15}, {7, 7, 7, 6}, 0, 0x1c, 0x0c, 0xff, 0xff}},
         .coordinate_count = 1,
         .coordinates = {1 | 4 << 4 | 30 << 9}},
    };
    const struct made_model model = {.version = version,
                                     .set_count = version == 1 ? 1 : 2,
                                     .texture_count = 2,
                                     .textures = textures,
                                     .material_count = 2,
                                     .materials = materials,
                                     .position_count = 4,
                                     .positions = positions,
                                     .normals = normals,
                                     .uv_count = 4,
                                     .uvs = uvs,
                                     .surface_count = 2,
                                     .surfaces = surfaces};
    *made = (struct prime_made){0};
    made_put_model(made, &model, changes);
}

/* ------------------------------------------------------------------------------------------------ textures -- */

static const struct {
    unsigned bits, width, height;
} tiles[11] = {{4, 8, 8},  {8, 8, 4},  {8, 8, 4},  {16, 4, 4}, {4, 8, 8}, {8, 8, 4},
               {16, 4, 4}, {16, 4, 4}, {16, 4, 4}, {32, 4, 4}, {4, 8, 8}};

enum { CHECKS = 8 };

/* A texel's colour: two runs and a board of checks, with soft alpha on the right half where there is some. */
static void texel(unsigned x, unsigned y, unsigned width, unsigned height, unsigned color[4])
{
    unsigned is_dark = (x * CHECKS / width + y * CHECKS / height) & 1;
    color[0] = 40 + 200 * x / width;
    color[1] = 220 - 160 * y / height;
    color[2] = is_dark ? 60 : 200;
    color[3] = 2 * x < width ? 255 : 128;
}

static unsigned to_565(const unsigned color[4])
{
    return (color[0] >> 3) << 11 | (color[1] >> 2) << 5 | color[2] >> 3;
}

static unsigned to_5a3(const unsigned color[4])
{
    if (color[3] > 250)
        return 0x8000 | (color[0] >> 3) << 10 | (color[1] >> 3) << 5 | color[2] >> 3;
    return (color[3] >> 5) << 12 | (color[0] >> 4) << 8 | (color[1] >> 4) << 4 | color[2] >> 4;
}

static void put_cmpr_block(struct maker *maker, unsigned x, unsigned y, unsigned width, unsigned height)
{
    unsigned first[4], last[4];
    texel(x, y, width, height, first);
    texel(x + 3, y + 3, width, height, last);
    put_u16(maker, "color", to_565(first));
    put_u16(maker, "color", to_565(last));
    for (unsigned row = 0; row < 4; row++)
        put_u8(maker, "codes", 0x1b);
}

/* A tile at a texel. RGBA8 comes in two halves. */
static void put_tile(struct maker *maker, unsigned format, unsigned left, unsigned top, unsigned width,
                     unsigned height)
{
    unsigned color[4], count = tiles[format].width * tiles[format].height, before = 0;
    for (unsigned block = 0; format == 10 && block < 4; block++)
        put_cmpr_block(maker, left + block % 2 * 4, top + block / 2 * 4, width, height);
    for (unsigned half = 0; half < (format == 9 ? 2 : 1); half++) {
        for (unsigned i = 0; format != 10 && i < count; i++) {
            unsigned x = left + i % tiles[format].width, y = top + i / tiles[format].width;
            texel(x < width ? x : width - 1, y < height ? y : height - 1, width, height, color);
            unsigned grey = (color[0] + color[1] + color[2]) / 3;
            if (format == 0 || format == 4) {
                unsigned code = format ? color[0] >> 4 : grey >> 4;
                if (i & 1)
                    put_u8(maker, "texel", before << 4 | code);
                before = code;
            } else if (format == 1 || format == 5)
                put_u8(maker, "texel", format == 1 ? grey : color[0]);
            else if (format == 2)
                put_u8(maker, "texel", (color[3] >> 4) << 4 | grey >> 4);
            else if (format == 3)
                put_u16(maker, "texel", color[3] << 8 | grey);
            else if (format == 6)
                put_u16(maker, "texel", color[0]);
            else if (format == 7)
                put_u16(maker, "texel", to_565(color));
            else if (format == 8)
                put_u16(maker, "texel", to_5a3(color));
            else
                put_u16(maker, "texel", half ? color[1] << 8 | color[2] : color[3] << 8 | color[0]);
        }
    }
}

static void put_palette(struct maker *maker, unsigned format)
{
    unsigned count = format == 4 ? 16 : 256;
    put_u32(maker, "palette_format", format - 4);
    put_u16(maker, "palette_width", count);
    put_u16(maker, "palette_height", 1);
    for (unsigned i = 0; i < count; i++) {
        unsigned way = i * 255 / (count - 1), color[4] = {way, 255 - way, 128, i % 3 ? 255 : 128};
        put_u16(maker, "palette",
                format == 4   ? color[3] << 8 | color[0]
                : format == 5 ? to_565(color)
                              : to_5a3(color));
    }
}

void prime_make_texture(struct prime_made *made, unsigned format, unsigned width, unsigned height,
                        unsigned levels, const struct made_change *changes)
{
    struct maker maker = {.made = made, .changes = changes};
    *made = (struct prime_made){0};
    put_u32(&maker, "format", format);
    put_u16(&maker, "width", width);
    put_u16(&maker, "height", height);
    put_u32(&maker, "levels", levels);
    if (format >= 4 && format <= 6)
        put_palette(&maker, format);
    for (unsigned level = 0; level < levels; level++) {
        unsigned w = width >> level ? width >> level : 1, h = height >> level ? height >> level : 1;
        for (unsigned top = 0; top < h; top += tiles[format].height) {
            for (unsigned left = 0; left < w; left += tiles[format].width)
                put_tile(&maker, format, left, top, w, h);
        }
    }
}
